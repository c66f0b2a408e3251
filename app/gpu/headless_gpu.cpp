#include "app/gpu/headless_executor.h"

#include <fmt/format.h>

#include "kernels/gpu/npp.h"

namespace conv {

namespace {

class CudaGpu final : public HeadlessGpu {
 public:
  explicit CudaGpu(std::unique_ptr<GpuExecutor> executor) : executor_(std::move(executor)) {}
  const DeviceInfo& device() const override { return executor_->device(); }
  std::string why_no_npp() const override { return conv::why_no_npp(); }
  Result<std::vector<StepSpan>> run(const LaunchPlan& plan, const HostImage& source, HostImage& target) override {
    return executor_->run_now(plan, source, target);
  }
  GpuExecutor& executor() { return *executor_; }

 private:
  std::unique_ptr<GpuExecutor> executor_;
};

}  // namespace

GpuExecutor& executor_of(HeadlessGpu& gpu) {
  return static_cast<CudaGpu&>(gpu).executor();  // the only implementation
}

Result<std::unique_ptr<HeadlessGpu>> open_headless_gpu(KernelSources& sources) {
  const auto say = [](const std::string& text) { fmt::print(stderr, "convoscope: {}\n", text); };
  auto executor = CONV_TRY(GpuExecutor::create(sources, CubinCache(), say));
  return std::make_unique<CudaGpu>(std::move(executor));
}

}  // namespace conv
