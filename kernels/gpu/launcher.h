// Queues the steps of a plan. No other code in the project launches kernels.
#pragma once
#include <memory>
#include <vector>

#include "kernels/gpu/fft.h"
#include "kernels/gpu/kernel_library.h"
#include "kernels/gpu/workspace.h"

namespace conv {

// One plan with its images.
struct Launch {
  const std::shared_ptr<const LaunchPlan>& plan;
  Workspace& workspace;
  const DeviceImage& source;
  DeviceImage& target;
  const std::vector<LoadedKernel*>&
      kernels;  // one per step, beginning with the steps that run once; null for steps without a kernel

  PixelBuffer buffer(ImageRef ref) const;
};

class Launcher {
 public:
  // streams: must outlive it.
  explicit Launcher(StreamPool& streams) : streams_(streams) {}

  // Copies missing taps and images to the device, and runs the steps that run once for a new plan.
  // host: the source in host memory, for plans that begin there.
  Result<void> prepare(const Launch& launch, const std::shared_ptr<const HostImage>& host);
  // Queues the steps of a launch. anchor: relates the times to the host's clock; may be null.
  Result<void> run(const Launch& launch, const std::shared_ptr<const ClockAnchor>& anchor);

 private:
  Result<void> prepare_kernel(const Launch& launch, const KernelStep& step, LoadedKernel& kernel);
  Result<void> run_step(const Launch& launch, std::size_t index, const Step& step, cudaStream_t stream);
  Result<void> run_kernel(const Launch& launch, std::size_t index, const KernelStep& step, cudaStream_t stream);
  Result<void> run_spread(const Launch& launch);

  StreamPool& streams_;
  Fft fft_;
};

}  // namespace conv
