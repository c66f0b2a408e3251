// Queues the steps of a plan: the only launch in the project.
#pragma once
#include <memory>
#include <vector>

#include "kernels/gpu/fft.h"
#include "kernels/gpu/kernel_library.h"
#include "kernels/gpu/workspace.h"

namespace conv {

// One plan on its images.
struct Launch {
  const std::shared_ptr<const LaunchPlan>& plan;
  Workspace& workspace;
  const DeviceImage& source;
  DeviceImage& target;
  const std::vector<LoadedKernel*>& kernels;  // one per step, those that run once first; null where it is no kernel

  PixelBuffer buffer(ImageRef ref) const;
};

class Launcher {
 public:
  // streams: outlive it.
  explicit Launcher(StreamPool& streams) : streams_(streams) {}

  // Brings taps and images to the device where they are not there, and runs the steps that run once for a new plan.
  // host: the source again, for plans that begin in host memory.
  Result<void> prepare(const Launch& launch, const std::shared_ptr<const HostImage>& host);
  // The steps of each launch. anchor: joins the times with the host's clock; may be null.
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
