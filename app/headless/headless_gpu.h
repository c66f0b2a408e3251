// The GPU for callers without a window.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/image.h"
#include "kernels/core/plan.h"
#include "kernels/gpu/device_info.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

class HeadlessGpu {
 public:
  virtual ~HeadlessGpu() = default;
  virtual const DeviceInfo& device() const = 0;
  // Why NVIDIA's NPP cannot be measured; empty if it can.
  virtual std::string why_no_npp() const = 0;
  // Compiles, uploads, runs and waits. Returns the times of the steps, by GPU events.
  virtual Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target) = 0;
};

// The first GPU. Defined in app/gpu. The error is a sentence for the user: no driver, no device, built without CUDA.
// sources must outlive it.
Result<std::unique_ptr<HeadlessGpu>> open_headless_gpu(KernelSources& sources);

}  // namespace conv
