#define CONV_KERNEL_FILE "kernels/variants/bilateral.cu"
#include <algorithm>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"

namespace conv {

static Result<LaunchPlan> plan_bilateral(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const std::vector<float>& taps = settings.taps->values;
  if (std::any_of(taps.begin(), taps.end(), [](float tap) { return tap < 0; }) || taps[taps.size() / 2] <= 0)
    return failure("bilateral divides by the sum of its weights, so no weight may be negative. Use gaussian or box");
  LaunchPlan plan = direct_plan(
      image, settings, instance_of(CONV_KERNEL_FILE, "bilateral", settings, CONV_TWINS_OF(settings.format, bilateral)));
  std::get<KernelStep>(plan.steps.front()).range =
      static_cast<float>(settings.switches["range"]) / 100 * unit_of(settings);
  return plan;
}

static constexpr std::string_view own_switches[] = {"range"};

CONV_DEFINE_VARIANT(bilateral){
    .id = "bilateral",
    .title = "Bilateral filter",
    .idea =
        "For contrast: the weights follow the picture, so edges stay sharp. Nothing that makes convolution fast works "
        "here.",
    .group = VariantGroup::other,
    .single_launch = true,
    .switches = own_switches,
    .exhibit = "not a convolution: its weights follow the picture",
    .plan = plan_bilateral,
};

}  // namespace conv
