#include "kernels/cpu/cpu_executor.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace {

// The scratch images of one run and which buffer an ImageRef means.
class Images {
 public:
  Images(const LaunchPlan& plan, const HostImage& source, HostImage& target) : source_(source), target_(target) {
    for (const ScratchImage& image : plan.scratch) scratch_.emplace_back(image.type, image.size);
  }
  PixelBuffer operator()(ImageRef ref) const {
    switch (ref.role) {
      case ImageRole::source: return source_.buffer();
      case ImageRole::target: return target_.buffer();
      case ImageRole::scratch: break;
    }
    return scratch_[ref.index].buffer();
  }

 private:
  const HostImage& source_;
  HostImage& target_;
  std::vector<HostImage> scratch_;
};

conv_cpu::BlockRunner& runner_of_this_thread() {
  thread_local conv_cpu::BlockRunner runner;
  return runner;
}

// Constant memory is one array per kernel file: whoever uses it holds this.
std::mutex constant_memory;

std::unique_lock<std::mutex> fill_constant(float* array, const LaunchPlan& plan) {
  if (!array) return {};
  std::unique_lock lock(constant_memory);
  const std::vector<float> values = plan.constants();
  std::copy(values.begin(), values.end(), array);
  return lock;
}

conv_cpu::Launch launch_of(const KernelStep& step, const LaunchPlan& plan, const Images& images, bool traced) {
  return {.kernel = traced ? step.kernel.cpu.traced : step.kernel.cpu.plain,
          .args = args_of(step, plan, images, plan.tables[step.taps].values.data()),
          .grid = step.grid,
          .block = step.block,
          .shared_bytes = step.shared_bytes,
          .warp_size = cpu_limits().warp_size};
}

void run_step(const KernelStep& step, const LaunchPlan& plan, const Images& images, ThreadPool& pool,
              const std::stop_token& stop) {
  const auto constant = fill_constant(step.kernel.cpu_constant, plan);
  const conv_cpu::Launch launch = launch_of(step, plan, images, false);
  pool.for_each(static_cast<int>(step.grid.area()), [&](int i) {
    if (!stop.stop_requested())
      runner_of_this_thread().run(launch, {i % step.grid.width, i / step.grid.width}, nullptr);
  });
}

void run_step(const HostStep& step, const LaunchPlan& plan, const Images& images, ThreadPool& pool,
              const std::stop_token& stop) {
  const ConvArgs args = args_of(step, plan, images, plan.tables[step.taps].values.data());
  const int height = plan.size_of(step.writes).height;
  // Strips long enough to pay for the rows converted at their ends, short enough to share out and to stop soon.
  const int rows = step.one_core ? height : std::clamp(height / (8 * pool.threads()), 8, 32);
  pool.for_each(ceil_div(height, rows), [&](int i) {
    if (!stop.stop_requested())
      step.run(args, plan.type_of(step.reads), plan.type_of(step.writes), i * rows, std::min(height, (i + 1) * rows));
  });
}

}  // namespace

Result<std::vector<float>> CpuExecutor::run(const LaunchPlan& plan, const HostImage& source, HostImage& target,
                                            std::stop_token stop) {
  using Clock = std::chrono::steady_clock;
  const Images images(plan, source, target);
  std::vector<float> step_ms;
  for (const Step& step : plan.steps) {
    const Clock::time_point start = Clock::now();
    std::visit([&](const auto& s) { run_step(s, plan, images, pool_, stop); }, step);
    step_ms.push_back(std::chrono::duration<float, std::milli>(Clock::now() - start).count());
    if (stop.stop_requested()) return failure("stopped");
  }
  return step_ms;
}

std::vector<AccessCounts> CpuExecutor::trace(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  const Images images(plan, source, target);
  std::vector<AccessCounts> counts;
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel) {
      run_step(std::get<HostStep>(step), plan, images, pool_, {});
      continue;
    }
    const auto constant = fill_constant(kernel->kernel.cpu_traced_constant, plan);
    const conv_cpu::Launch launch = launch_of(*kernel, plan, images, true);
    const int pixel_bytes = info(plan.type_of(kernel->reads)).bytes;
    Recorder recorder(*kernel, plan.size_of(kernel->writes), launch.warp_size, pixel_bytes % 4 == 0 ? 4 : 1);
    for (int y = 0; y < kernel->grid.height; ++y)
      for (int x = 0; x < kernel->grid.width; ++x) runner_of_this_thread().run(launch, {x, y}, &recorder);
    counts.push_back(recorder.finished());
  }
  return counts;
}

DeviceLimits cpu_limits() {
  return {};
}
