// The GPU as callers without a window use it.
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
  // Why NVIDIA's NPP cannot be measured; empty when it can.
  virtual std::string why_no_npp() const = 0;
  // Compiles, uploads, runs and waits. When each step ran, by GPU events.
  virtual Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target) = 0;
};

// The first GPU. The error is a sentence for the user: no driver, no device, built without CUDA. sources outlive it.
Result<std::unique_ptr<HeadlessGpu>> open_headless_gpu(KernelSources& sources);

}  // namespace conv
