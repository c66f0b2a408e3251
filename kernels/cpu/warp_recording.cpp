#include "kernels/cpu/warp_recording.h"

#include <algorithm>
#include <utility>

namespace conv {

using conv_cpu::Access;
using conv_cpu::Space;
using conv_cpu::Way;

namespace {

// The largest size of one instruction that divides the bytes: a pixel of three floats takes three.
int instruction_bytes(int bytes) {
  return std::min(16, bytes & -bytes);
}

}  // namespace

std::vector<LaneAccess> WarpRequest::accesses() const {
  std::vector<LaneAccess> list;
  for (int lane = 0; lane < lanes; ++lane)
    if (address[lane] >= 0) list.push_back({lane, address[lane], bytes[lane]});
  return list;
}

int WarpRecording::epochs() const {
  int last = -1;
  for (const WarpRequest& request : requests) last = std::max(last, request.epoch);
  return last + 1;
}

int WarpRecording::lanes_of(int warp) const {
  return std::min(WarpRequest::lanes, static_cast<int>(threads.area()) - warp * WarpRequest::lanes);
}

void RequestTotals::add(const RequestTotals& other) {
  requests += other.requests;
  accesses += other.accesses;
  idle_lanes += other.idle_lanes;
  wavefronts += other.wavefronts;
  sectors += other.sectors;
  moved_bytes += other.moved_bytes;
  used_bytes += other.used_bytes;
  words += other.words;
}

void MemoryTotals::add(const MemoryTotals& other) {
  shared_read.add(other.shared_read);
  shared_write.add(other.shared_write);
  global_read.add(other.global_read);
  global_write.add(other.global_write);
  taps.add(other.taps);
}

RequestTotals& part_of(MemoryTotals& totals, const AccessSite& site) {
  if (site.space == Space::taps) return totals.taps;
  if (site.space == Space::shared) return site.access == Access::read ? totals.shared_read : totals.shared_write;
  return site.access == Access::read ? totals.global_read : totals.global_write;
}

RequestTotals totals_of(const WarpRecording& recording, const WarpRequest& request, Generation generation) {
  const std::vector<LaneAccess> lanes = request.accesses();
  const AccessSite& site = recording.sites[request.site];
  RequestTotals totals{.requests = 1, .accesses = static_cast<long long>(lanes.size())};
  // The copy engine serves the whole block, so no lane waits for it.
  if (site.way != Way::bulk_copy) totals.idle_lanes = recording.lanes_of(request.warp) - totals.accesses;
  if (site.space == Space::shared) totals.wavefronts = wavefronts(generation, lanes);
  if (site.space == Space::taps) totals.words = distinct_words(lanes);
  if (site.space == Space::global || (site.space == Space::taps && recording.taps_in_global_memory)) {
    const GlobalTraffic traffic = global_traffic(generation, lanes);
    totals.sectors = traffic.transactions;
    totals.moved_bytes = traffic.moved_bytes;
    totals.used_bytes = traffic.used_bytes;
  }
  return totals;
}

std::vector<MemoryTotals> totals_of(const WarpRecording& recording, Generation generation) {
  std::vector<MemoryTotals> totals(static_cast<std::size_t>(recording.epochs()));
  for (const WarpRequest& request : recording.requests)
    part_of(totals[request.epoch], recording.sites[request.site]).add(totals_of(recording, request, generation));
  return totals;
}

MemoryTotals sum_of(const WarpRecording& recording, Generation generation) {
  MemoryTotals sum;
  for (const MemoryTotals& epoch : totals_of(recording, generation)) sum.add(epoch);
  return sum;
}

WarpRecorder::WarpRecorder(const KernelStep& step) : threads_(static_cast<std::size_t>(step.block.area())) {
  recording_.threads = step.block;
  // Otherwise in constant memory, or constants in the code of the instance that is compiled for this job.
  const bool in_code = step.kernel.options.find("-DCONV_TAPS=") != std::string::npos;
  recording_.taps_in_global_memory = step.kernel.constant_symbol.empty() && !in_code;
  first_.assign(static_cast<std::size_t>(recording_.warps()), -1);
  runs_.resize(first_.size());
}

void WarpRecorder::begin_block(const conv_cpu::ThreadIndex& first_thread) {
  recording_.block = point_of(first_thread.block);
}

int WarpRecorder::site_of(const MemoryAccess& a, int bytes) {
  const int site_bytes = a.way == Way::bulk_copy ? 0 : bytes;
  auto& sites = recording_.sites;
  const auto at = std::ranges::find_if(sites, [&](const AccessSite& site) {
    return site.line.file == a.site.file && site.line.line == a.site.line && site.space == a.space &&
           site.access == a.access && site.way == a.way && site.bytes == site_bytes;
  });
  const auto site = static_cast<int>(at - sites.begin());
  if (at == sites.end()) sites.push_back({a.site, a.space, a.access, a.way, site_bytes, a.loop_line});
  return site;
}

std::size_t WarpRecorder::HashOfKey::operator()(const Key& key) const {
  unsigned long long hash = key.loops;
  for (const int part : {key.warp, key.site, key.epoch, key.count})
    hash = (hash ^ static_cast<unsigned>(part)) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

int WarpRecorder::request_of(Thread& thread, const Key& key) {
  // Lanes of a warp mostly do the same in the same order.
  const int expected = thread.last >= 0 ? next_[thread.last] : first_[key.warp];
  if (expected >= 0 && keys_[expected] == key) return thread.last = expected;
  const auto [at, is_new] = requests_.try_emplace(key, static_cast<int>(recording_.requests.size()));
  if (is_new) {
    if (at->second >= WarpRecording::most_requests) {
      recording_.complete = false;
      requests_.erase(at);
      return -1;
    }
    if (key.count == 0) ++recording_.sites[key.site].bodies;
    WarpRequest& request = recording_.requests.emplace_back();
    request.warp = key.warp;
    request.site = key.site;
    request.epoch = key.epoch;
    // Behind what this thread did before.
    int& before = thread.last >= 0 ? next_[thread.last] : first_[key.warp];
    const int after = before;
    before = at->second;
    next_.push_back(after);
    keys_.push_back(key);
  }
  thread.last = at->second;
  return at->second;
}

void WarpRecorder::add(const MemoryAccess& a, long long address, int bytes, bool takes_part) {
  const int id = a.thread.thread.y * recording_.threads.width + a.thread.thread.x;
  const int lane = id % WarpRequest::lanes, site = site_of(a, bytes);
  Thread& thread = threads_[id];
  if (static_cast<int>(thread.sites.size()) <= site) thread.sites.resize(static_cast<std::size_t>(site) + 1);
  Progress& progress = thread.sites[site];
  if (progress.epoch != a.block_epoch) progress = {.epoch = a.block_epoch};
  const long long word = a.word > 0 && takes_part ? address / bytes : -1;
  if (a.word > 0 && a.transfer == progress.transfer && progress.request >= 0) {
    if (a.way == Way::bulk_copy) recording_.requests[progress.request].bytes[lane] += bytes;  // the rest of the row
    if (a.way == Way::bulk_copy || word == progress.word) return;
  }
  progress.transfer = a.transfer;
  progress.word = word;
  if (std::exchange(progress.loops, a.loops) != a.loops) progress.count = 0;
  const int count = progress.count++;
  if (!takes_part) return;
  progress.request = request_of(thread, {id / WarpRequest::lanes, site, a.block_epoch, count, a.loops});
  if (progress.request < 0) return;
  WarpRequest& request = recording_.requests[progress.request];
  request.address[lane] = a.way == Way::bulk_copy ? address : address / bytes * bytes;
  request.bytes[lane] = bytes;
}

void WarpRecorder::access(const MemoryAccess& a) {
  if (a.way == Way::arrival) return;
  const bool in_words = a.word > 0 && a.word <= 16;
  const auto add_all = [&](long long address, int count) {
    const int bytes = in_words ? a.word : a.way == Way::bulk_copy ? count : instruction_bytes(count);
    if (in_words) return add(a, address, bytes, true);
    for (int at = 0; at < count; at += bytes) add(a, address + at, bytes, true);
  };
  switch (a.space) {
    case Space::taps: recording_.reads_global_taps |= a.y == 0; return add_all(4LL * a.x, 4);
    case Space::shared: return add_all(a.x, a.y);
    case Space::global: break;
  }
  const conv_cpu::PixelPart& part = a.part;
  const long long stride = static_cast<long long>(ceil_div(a.image.width, 32)) * 32;
  const int plane_bytes = part.pixel_bytes / part.planes;
  for (int first = part.first; first<part.first + part.bytes; first += part.planes> 1 ? plane_bytes : part.bytes) {
    const int plane = part.planes > 1 ? first / plane_bytes : 0;
    const long long pixel = (static_cast<long long>(plane) * a.image.height + a.y) * stride + a.x;
    add_all(pixel * plane_bytes + (part.planes > 1 ? 0 : first), part.planes > 1 ? plane_bytes : part.bytes);
  }
}

void WarpRecorder::leave_out(const MemoryAccess& a) {
  const int piece = a.part.planes > 1 ? a.part.pixel_bytes / a.part.planes : a.part.bytes;
  const int bytes = instruction_bytes(piece);
  for (int at = 0; at < a.part.bytes; at += bytes) add(a, 0, bytes, false);
}

void WarpRecorder::exchange(const conv_cpu::ThreadIndex& thread, conv_cpu::Exchange kind, int instructions) {
  const int id = thread.thread.y * recording_.threads.width + thread.thread.x;
  if (id % WarpRequest::lanes != 0) return;  // all lanes take part: the first one stands for them
  (kind == conv_cpu::Exchange::shuffle ? recording_.shuffles : recording_.matrix_products) += instructions;
}

void WarpRecorder::end_thread(const conv_cpu::ThreadIndex& thread, const conv_cpu::Loops& loops) {
  const int id = thread.thread.y * recording_.threads.width + thread.thread.x;
  std::map<int, int>& runs = runs_[id / WarpRequest::lanes];
  for (const conv_cpu::Loops::Level& loop : loops.runs)
    if (loop.count > 0) runs[loop.line] = std::max(runs[loop.line], loop.count);
}

WarpRecording WarpRecorder::finished() {
  for (const std::map<int, int>& warp : runs_)
    for (const auto& [line, count] : warp) recording_.loop_runs[line] += count;
  std::vector<WarpRequest> ordered;
  ordered.reserve(recording_.requests.size());
  for (const int first : first_)
    for (int i = first; i >= 0; i = next_[i]) ordered.push_back(recording_.requests[i]);
  recording_.requests = std::move(ordered);
  return std::move(recording_);
}

}  // namespace conv
