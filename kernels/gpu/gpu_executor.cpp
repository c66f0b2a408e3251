#include "kernels/gpu/gpu_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/gpu/cuda_check.h"

namespace conv {

Result<std::unique_ptr<GpuExecutor>> GpuExecutor::create(KernelSources& sources, CubinCache cache,
                                                         const std::function<void(std::string)>& log) {
  DeviceInfo device = CONV_TRY(query_device());
  if (!why_no_nvrtc().empty()) return failure(fmt::format("{}: {}", device.name, why_no_nvrtc()));
  const std::vector<int> known = nvrtc_architectures();
  const int own = device.limits.compute_capability;
  if (own < known.front())
    return failure(fmt::format("{} is sm_{}, older than this NVRTC ({}) can compile for (sm_{}).", device.name, own,
                               nvrtc_version(), known.front()));
  std::string architecture = fmt::format("sm_{}", own);
  if (!std::binary_search(known.begin(), known.end(), own)) {
    const int nearest = *std::prev(std::upper_bound(known.begin(), known.end(), own));
    architecture = fmt::format("compute_{}", nearest);
    log(fmt::format("sm_{} is newer than this NVRTC ({}): using PTX for sm_{}.", own, nvrtc_version(), nearest));
  }
  std::unique_ptr<GpuExecutor> executor(new GpuExecutor);
  executor->device_ = std::move(device);
  CONV_TRY(executor->streams_.begin());
  executor->kernels_ = std::make_unique<KernelChooser>(
      std::make_unique<Compiler>(sources.texts(), std::move(cache), std::move(architecture)));
  return executor;
}

GpuExecutor::~GpuExecutor() = default;

Result<void> GpuExecutor::wake() {
  constexpr std::size_t bytes = 1 << 20;
  CONV_TRY(wake_buffer_.reserve(bytes));
  CONV_TRY_CUDA(cudaMemsetAsync(wake_buffer_.data(), 0, bytes, stream()));
  return {};
}

Result<void> GpuExecutor::join_clocks() {
  anchor_ = CONV_TRY(ClockAnchor::create(stream()));
  return {};
}

Result<void> GpuExecutor::replay(const Replay& replay) {
  CONV_TRY_CUDA(cudaGraphLaunch(replay.graph(), stream()));
  return {};
}

Result<double> GpuExecutor::link_rate() {
  constexpr std::size_t bytes = 64 << 20;
  HostBuffer host;
  DeviceBuffer device;
  CONV_TRY(host.reserve(bytes, true));
  CONV_TRY(device.reserve(bytes));
  std::memset(host.data(), 1, bytes);
  EventTimer timer;
  std::vector<float> times;
  const auto copy = [&] {
    return cuda_result(cudaMemcpyAsync(device.data(), host.data(), bytes, cudaMemcpyHostToDevice, stream()),
                       "cudaMemcpyAsync");
  };
  for (int i = 0; i < 10; ++i) {
    CONV_TRY(timer.around(stream(), copy));
    CONV_TRY_CUDA(cudaStreamSynchronize(stream()));
    const auto spans = CONV_TRY(timer.poll());
    if (i > 0 && spans) times.push_back(spans->front().ms());  // the first one is a warm-up
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return static_cast<double>(bytes) / (times[times.size() / 2] * 1e6);
}

Result<void> GpuExecutor::finish() {
  CONV_TRY_CUDA(cudaStreamSynchronize(stream()));
  return {};
}

Result<Enqueued> GpuExecutor::enqueue(CompilerClient client, const std::shared_ptr<const LaunchPlan>& plan,
                                      Workspace& workspace, const DeviceImage& source, DeviceImage& target,
                                      const std::shared_ptr<const HostImage>& host) {
  const KernelChooser::Choice choice = CONV_TRY(kernels_->choose(client, *plan));
  if (choice.what.running == Running::nothing) return choice.what;
  CONV_TRY(target.resize(plan->type_of({ImageRole::target}), plan->image));
  const Launch launch{plan, workspace, source, target, choice.kernels};
  CONV_TRY(launcher_.prepare(launch, host));
  CONV_TRY(launcher_.run(launch, anchor_));
  return choice.what;
}

Result<std::optional<Footprint>> GpuExecutor::footprint(const KernelStep& step) {
  const LoadedKernel* loaded = CONV_TRY(kernels_->exact(step));
  if (!loaded) return std::nullopt;
  const void* kernel = reinterpret_cast<const void*>(loaded->kernel);
  cudaFuncAttributes attributes{};
  CONV_TRY_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  Footprint footprint{.resources = {.registers = attributes.numRegs,
                                    .shared_bytes = step.shared_bytes + static_cast<int>(attributes.sharedSizeBytes),
                                    .local_bytes = static_cast<int>(attributes.localSizeBytes),
                                    .block = step.block}};
  CONV_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &footprint.blocks, kernel, static_cast<int>(step.block.area()), static_cast<std::size_t>(step.shared_bytes)));
  return footprint;
}

Result<void> GpuExecutor::check() const {
  const cudaError_t status = cudaStreamQuery(stream());
  return status == cudaErrorNotReady ? Result<void>{} : cuda_result(status, "a kernel");
}

Result<std::vector<StepSpan>> GpuExecutor::run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  CONV_TRY(compile_now(plan));
  const auto shared_plan = std::make_shared<const LaunchPlan>(plan);
  const std::shared_ptr<const HostImage> host(std::shared_ptr<void>{}, &source);  // outlives this call
  Workspace workspace;
  DeviceImage device_source, device_target;
  CONV_TRY(device_source.upload(source, stream()));
  CONV_TRY(enqueue({}, shared_plan, workspace, device_source, device_target, host));
  CONV_TRY_CUDA(cudaStreamSynchronize(stream()));
  auto spans = CONV_TRY(poll(workspace));
  if (plan.transfers()) {
    target = workspace.host_result();
  } else {
    target = CONV_TRY(device_target.download(stream()));
  }
  return std::move(*spans);
}

}  // namespace conv
