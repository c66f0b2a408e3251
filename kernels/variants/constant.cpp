#define CONV_KERNEL_FILE "kernels/variants/constant.cu"
#include <fmt/format.h>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_constant(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const int capacity = limits.max_constant_bytes / static_cast<int>(sizeof(float));
  if (const Size2 size = settings.taps->size; size.area() > capacity)
    return failure(fmt::format(
        "constant: {}x{} taps need {} KB of constant memory, but there are {} KB. Use radius 63 or less", size.width,
        size.height, ceil_div(static_cast<int>(size.area()) * 4, 1024), limits.max_constant_bytes / 1024));
  KernelInstance kernel = instance_of(CONV_KERNEL_FILE, "constant", settings, CONV_TWINS_OF_SUMS(settings, constant));
  kernel.constant_symbol = "gpu::constant_taps";
  kernel.cpu_constant = cpu::constant_taps;
  kernel.cpu_traced_constant = cpu_traced::constant_taps;
  return within(limits, "constant", direct_plan(image, settings, std::move(kernel)));
}

static constexpr std::string_view own_switches[] = {"boundary", "accumulate"};

CONV_DEFINE_VARIANT(constant){
    .id = "constant",
    .title = "Constant memory taps",
    .idea = "All threads of a warp read the same tap at the same time. Constant memory broadcasts it to them.",
    .group = VariantGroup::global_memory,
    .switches = own_switches,
    .max_radius = 63,
    .plan = plan_constant,
};

}  // namespace conv
