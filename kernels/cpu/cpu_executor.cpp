#include "kernels/cpu/cpu_executor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

#include "kernels/core/rows.h"

namespace conv {

namespace {

// The scratch images of one run, and the buffer of each ImageRef.
class Images {
 public:
  Images(const LaunchPlan& plan, const HostImage& source, HostImage& target) : source_(source), target_(target) {
    for (const ScratchImage& image : plan.scratch) scratch_.emplace_back(image.type, image.size);
    if (plan.transfers()) device_target_.emplace(plan.format, plan.image);
  }
  PixelBuffer operator()(ImageRef ref) const {
    switch (ref.role) {
      case ImageRole::source:
      case ImageRole::host_source: return source_.buffer();
      case ImageRole::target: return device_target_ ? device_target_->buffer() : target_.buffer();
      case ImageRole::host_target: return target_.buffer();
      case ImageRole::scratch: break;
    }
    return scratch_[ref.index].buffer();
  }

 private:
  const HostImage& source_;
  HostImage& target_;
  std::optional<HostImage> device_target_;
  std::vector<HostImage> scratch_;
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

conv_cpu::BlockLaunch launch_of(const KernelStep& step, const LaunchPlan& plan, const Images& images, bool traced) {
  return {.kernel = traced ? step.kernel.cpu.traced : step.kernel.cpu.plain,
          .args = args_of(step, plan, images, plan.tables[step.taps].values.data()),
          .grid = step.grid,
          .block = step.block,
          .shared_bytes = step.shared_bytes,
          .warp_size = cpu_limits().warp_size};
}

}  // namespace

// Runs one step of any kind on the executor's cores.
class StepRunner {
 public:
  StepRunner(CpuExecutor& executor, const LaunchPlan& plan, const Images& images, std::stop_token stop)
      : executor_(executor), plan_(plan), images_(images), stop_(std::move(stop)) {}

  void operator()(const KernelStep& step) const {
    const auto constant = fill_constant(step.kernel.cpu_constant, plan_);
    const conv_cpu::BlockLaunch launch = launch_of(step, plan_, images_, false);
    executor_.pool_.for_each(static_cast<int>(step.grid.area()), [&](int i) {
      if (!stop_.stop_requested())
        runner_of_this_thread().run(launch, {i % step.grid.width, i / step.grid.width}, nullptr);
    });
  }

  void operator()(const HostStep& step) const {
    const ConvArgs args = args_of(step, plan_, images_, plan_.tables[step.taps].values.data());
    const int height = plan_.size_of(step.writes).height;
    // Strips are long enough that converting extra rows at their ends does not matter, and short enough to share out
    // and to stop soon.
    const int rows = step.one_core ? height : std::clamp(height / (8 * executor_.threads()), 8, 32);
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

  void operator()(const FftStep& step) const { executor_.fft_(step, images_(step.reads), images_(step.writes)); }
  void operator()(const NppStep&) const { std::unreachable(); }  // the limits refuse such plans

 private:
  CpuExecutor& executor_;
  const LaunchPlan& plan_;
  const Images& images_;
  std::stop_token stop_;
};

Result<std::vector<StepSpan>> CpuExecutor::run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                               std::stop_token stop) {
  using Clock = std::chrono::steady_clock;
  const Images images(plan, source, target);
  const StepRunner run_step(*this, plan, images, stop);
  for (const Step& step : plan.once) std::visit(run_step, step);
  std::vector<StepSpan> spans;
  const Clock::time_point start = Clock::now();
  const auto now_ms = [&] { return std::chrono::duration<float, std::milli>(Clock::now() - start).count(); };
  for (const Step& step : plan.steps) {
    const float begin_ms = spans.empty() ? 0 : spans.back().end_ms;
    std::visit(run_step, step);
    spans.push_back({begin_ms, now_ms()});
    if (stop.stop_requested()) return failure("stopped");
  }
  return spans;
}

std::vector<AccessCounts> CpuExecutor::trace(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  const Images images(plan, source, target);
  const StepRunner run_step(*this, plan, images, {});
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
    const conv_cpu::BlockLaunch launch = launch_of(*kernel, plan, images, true);
    const PixelTypeInfo& type = info(plan.type_of(kernel->reads));
    const int pixel_bytes = is_planar(type.type) ? type.bytes / type.channels : type.bytes;  // channels staged together
    Recorder recorder(*kernel, plan.written_by(*kernel), launch.warp_size, pixel_bytes % 4 == 0 ? 4 : 1);
    for (int y = 0; y < kernel->grid.height; ++y)
      for (int x = 0; x < kernel->grid.width; ++x) runner_of_this_thread().run(launch, {x, y}, &recorder);
    counts.push_back(recorder.finished());
  }
  return counts;
}

BlockRecording CpuExecutor::record(const LaunchPlan& plan, const KernelStep& step, Point2 block) {
  const HostImage source(plan.format, plan.source);
  HostImage target(plan.type_of({ImageRole::target}), plan.image);
  const Images images(plan, source, target);
  const auto constant = fill_constant(step.kernel.cpu_traced_constant, plan);
  BlockRecorder recorder(step);
  runner_of_this_thread().run(launch_of(step, plan, images, true), block, &recorder);
  return recorder.finished();
}

DeviceLimits cpu_limits() {
  return {};
}

}  // namespace conv
