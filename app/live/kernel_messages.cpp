#include "app/live/kernel_messages.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <set>

#include "app/live/message_bytes.h"
#include "kernels/core/embedded_file.h"

namespace conv {

std::span<const EmbeddedFile> embedded_twins();

namespace {

constexpr std::size_t mb = std::size_t{1} << 20;

// The name that lasts: of a kernel file or of a header that kernels include.
const char* lasting_name(std::string_view said) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const auto& files : {embedded_kernels(), embedded_twins()})
      for (const EmbeddedFile& file : files) all.emplace(file.path);
    return all;
  }();
  const auto name = std::ranges::find_if(names, [&](const std::string& n) { return said.ends_with(n); });
  return name == names.end() ? "another file" : name->c_str();
}

}  // namespace

static void fields(MessageWriter& m, conv_cpu::CallSite& site) {
  std::string_view file = site.file;
  m(file, site.line);
}

static void fields(MessageReader& m, conv_cpu::CallSite& site) {
  std::string_view file;
  m(file, site.line);
  site.file = lasting_name(file);
}

template <class M>
static void fields(M& m, TapsTable& table) {
  m(table.values, table.radius);
}

template <class M>
static void fields(M& m, KernelQuestion& question) {
  LaunchPlan& plan = question.plan;
  KernelStep& step = question.step;
  m(question.request, question.instance, question.constant_taps, question.options, plan.format, plan.source, plan.image,
    plan.target_format, plan.scratch, plan.tables, step.reads, step.writes, step.rows, step.also_reads, step.origin,
    step.taps, step.border, step.outside, step.offset, step.grid, step.block, step.tile, step.apron, step.shared_bytes,
    step.through_texture, step.results, step.alignment_px, step.range, question.block, question.thread, question.reads,
    question.also_reads, question.writes);
}

template <class M>
static void fields(M& m, RunAnswer& answer) {
  m(answer.ms, answer.writes);
}

template <class M>
static void fields(M& m, BlockPhase& phase) {
  m(phase.kind, phase.wave, phase.epoch, phase.active, phase.cell, phase.count);
}

template <class M>
static void fields(M& m, BlockRecording& r) {
  m(r.block, r.phases, r.written, r.threads, r.source_reads, r.tap_reads, r.shared_reads, r.shared_writes,
    r.target_writes, r.shared_bytes);
}

template <class M>
static void fields(M& m, AccessSite& site) {
  m(site.line, site.space, site.access, site.way, site.bytes, site.loop_line, site.bodies);
}

template <class M>
static void fields(M& m, WarpRequest& r) {
  m(r.warp, r.site, r.epoch, r.address, r.bytes);
}

template <class M>
static void fields(M& m, WarpRecording& r) {
  m(r.block, r.threads, r.taps_in_global_memory, r.reads_global_taps, r.sites, r.requests, r.loop_runs, r.shuffles,
    r.matrix_products, r.complete);
}

template <class M>
static void fields(M& m, ThreadStep& step) {
  m(step.line, step.space, step.access, step.way, step.epoch, step.tap, step.asked, step.pixel, step.part, step.image,
    step.first_byte, step.bytes, step.holds);
}

template <class M>
static void fields(M& m, ThreadRecording& r) {
  m(r.block, r.thread, r.steps, r.complete);
}

KernelQuestion question_about(const LaunchPlan& plan, const KernelStep& step, KernelRequest request) {
  KernelQuestion question{.request = request,
                          .instance = step.kernel.general.text(),
                          .constant_taps = !step.kernel.constant_symbol.empty(),
                          .options = step.kernel.options,
                          .plan = plan,
                          .step = step};
  question.plan.steps.clear();
  question.step.kernel = {};
  return question;
}

std::string to_message(KernelQuestion& question) {
  MessageWriter writer;
  writer(question);
  return writer.take();
}

std::optional<KernelQuestion> question_in(std::string_view message) {
  KernelQuestion question;
  MessageReader reader(message);
  reader(question);
  return reader.fits() ? std::optional(std::move(question)) : std::nullopt;
}

