#define CONV_KERNEL_FILE "kernels/variants/global.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_global(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  KernelInstance kernel = instance_of(CONV_KERNEL_FILE, "global", settings, CONV_TWINS_OF_SUMS(settings, global));
  return direct_plan(image, settings, std::move(kernel));
}

static constexpr std::string_view own_switches[] = {"boundary", "accumulate"};

CONV_DEFINE_VARIANT(global){
    .id = "global",
    .title = "Global memory",
    .idea = "Neighbouring threads need almost the same pixels. Each thread reads all of its own again.",
    .group = VariantGroup::global_memory,
    .switches = own_switches,
    .plan = plan_global,
};

}  // namespace conv
