#define CONV_KERNEL_FILE "kernels/variants/convolve.cu"
#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_convolve(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  return direct_plan(image, settings,
                     instance_of(CONV_KERNEL_FILE, "convolve", settings, CONV_TWINS_OF(settings.format, convolve)));
}

CONV_DEFINE_VARIANT(convolve){
    .id = "convolve",
    .title = "convolve",
    .idea = "One sentence: what a student should notice.",
    .group = VariantGroup::global_memory,
    .plan = plan_convolve,
};

}  // namespace conv
