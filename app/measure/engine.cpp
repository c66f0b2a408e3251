#include "app/measure/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "app/check/check_cases.h"
#include "app/measure/turn.h"
#include "kernels/core/cost.h"
#include "kernels/gpu/gpu_clock.h"

namespace conv {

namespace {

constexpr double whole_check = 2e7;  // multiply-adds per thread up to which the reference computes all pixels

// All rows, or the top and bottom rows, where padding matters, and 2 % of the rows between.
std::vector<int> checked_rows(Size2 result, Size2 taps, int channels, int block_height, int threads) {
  if (static_cast<double>(result.area()) * static_cast<double>(taps.area()) * channels <= whole_check * threads)
    return {};
  const int band = std::min(result.height / 4, taps.height / 2 + 2 * block_height);
  std::vector<int> rows;
  for (int y = 0; y < result.height; ++y)
    if (y < band || y >= result.height - band || y % 50 == 25) rows.push_back(y);
  return rows;
}

}  // namespace

BenchEnvironment BenchEngine::environment() const {
  BenchEnvironment e{.processor = processor_.name(), .version = CONV_VERSION};
  if (const DeviceInfo* device = processor_.device()) {
    e.driver = device->driver;
    e.cuda = fmt::format("{}.{}", device->runtime_version / 1000, device->runtime_version % 1000 / 10);
    e.cache_bytes = device->cache_bytes;
    e.bandwidth_gb_per_s = device->bandwidth_gb_per_s;
    if (const auto clock = gpu_clock(device->bus)) e.highest_mhz = clock->highest_sm_mhz;
  }
  return e;
}

void BenchEngine::plan(BenchEntry& entry) {
  BenchRow& row = entry.row;
  row.date = now_utc();
  const Result<Taps> taps = taps_of(row.point.filter);
  if (!taps) return entry.refuse(taps.error().text);
  entry.taps = std::make_shared<const Taps>(*taps);
  row.taps = taps->size;
  const Peer* peer = entry.peer = find_peer(row.point.lane.variant);
  if (peer && !processor_.on_gpu()) return entry.refuse("can only be measured on an NVIDIA GPU");
  const Variant& variant = peer ? *peer : *find_variant(row.point.lane.variant);
  const ConvSettings settings = conv_settings({.lane = row.point.lane, .border = row.point.border}, entry.taps);
  DeviceLimits limits = processor_.limits();
  if (peer) limits.no_npp = processor_.gpu()->why_no_npp();
  Result<LaunchPlan> planned = plan_job(variant, row.point.image, settings, limits);
  const bool on_host = planned && planned->on_host();
  row.processor = processor_.name();
  if (on_host) {
    const auto* step = std::get_if<HostStep>(&planned->steps.front());
    row.processor = step && step->one_core ? std::string(cpu_one_thread)
                                           : fmt::format("{}, {} threads", cpu_processor, processor_.threads());
  }
  if (!planned) return entry.refuse(planned.error().text);
  if (row.point.cold && (on_host || !processor_.on_gpu() || planned->transfers() || planned->spread()))
    return entry.refuse("cold caches need a GPU, and a plan that stays on it and in one stream");
  row.transfers = planned->transfers();
  const Cost cost = cost_of(*planned);
  row.compulsory_bytes = cost.compulsory_bytes;
  row.transfer_bytes = cost.transfer_bytes;
  row.multiply_adds = is_copy(row.point.lane.variant) ? 0 : cost.multiply_adds;
  const bool a_level_apart = peer && peer->a_level_apart && is_8_bit(settings.format);
  entry.tolerance = a_level_apart ? a_level : tolerance_of(variant, settings);
  row.less_exact = a_level_apart || is_less_exact(variant, settings);
  entry.plan = std::make_shared<const LaunchPlan>(std::move(*planned));
}

const HostImage& BenchEngine::source_of(const BenchPoint& point) {
  if (!source_point_ || source_point_->image != point.image || source_point_->lane.format != point.lane.format) {
    source_ = noise_image(point.image, point.lane.format);
    source_point_ = point;
  }
  return source_;
}

const Reference& BenchEngine::reference_of(const BenchPoint& point) {
  if (!reference_point_ || reference_point_->image != point.image ||
      reference_point_->lane.format != point.lane.format || reference_point_->filter != point.filter ||
      reference_point_->border != point.border) {
    const Size2 taps = taps_of(point.filter)->size;
    ReferenceWork work{.pool = &pool_, .stop = stop_};
    if (point.filter.kind != FilterKind::edges)  // its stages need each other's rows
      work.rows = checked_rows(target_size(point.image, {taps.width / 2, taps.height / 2}, point.border), taps,
                               info(point.lane.format).channels, point.lane.block.height, pool_.threads());
    reference_ = conv::reference_of(source_of(point), point.filter, point.border, 0, work);
    reference_point_ = stop_.stop_requested() ? std::nullopt : std::optional(point);
  }
  return reference_;
}

void BenchEngine::check(BenchEntry& entry) {
  if (is_copy(entry.row.point.lane.variant)) {
    const bool same = entry.result.bytes == source_of(entry.row.point).bytes;
    entry.row.checked_share = 1;
    entry.row.state = same ? RowState::measured : RowState::wrong;
    if (!same) entry.refuse_time("not the image");
    return;
  }
  const Reference& reference = reference_of(entry.row.point);
  const bool with_alpha = !entry.peer || !entry.peer->filters_alpha;
  const Verdict verdict = compare(entry.result, reference, entry.tolerance, with_alpha);
  BenchRow& row = entry.row;
  row.max_error = verdict.max_error;
  row.checked_share = reference.rows.empty()
                          ? 1
                          : static_cast<double>(reference.rows.size()) / static_cast<double>(reference.size.height);
  row.state = verdict.pass ? RowState::measured : RowState::wrong;
  if (verdict.pass) return;
  entry.refuse_time(fmt::format("wrong by {:.2g} at ({}, {})", verdict.max_error, verdict.where.x, verdict.where.y));
}

void BenchEngine::measure_on_cpu(const std::vector<BenchEntry*>& entries, const std::stop_token& stop) {
  for (int round = -1; round < protocol_.rounds; ++round)  // the first round is a warm-up
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (stop.stop_requested()) return;
      BenchEntry& entry = *entries[in_turn(round, i, entries.size())];
      std::vector<float>& ms = entry.row.ms;
      const float spent = std::accumulate(ms.begin(), ms.end(), 0.0f);
      if (!entry.plan || (round >= protocol_.host_rounds && spent > protocol_.host_budget_ms)) continue;
      const auto spans = processor_.run(*entry.plan, source_of(entry.row.point), entry.result);
      if (!spans)
        entry.refuse(spans.error().text);
      else if (round < 0)
        entry.row.other.first_ms = total_ms(*spans);
      else
        ms.push_back(total_ms(*spans));
    }
}

