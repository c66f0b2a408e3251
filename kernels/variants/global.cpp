#define CONV_KERNEL_FILE "kernels/variants/global.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

static Result<LaunchPlan> plan_global(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  KernelInstance kernel = instance_of(CONV_KERNEL_FILE, "global", settings, CONV_TWINS_OF_SUMS(settings, global));
  return within(limits, "global", direct_plan(image, settings, std::move(kernel)));
}

static constexpr std::string_view own_switches[] = {"boundary", "accumulate"};

const Variant global_variant{
    .id = "global",
    .title = "Global memory",
    .idea = "Neighbouring threads read almost the same pixels, and each reads them again.",
    .group = VariantGroup::global_memory,
    .switches = own_switches,
    .plan = plan_global,
};
