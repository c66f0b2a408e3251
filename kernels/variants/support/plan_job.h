// The plan of what is on the sliders: a variant's own plan, joined with what the job needs around it.
#pragma once
#include "kernels/core/variant.h"

namespace conv {

// Edges become a chain (blur, Sobel X, Sobel Y, magnitude), iterations a chain of the same; a filter of rank r becomes
// a sum of passes, pre-padding a step of its own. Refuses in words: what the variant cannot do, a switch it does not
// have, valid padding that leaves nothing.
Result<LaunchPlan> plan_job(const Variant& variant, Size2 source, const ConvSettings& settings,
                            const DeviceLimits& limits);

// Why a switch does nothing for this variant and these settings; empty when it does something.
std::string why_not(const Switch& which, const Variant& variant, const ConvSettings& settings);
// How far a result may be from the exact one: for float results on [0, 1] data, times max(1, sum of |taps|).
float tolerance_of(const Variant& variant, const ConvSettings& settings);
// Whether that is more than the variant's own: such results are in no ranking with others.
bool is_less_exact(const Variant& variant, const ConvSettings& settings);
// What is wrong on purpose with this choice; empty for what is right. No default, and in no ranking.
std::string_view exhibit_of(const Variant& variant, const SwitchValues& values);
// The settings without the switches that do nothing here.
ConvSettings applicable(const Variant& variant, ConvSettings settings);

}  // namespace conv
