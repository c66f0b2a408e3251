#include "kernels/cpu/cpu_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <mutex>

#include "kernels/core/rows.h"
#include "kernels/cpu/fft.h"
#include "kernels/cpu/guarded_memory.h"
#include "kernels/cpu/kernel_guard.h"

namespace conv {

namespace {

// An image of zeros. guard_rows: accesses up to this many rows before and behind it are stopped.
class GuardedImage {
 public:
  GuardedImage(PixelType type, Size2 size, std::size_t guard_rows)
      : size_(size),
        memory_(static_cast<std::size_t>(size.area()) * info(type).bytes, guard_rows * size.width * info(type).bytes) {
    // Also so that the first access is not timed: the system finds pages for it then.
    std::memset(memory_.data(), 0, memory_.size());
  }
  PixelBuffer buffer() const { return {memory_.data(), size_.width, size_.height, size_.width, size_.height}; }
  const conv_cpu::GuardedMemory& memory() const { return memory_; }

 private:
  Size2 size_;
  conv_cpu::GuardedMemory memory_;
};

bool has_kernels(const LaunchPlan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) { return std::holds_alternative<KernelStep>(step); });
}

constexpr std::size_t guard_rows_of_kernels = 32;  // more than a block is likely to write too much

// The memory of each image.
using Buffers = std::function<PixelBuffer(ImageRef)>;

std::span<std::byte> bytes_of(const PixelBuffer& buffer, PixelType type) {
  const Size2 size{buffer.width, buffer.height};
  return {static_cast<std::byte*>(buffer.data), static_cast<std::size_t>(size.area()) * info(type).bytes};
}

float ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// The images of one run: the buffer of each ImageRef.
class Images {
 public:
  Images(const LaunchPlan& plan, const HostImage& source, HostImage& target)
      : source_(source), target_(target), transfers_(plan.transfers()) {
    const bool guarded = has_kernels(plan);
    const std::size_t guard_rows = guarded ? guard_rows_of_kernels : 0;
    for (const ScratchImage& image : plan.scratch) scratch_.emplace_back(image.type, image.size, guard_rows);
    if (guarded) written_.emplace(plan.type_of({ImageRole::target}), plan.image, guard_rows);
  }
  PixelBuffer operator()(ImageRef ref) const {
    switch (ref.role) {
      case ImageRole::source:
      case ImageRole::host_source: return source_.buffer();
      case ImageRole::target: return written_ ? written_->buffer() : target_.buffer();
      case ImageRole::host_target: return target_.buffer();
      case ImageRole::scratch: break;
    }
    return scratch_[ref.index].buffer();
  }
  // Copies what the kernels wrote into the target. Plans that end in host memory do so by a step.
  void finish() const {
    if (written_ && !transfers_) std::memcpy(target_.bytes.data(), written_->memory().data(), target_.bytes.size());
  }

 private:
  const HostImage& source_;
  HostImage& target_;
  const bool transfers_;
  std::optional<GuardedImage> written_;
  std::vector<GuardedImage> scratch_;
};

conv_cpu::BlockRunner& runner_of_this_thread() {
  thread_local conv_cpu::BlockRunner runner;
  return runner;
}

// Constant memory is one array per kernel file: hold this mutex while using it.
std::mutex constant_memory;

std::unique_lock<std::mutex> fill_constant(float* array, const LaunchPlan& plan) {
  if (!array) return {};
  std::unique_lock lock(constant_memory);
  const std::vector<float> values = plan.constants();
  std::copy(values.begin(), values.end(), array);
  return lock;
}

// The time that a block may take, from what it computes: some ten times the time of the slowest variants. recorded:
// while every access is recorded.
double longest_s(const KernelStep& step, const LaunchPlan& plan, bool recorded) {
  const double products = static_cast<double>(step.tile.area()) *
                          static_cast<double>(plan.tables[step.taps].values.size()) *
                          info(plan.type_of(step.writes)).channels;
  return conv_cpu::endless_after_s + products * (recorded ? 20e-6 : 200e-9);
}

conv_cpu::BlockLaunch launch_of(const KernelStep& step, const LaunchPlan& plan, const Buffers& images, bool traced,
                                bool recorded) {
  return {.kernel = traced ? step.kernel.cpu.traced : step.kernel.cpu.plain,
          .args = args_of(step, plan, images, plan.tables[step.taps].values.data()),
          .grid = step.grid,
          .block = step.block,
          .shared_bytes = step.shared_bytes,
          .warp_size = cpu_limits().warp_size,
          .taps = static_cast<int>(plan.tables[step.taps].values.size()),
          .barriers_s = longest_s(step, plan, recorded)};
}

// The first fault of a traced block.
class FirstFault : public conv_cpu::AccessSink {
 public:
  void begin_block(const conv_cpu::ThreadIndex&) override {}
  void access(const MemoryAccess& a) override { last_ = a.site; }
  void fault(conv_cpu::AccessFault fault) override {
    if (text_.empty()) text_ = std::move(fault.text);
  }
  const std::string& text() const { return text_; }
  conv_cpu::CallSite last() const { return last_; }  // where memory was accessed last