std::string failed_answer(std::string why) {
  MessageWriter writer;
  bool is_there = false;
  writer(is_there, why);
  return writer.take();
}

template <class Answer>
static std::string answer_with(Answer& answer) {
  MessageWriter writer;
  bool is_there = true;
  writer(is_there, answer);
  return writer.take();
}

std::string to_answer(RunAnswer answer) {
  return answer_with(answer);
}

std::string to_answer(BlockRecording recording) {
  return answer_with(recording);
}

std::string to_answer(WarpRecording recording) {
  return answer_with(recording);
}

std::string to_answer(ThreadRecording recording) {
  return answer_with(recording);
}

namespace {

// The answer, or why there is none.
template <class Answer>
Result<Answer> read_answer(std::string_view message) {
  MessageReader reader(message);
  bool is_there = false;
  reader(is_there);
  if (is_there) {
    Answer answer;
    reader(answer);
    return reader.fits() ? Result<Answer>(std::move(answer)) : failure("its answer does not fit the question");
  }
  std::string why;
  reader(why);
  constexpr std::size_t most = 4096;
  return failure(why.empty() ? "its answer has no text" : why.substr(0, most));
}

Result<void> require(bool fits) {
  return fits ? Result<void>{} : failure("its recording could not come from this step");
}

bool is_within(long long value, long long first, long long last) {
  return value >= first && value <= last;
}

bool are_counts(std::initializer_list<long long> values) {
  return std::ranges::all_of(values, [](long long value) { return is_within(value, 0, 1ll << 40); });
}

bool is_place(const conv_cpu::CallSite& line, conv_cpu::Space space, conv_cpu::Access access, conv_cpu::Way way) {
  using namespace conv_cpu;
  return line.line >= 0 && (space == Space::global || space == Space::shared || space == Space::taps) &&
         (access == Access::read || access == Access::write) && way <= Way::arrival;
}

constexpr int most_epochs = 4096, most_lines = 4096;

// Of the image that the step writes.
std::size_t target_bytes(const LaunchPlan& plan, const KernelStep& step) {
  return static_cast<std::size_t>(plan.size_of(step.writes).area()) * info(plan.type_of(step.writes)).bytes;
}

// More than any row of an image has, in bytes.
long long most_row_bytes(const LaunchPlan& plan, const KernelStep& step) {
  const auto bytes = [&](ImageRef image) {
    return (plan.size_of(image).width + 64ll) * static_cast<long long>(info(plan.type_of(image)).bytes);
  };
  return std::max(bytes(step.reads), bytes(step.writes));
}

bool fits(const BlockPhase& phase, std::size_t threads) {
  return phase.kind <= PhaseKind::store && is_within(phase.wave, 0, 1 << 20) &&
         is_within(phase.epoch, 0, most_epochs) && phase.active.size() == threads && phase.cell.size() == threads &&
         is_within(phase.count, 0, static_cast<long long>(threads)) &&
         std::ranges::all_of(phase.cell, [](int cell) { return cell >= -1; });
}

bool fits(const WarpRequest& request, const WarpRecording& recording, long long row_bytes) {
  if (!is_within(request.site, 0, static_cast<long long>(recording.sites.size()) - 1)) return false;
  // Only the copy engine takes more than a few bytes at once.
  const long long most_bytes = recording.sites[request.site].way == conv_cpu::Way::bulk_copy ? row_bytes : 64;
  for (int lane = 0; lane < WarpRequest::lanes; ++lane)
    if (!is_within(request.address[lane], -1, 1ll << 40) ||
        !is_within(request.bytes[lane], request.address[lane] >= 0, most_bytes))
      return false;
  return is_within(request.warp, 0, recording.warps() - 1) && is_within(request.epoch, 0, WarpRecording::most_requests);
}

bool fits(const ThreadStep& at, const LaunchPlan& plan, const KernelStep& step) {
  const auto is_near = [](Point2 p) {
    return is_within(p.x, -(1 << 24), 1 << 24) && is_within(p.y, -(1 << 24), 1 << 24);
  };
  const conv_cpu::PixelPart& part = at.part;
  if (!is_place(at.line, at.space, at.access, at.way) || !is_within(at.epoch, 0, INT_MAX) || !is_near(at.asked) ||
      (at.holds && !is_near(*at.holds)) || !is_within(at.first_byte, 0, 1 << 24) || !is_within(at.bytes, 0, 1 << 24))
    return false;
  if (at.tap && !is_within(*at.tap, 0, static_cast<long long>(plan.tables[step.taps].values.size()) - 1)) return false;
  if (at.space != conv_cpu::Space::global && !at.pixel) return true;
  const bool is_whole = is_within(part.planes, 1, 4) && is_within(part.pixel_bytes, 1, 64) &&
                        part.pixel_bytes % part.planes == 0 && is_within(part.bytes, 1, 64) &&
                        is_within(part.first, 0, 64);
  return is_whole && is_within(at.image.width, 1, 1 << 24) && is_within(at.image.height, 1, 1 << 24) &&
         (!at.pixel || is_near(*at.pixel));
}

}  // namespace