Result<void> BenchEngine::measure_on_gpu(const std::vector<BenchEntry*>& entries, const std::stop_token& stop) {
  const auto source = [this](const BenchPoint& point) -> const HostImage& { return source_of(point); };
  const bool cool =
      CONV_TRY(gpu_bench(*processor_.gpu())->measure(entries, {protocol_, copies_, cools_down_, source, tell_, stop}));
  cools_down_ = cools_down_ && cool;  // if waiting did not help once, it is not repeated
  return {};
}

Result<Ceilings> BenchEngine::ceilings() {
  if (!processor_.on_gpu()) return failure("The roofline needs a GPU, and none was found.");
  Result<Ceilings> found = gpu_bench(*processor_.gpu())->ceilings();
  if (found) {
    found->processor = processor_.name();
    found->date = now_utc();
  }
  return found;
}

Result<std::vector<BenchRow>> BenchEngine::measure(const BenchGroup& group, const std::stop_token& stop) {
  stop_ = stop;
  std::vector<BenchEntry> entries(group.size());
  std::vector<BenchEntry*> on_gpu, on_cpu;
  for (std::size_t i = 0; i < group.size(); ++i) {
    entries[i].row.point = group[i];
    plan(entries[i]);
    if (entries[i].plan) (processor_.on_gpu() && !entries[i].plan->on_host() ? on_gpu : on_cpu).push_back(&entries[i]);
  }
  measure_on_cpu(on_cpu, stop);
  if (!on_gpu.empty()) CONV_TRY(measure_on_gpu(on_gpu, stop));
  std::vector<BenchRow> rows;
  for (BenchEntry& entry : entries) {
    if (stop.stop_requested()) return std::vector<BenchRow>{};
    if (entry.plan) check(entry);
    if (stop.stop_requested()) return std::vector<BenchRow>{};  // the reference may be incomplete
    rows.push_back(std::move(entry.row));
  }
  compare_with_baselines(rows);
  return rows;
}

Result<void> run_job(BenchEngine& engine, const BenchJob& job, const std::function<bool(const std::string& key)>& done,
                     const std::function<Result<void>(const BenchRow&)>& on_row, const std::stop_token& stop) {
  engine.with_copies(job.copies);
  for (const BenchGroup& group : job.groups) {
    if (stop.stop_requested()) return {};
    if (std::all_of(group.begin(), group.end(), [&](const BenchPoint& point) { return done(key_of(point)); })) continue;
    std::vector<BenchRow> rows = CONV_TRY(engine.measure(group, stop));
    for (BenchRow& row : rows) {
      row.preset = job.id;
      if (done(key_of(row.point))) continue;
      CONV_TRY(on_row(row));
    }
  }
  return {};
}

}  // namespace conv
