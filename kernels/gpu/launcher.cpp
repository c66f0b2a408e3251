#include "kernels/gpu/launcher.h"

#include <map>

#include "kernels/core/rows.h"
#include "kernels/gpu/cuda_check.h"
#include "kernels/gpu/npp.h"

namespace conv {

namespace {

Result<void> copy_rows(const CopyStep& step, PixelType type, const PixelBuffer& from, const PixelBuffer& to,
                       cudaStream_t stream) {
  const std::size_t from_pitch = pitch_of(from, type), to_pitch = pitch_of(to, type);
  for (int plane = 0; plane < planes_of(type); ++plane) {
    std::byte* into = row_of(to, type, plane, step.rows->first);
    const std::byte* out_of = row_of(from, type, plane, step.from_row);
    if (from_pitch == to_pitch)
      CONV_TRY_CUDA(cudaMemcpyAsync(into, out_of, from_pitch * step.rows->count, cudaMemcpyDefault, stream));
    else
      CONV_TRY_CUDA(cudaMemcpy2DAsync(into, to_pitch, out_of, from_pitch, from.width * plane_pixel_bytes(type),
                                      step.rows->count, cudaMemcpyDefault, stream));
  }
  return {};
}

}  // namespace

PixelBuffer Launch::buffer(ImageRef ref) const {
  const auto packed = [&](const HostBuffer& memory) {
    const Size2 size = plan->size_of(ref);
    return PixelBuffer{memory.data(), size.width, size.height, size.width, size.height};
  };
  switch (ref.role) {
    case ImageRole::source: return source.buffer();
    case ImageRole::target: return target.buffer();
    case ImageRole::host_source: return packed(workspace.host_source());
    case ImageRole::host_target: return packed(workspace.host_target());
    case ImageRole::scratch: break;
  }
  return workspace.scratch(ref.index);
}

Result<void> Launcher::prepare(const Launch& launch, const std::shared_ptr<const HostImage>& host) {
  const LaunchPlan& plan = *launch.plan;
  Workspace& workspace = launch.workspace;
  const bool is_new = !workspace.is_ready_for(launch.plan);
  if (is_new) CONV_TRY(workspace.reserve(plan, streams_));
  if (plan.transfers()) CONV_TRY(workspace.take_host_source(host, streams_));
  const std::vector<const Step*> steps = all_steps(plan);
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const auto* step = std::get_if<KernelStep>(steps[i]))
      CONV_TRY(prepare_kernel(launch, *step, *launch.kernels[i]));
  if (is_new)
    for (std::size_t i = 0; i < plan.once.size(); ++i) CONV_TRY(run_step(launch, i, plan.once[i], streams_.main()));
  workspace.set_ready_for(launch.plan);
  return {};
}

// Uploads its constant memory and enables the shared memory it needs.
Result<void> Launcher::prepare_kernel(const Launch& launch, const KernelStep& step, LoadedKernel& kernel) {
  if (kernel.constant && kernel.constant_content != launch.plan) {
    const std::vector<float> values = launch.plan->constants();  // pageable: copied before the call returns
    CONV_TRY_CUDA(cudaMemcpyAsync(kernel.constant, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice,
                                  streams_.main()));
    kernel.constant_content = launch.plan;
  }
  int& limit = kernel.shared_limit[step.device];
  if (step.shared_bytes <= limit) return {};
  const OnDevice on(step.device);
  CONV_TRY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.kernel),
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, step.shared_bytes));
  limit = step.shared_bytes;
  return {};
}

Result<void> Launcher::run(const Launch& launch, const std::shared_ptr<const ClockAnchor>& anchor) {
  const LaunchPlan& plan = *launch.plan;
  Workspace& workspace = launch.workspace;
  const bool spread = plan.spread();
  // Streams wait for each other through the timer's events.
  if (workspace.measured() || spread) CONV_TRY(workspace.timer().begin(streams_.main(), anchor));
  if (spread) {
    CONV_TRY(run_spread(launch));
  } else {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      CONV_TRY(run_step(launch, plan.once.size() + i, plan.steps[i], streams_.main()));
      if (workspace.measured()) CONV_TRY(workspace.timer().mark(streams_.main()));
    }
  }
  if (workspace.measured()) workspace.timer().finish();
  return {};
}

