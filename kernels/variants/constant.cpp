#define CONV_KERNEL_FILE "kernels/variants/constant.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_constant(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  KernelInstance kernel = instance_of(CONV_KERNEL_FILE, "constant", settings, CONV_TWINS_OF_SUMS(settings, constant));
  kernel.constant_symbol = "gpu::constant_taps";
  kernel.cpu_constant = cpu::constant_taps;
  kernel.cpu_traced_constant = cpu_traced::constant_taps;
  return direct_plan(image, settings, std::move(kernel));
}

static constexpr std::string_view own_switches[] = {"boundary", "accumulate"};

CONV_DEFINE_VARIANT(constant){
    .id = "constant",
    .title = "Constant memory taps",
    .idea = "All threads of a warp read the same tap at the same time. Constant memory broadcasts it to them.",
    .group = VariantGroup::global_memory,
    .switches = own_switches,
    .plan = plan_constant,
};

}  // namespace conv