 private:
  std::string text_;
  conv_cpu::CallSite last_{"", 0};
};

}  // namespace

// Runs one step of any kind on the executor's cores.
class StepRunner {
 public:
  StepRunner(CpuExecutor& executor, const LaunchPlan& plan, Buffers images, std::stop_token stop)
      : executor_(executor), plan_(plan), images_(std::move(images)), stop_(std::move(stop)) {}

  void operator()(const KernelStep& step) const {
    if (step.kernel.remote) return run_remote(step);
    auto constant = fill_constant(step.kernel.cpu_constant, plan_);
    const conv_cpu::BlockLaunch launch = launch_of(step, plan_, images_, false, false);
    std::mutex mutex;
    std::optional<std::pair<Point2, std::string>> fault;
    std::atomic<bool> failed = false;
    executor_.pool_.for_each(static_cast<int>(step.grid.area()), [&](int i) {
      if (stop_.stop_requested() || failed) return;
      const Point2 block{i % step.grid.width, i / step.grid.width};
      const auto ran = runner_of_this_thread().run(launch, block, nullptr);
      if (ran) return;
      failed = true;
      const std::lock_guard lock(mutex);
      if (!fault) fault.emplace(block, ran.error().text);
    });
    if (constant) constant.unlock();
    if (fault) fault_ = located(step, fault->first, std::move(fault->second));
  }

  void operator()(const HostStep& step) const {
    const ConvArgs args = args_of(step, plan_, images_, plan_.tables[step.taps].values.data());
    const int height = plan_.size_of(step.writes).height;
    // A strip converts as many extra rows as its window is high. So it has at least twice as many of its own, as long
    // as there is a strip for each thread; and it is short enough to share out, and to stop soon.
    const int threads = executor_.threads(), window = 2 * args.radius_y;
    const int least = std::max(8, std::min(2 * window, height / threads));
    const int rows = step.one_core ? height : std::clamp(height / (4 * threads), least, std::max(32, 2 * window));
    executor_.pool_.for_each(ceil_div(height, rows), [&](int i) {
      if (!stop_.stop_requested())
        step.run(args, plan_.type_of(step.reads), plan_.type_of(step.writes), i * rows,
                 std::min(height, (i + 1) * rows));
    });
  }

  void operator()(const CopyStep& step) const {
    const PixelType type = plan_.type_of(step.reads);
    const PixelBuffer from = images_(step.reads), to = images_(step.writes);
    for (int plane = 0; plane < planes_of(type); ++plane)
      for (int y = 0; y < step.rows->count; ++y)
        std::memcpy(row_of(to, type, plane, step.rows->first + y), row_of(from, type, plane, step.from_row + y),
                    static_cast<std::size_t>(from.width) * plane_pixel_bytes(type));
  }

  void operator()(const FftStep& step) const {
    transform_planes(step, images_(step.reads), images_(step.writes), executor_.pool_, stop_);
  }
  void operator()(const NppStep&) const { std::unreachable(); }  // the limits refuse such plans

  // Why a kernel had to be stopped; empty: none was.
  const std::string& fault() const { return fault_; }
  // The time that images took to and from other processes, which is not the kernels'.
  float transfers_ms() const { return transfers_ms_; }

 private:
  void run_remote(const KernelStep& step) const {
    const auto bytes = [&](ImageRef image) { return bytes_of(images_(image), plan_.type_of(image)); };
    const auto start = std::chrono::steady_clock::now();
    const auto ms =
        step.kernel.remote->run(plan_, step,
                                {.reads = bytes(step.reads),
                                 .also_reads = step.also_reads ? bytes(*step.also_reads) : std::span<std::byte>{},
                                 .writes = bytes(step.writes)},
                                stop_);
    if (ms)
      transfers_ms_ += std::max(0.0f, ms_since(start) - *ms);
    else
      fault_ = ms.error().text;
  }

  // The same block again, traced, to find the line. The traced twin leaves out what it must not access.
  std::string located(const KernelStep& step, Point2 block, std::string fault) const {
    const auto constant = fill_constant(step.kernel.cpu_traced_constant, plan_);
    FirstFault first;
    const auto ran = runner_of_this_thread().run(launch_of(step, plan_, images_, true, false), block, &first);
    if (ran && !first.text().empty()) return first.text();
    std::string text = fmt::format("{}: {}", step.kernel.file, ran ? std::move(fault) : ran.error().text);
    if (first.last().line > 0) text += fmt::format(" (last access: {})", to_text(first.last()));
    return first.text().empty() ? text : fmt::format("{}; before that, {}", text, first.text());
  }