// index: among all steps, beginning with the steps that run once.
Result<void> Launcher::run_step(const Launch& launch, std::size_t index, const Step& any_step, cudaStream_t stream) {
  const LaunchPlan& plan = *launch.plan;
  const auto buffer = [&](ImageRef ref) { return launch.buffer(ref); };
  if (const auto* copy = std::get_if<CopyStep>(&any_step))
    return copy_rows(*copy, plan.type_of(copy->reads), buffer(copy->reads), buffer(copy->writes), stream);
  if (const auto* fft = std::get_if<FftStep>(&any_step))
    return fft_.run(*fft, buffer(fft->reads), buffer(fft->writes), stream);
  if (const auto* npp = std::get_if<NppStep>(&any_step))
    return run_npp(*npp, plan, buffer(npp->reads), buffer(npp->writes), launch.workspace.taps(npp->device, npp->taps),
                   stream);
  return run_kernel(launch, index, std::get<KernelStep>(any_step), stream);
}

Result<void> Launcher::run_kernel(const Launch& launch, std::size_t index, const KernelStep& step,
                                  cudaStream_t stream) {
  const LaunchPlan& plan = *launch.plan;
  ConvArgs args = args_of(
      step, plan, [&](ImageRef ref) { return launch.buffer(ref); }, launch.workspace.taps(step.device, step.taps));
  if (step.through_texture)
    args.texture = CONV_TRY(launch.workspace.texture(index).of(args.source, plan.type_of(step.reads), step.border));
  void* parameters[] = {&args};
  const cudaLaunchConfig_t config{
      .gridDim = dim3(step.grid.width, step.grid.height),
      .blockDim = dim3(step.block.width, step.block.height),
      .dynamicSmemBytes = static_cast<std::size_t>(step.shared_bytes),
      .stream = stream,
  };
  CONV_TRY_CUDA(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(launch.kernels[index]->kernel), parameters));
#if defined(CONV_SYNC_LAUNCHES)
  CONV_TRY_CUDA(cudaStreamSynchronize(stream));
#endif
  return {};
}

// Runs the steps on their streams and devices. All wait for what is in the main stream, which then waits for all of
// them.
Result<void> Launcher::run_spread(const Launch& launch) {
  const LaunchPlan& plan = *launch.plan;
  EventTimer& timer = launch.workspace.timer();
  std::map<std::pair<int, int>, int> last;  // mark of each stream
  std::map<int, int> origins{
      {0, 0}};            // the mark that times of a device are relative to: events of two devices cannot be subtracted
  std::vector<int> ends;  // mark of each step
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    const cudaStream_t stream = CONV_TRY(streams_.stream(step.device, step.stream));
    const OnDevice on(step.device);
    if (!last.contains({step.device, step.stream})) CONV_TRY_CUDA(cudaStreamWaitEvent(stream, timer.event(0)));
    if (!origins.contains(step.device)) {
      origins[step.device] = CONV_TRY(timer.record(stream, step.device));
    }
    for (const int earlier : step.after) CONV_TRY_CUDA(cudaStreamWaitEvent(stream, timer.event(ends[earlier])));
    const int from = CONV_TRY(timer.record(stream, step.device));
    CONV_TRY(run_step(launch, plan.once.size() + i, plan.steps[i], stream));
    const int to = CONV_TRY(timer.record(stream, step.device));
    timer.span(origins[step.device], from, to);
    ends.push_back(to);
    last[{step.device, step.stream}] = to;
  }
  for (const auto& [place, mark] : last) CONV_TRY_CUDA(cudaStreamWaitEvent(streams_.main(), timer.event(mark)));
  CONV_TRY(timer.record(streams_.main()));
  return {};
}

}  // namespace conv
