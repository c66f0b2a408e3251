// The plan of the current settings: a variant's plan, combined with what the job needs around it.
#pragma once
#include "kernels/core/variant.h"

namespace conv {

// Edges become a chain (blur, Sobel X, Sobel Y, magnitude). Iterations become a chain of the same plan. A filter of
// rank r can become a sum of passes, and pre-padding a step of its own. Refuses in words: what the variant cannot do, a
// switch that it does not have, valid padding that leaves no pixel.
Result<LaunchPlan> plan_job(const Variant& variant, Size2 source, const ConvSettings& settings,
                            const DeviceLimits& limits);

// The variant's own plan for one filter. Refuses filters that the variant's fields exclude, and launches that the
// device cannot do.
Result<LaunchPlan> plan_filter(const Variant& variant, Size2 source, const ConvSettings& settings,
                               const DeviceLimits& limits);

// Why a switch has no effect for this variant and these settings; empty if it has one.
std::string why_not(const Switch& which, const Variant& variant, const ConvSettings& settings);
// The largest accepted error: for float results of data in [0, 1], times max(1, sum of |taps|).
float tolerance_of(const Variant& variant, const ConvSettings& settings);
// Whether that is more than the variant's own tolerance: such results are not ranked with others.
bool is_less_exact(const Variant& variant, const ConvSettings& settings);
// What is deliberately wrong with this choice; empty if nothing is. Such a choice is never a default and never ranked.
std::string_view exhibit_of(const Variant& variant, const SwitchValues& values);
// The settings without the switches that have no effect here.
ConvSettings applicable(const Variant& variant, ConvSettings settings);

}  // namespace conv