  CpuExecutor& executor_;
  const LaunchPlan& plan_;
  Buffers images_;
  std::stop_token stop_;
  mutable std::string fault_;
  mutable float transfers_ms_ = 0;
};

Result<std::vector<StepSpan>> CpuExecutor::run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                               std::stop_token stop) {
  const Images images(plan, source, target);
  const StepRunner run_step(*this, plan, std::ref(images), stop);
  for (const Step& step : plan.once) {
    std::visit(run_step, step);
    if (!run_step.fault().empty()) return failure(run_step.fault());
  }
  std::vector<StepSpan> spans;
  const auto start = std::chrono::steady_clock::now();
  const float before_ms = run_step.transfers_ms();
  for (const Step& step : plan.steps) {
    const float begin_ms = spans.empty() ? 0 : spans.back().end_ms;
    std::visit(run_step, step);
    spans.push_back({begin_ms, ms_since(start) - (run_step.transfers_ms() - before_ms)});
    if (!run_step.fault().empty()) return failure(run_step.fault());
    if (stop.stop_requested()) return failure("stopped");
  }
  images.finish();
  return spans;
}

Result<float> CpuExecutor::run_step(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                                    std::stop_token stop) {
  const GuardedImage written(plan.type_of(step.writes), plan.size_of(step.writes), guard_rows_of_kernels);
  const std::span<std::byte> result = bytes_of(written.buffer(), plan.type_of(step.writes));
  if (step.rows) std::ranges::copy(images.writes, result.begin());  // the other rows stay
  const auto buffer = [&](ImageRef image) {
    if (image == step.writes) return written.buffer();
    const std::span<const std::byte> bytes = image == step.reads ? images.reads : images.also_reads;
    const Size2 size = plan.size_of(image);
    return PixelBuffer{const_cast<std::byte*>(bytes.data()), size.width, size.height, size.width, size.height};
  };
  const StepRunner run_one(*this, plan, buffer, stop);
  const auto start = std::chrono::steady_clock::now();
  run_one(step);
  const float ms = ms_since(start);
  if (!run_one.fault().empty()) return failure(run_one.fault());
  if (stop.stop_requested()) return failure("stopped");
  std::ranges::copy(result, images.writes.begin());
  return ms;
}

std::vector<AccessCounts> CpuExecutor::trace(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  const Images images(plan, source, target);
  const StepRunner run_step(*this, plan, std::ref(images), {});
  for (const Step& step : plan.once) std::visit(run_step, step);
  std::vector<AccessCounts> counts;
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel) {
      std::visit(run_step, step);
      counts.emplace_back();
      continue;
    }
    const auto constant = fill_constant(kernel->kernel.cpu_traced_constant, plan);
    const conv_cpu::BlockLaunch launch = launch_of(*kernel, plan, std::ref(images), true, true);
    const PixelTypeInfo& type = info(plan.type_of(kernel->reads));
    const int pixel_bytes = is_planar(type.type) ? type.bytes / type.channels : type.bytes;  // channels staged together
    Recorder recorder(*kernel, plan.written_by(*kernel), launch.warp_size, pixel_bytes % 4 == 0 ? 4 : 1);
    for (int y = 0; y < kernel->grid.height; ++y)
      for (int x = 0; x < kernel->grid.width; ++x)
        if (const auto ran = runner_of_this_thread().run(launch, {x, y}, &recorder); !ran)
          recorder.fault({ran.error().kind, fmt::format("{}: {}", kernel->kernel.file, ran.error().text)});
    counts.push_back(recorder.finished());
  }
  images.finish();
  return counts;
}

// One block on images of zeros. A block that had to be stopped is recorded up to there.
template <class BlockSink>
static auto recorded(const LaunchPlan& plan, const KernelStep& step, Point2 block, BlockSink sink) {
  const HostImage source(plan.format, plan.source);
  HostImage target(plan.type_of({ImageRole::target}), plan.image);
  const Images images(plan, source, target);
  const auto constant = fill_constant(step.kernel.cpu_traced_constant, plan);
  static_cast<void>(runner_of_this_thread().run(launch_of(step, plan, std::ref(images), true, true), block, &sink));
  return sink.finished();
}

BlockRecording CpuExecutor::record(const LaunchPlan& plan, const KernelStep& step, Point2 block) {
  if (step.kernel.remote) return step.kernel.remote->record(plan, step, block);
  return recorded(plan, step, block, BlockRecorder(step));
}

WarpRecording CpuExecutor::record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block) {
  if (step.kernel.remote) return step.kernel.remote->record_warps(plan, step, block);
  return recorded(plan, step, block, WarpRecorder(step));
}

ThreadRecording CpuExecutor::record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block,
                                           Point2 thread) {
  if (step.kernel.remote) return step.kernel.remote->record_thread(plan, step, block, thread);
  return recorded(plan, step, block, ThreadRecorder(step, thread));
}

DeviceLimits cpu_limits() {
  return {};
}

}  // namespace conv