Result<RunAnswer> run_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step) {
  const RunAnswer answer = CONV_TRY(read_answer<RunAnswer>(message));
  if (answer.writes.size() != target_bytes(plan, step) || !std::isfinite(answer.ms) || answer.ms < 0)
    return failure("its answer does not fit the question");
  return answer;
}

Result<BlockRecording> block_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                    Point2 block) {
  BlockRecording recording = CONV_TRY(read_answer<BlockRecording>(message));
  const auto threads = static_cast<std::size_t>(step.block.area());
  const Size2 target = plan.size_of(step.writes);
  const auto is_pixel = [&](Point2 p) {
    return is_within(p.x, 0, target.width - 1) && is_within(p.y, 0, target.height - 1);
  };
  CONV_TRY(require(recording.block == block &&
                   std::ranges::all_of(recording.phases, [&](const BlockPhase& p) { return fits(p, threads); })));
  CONV_TRY(require(recording.written.size() == threads &&
                   std::ranges::all_of(recording.written,
                                       [&](const auto& pixels) { return std::ranges::all_of(pixels, is_pixel); })));
  CONV_TRY(require(are_counts({recording.source_reads, recording.tap_reads, recording.shared_reads,
                               recording.shared_writes, recording.target_writes, recording.shared_bytes,
                               recording.threads.writing, recording.threads.loading_only, recording.threads.idle})));
  return recording;
}

Result<WarpRecording> warp_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                  Point2 block) {
  WarpRecording recording = CONV_TRY(read_answer<WarpRecording>(message));
  CONV_TRY(require(recording.block == block && recording.threads == step.block &&
                   recording.requests.size() <= WarpRecording::most_requests && recording.sites.size() <= most_lines &&
                   recording.loop_runs.size() <= most_lines));
  const long long row_bytes = most_row_bytes(plan, step);
  for (const AccessSite& site : recording.sites)
    CONV_TRY(require(is_place(site.line, site.space, site.access, site.way) && is_within(site.bytes, 0, row_bytes) &&
                     are_counts({site.loop_line, site.bodies})));
  for (const WarpRequest& request : recording.requests) CONV_TRY(require(fits(request, recording, row_bytes)));
  CONV_TRY(require(std::ranges::is_sorted(recording.requests, {}, &WarpRequest::warp)));
  for (const auto& [line, runs] : recording.loop_runs) CONV_TRY(require(are_counts({line, runs})));
  CONV_TRY(require(are_counts({recording.shuffles, recording.matrix_products})));
  return recording;
}

Result<ThreadRecording> thread_answer(std::string_view message, const LaunchPlan& plan, const KernelStep& step,
                                      Point2 block, Point2 thread) {
  ThreadRecording recording = CONV_TRY(read_answer<ThreadRecording>(message));
  CONV_TRY(require(recording.block == block && recording.thread == thread &&
                   recording.steps.size() <= ThreadRecording::most_steps));
  for (const ThreadStep& at : recording.steps) CONV_TRY(require(fits(at, plan, step)));
  return recording;
}

std::size_t most_answer_bytes(const LaunchPlan& plan, const KernelStep& step) {
  return target_bytes(plan, step) + 512 * mb;
}

}  // namespace conv
