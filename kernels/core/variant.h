// A variant is a kernel plus one pure function, its plan.
#pragma once
#include <string_view>

#include "kernels/core/plan.h"

namespace conv {

// mine: kernels that are there to be changed.
enum class VariantGroup { cpu, global_memory, shared_memory, separable, other, mine };

struct Variant {
  std::string_view id;     // file stem; stable in tests, sessions and the command line
  std::string_view title;  // menu text
  std::string_view idea;   // what a student should notice, in one sentence
  VariantGroup group;
  std::string_view notice = {};   // more of the same with figures; may be empty
  bool needs_rank_1 = false;      // cannot run filters whose rank is above 1
  bool needs_equal_taps = false;  // cannot run filters that are not boxes
  bool needs_fft = false;         // cannot run if the limits say why there is no FFT
  bool single_launch = false;     // cannot be part of a chain, for example because it begins and ends in host memory
  bool chooses = false;           // runs the plan of another variant, so it is not ranked with the others
  float tolerance = 1e-5f;        // error limit for float results of data in [0, 1], times max(1, sum of |taps|)
  bool same_bits_anywhere =
      true;  // equal windows give equal results at any position, and the identity filter changes nothing
  bool fuses_edges = false;  // plans "edges" as one kernel; other variants get it as a chain of launches
  std::span<const std::string_view> switches = {};  // in addition to the compiler's switches
  std::string_view exhibit = {};  // how it is deliberately wrong; such a variant is never a default and never ranked
  int max_radius = conv::max_radius;    // on every device; a device may allow less
  std::string_view beyond_radius = {};  // why no larger one, as in "keeps one instruction per tap"
  std::string_view instead = {};        // the variant to use then
  // A pure function. Callers use plan_job or plan_filter, which first refuse what the fields above exclude. It refuses
  // in words what else the device or the variant cannot do.
  Result<LaunchPlan> (*plan)(Size2 image, const ConvSettings&, const DeviceLimits&);
};

// Starts the definition of variant NAME: CONV_DEFINE_VARIANT(global){.id = "global", ...}; The declaration comes first,
// because otherwise a const object is invisible to the registry. A line in kernels/registry.def lists the variant.
#define CONV_DEFINE_VARIANT(name)      \
  extern const Variant name##_variant; \
  const Variant name##_variant

}  // namespace conv
