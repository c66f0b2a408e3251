// A variant is a kernel plus one pure function, its plan.
#pragma once
#include <string_view>

#include "kernels/core/plan.h"

namespace conv {

enum class VariantGroup { cpu, global_memory, shared_memory, separable, other };

struct Variant {
  std::string_view id;     // file stem; stable in tests, sessions and the command line
  std::string_view title;  // menu text
  std::string_view idea;   // what a student should notice, one sentence
  VariantGroup group;
  std::string_view notice = {};                     // more of that, with figures; where there is more to say
  bool needs_rank_1 = false;                        // refuses filters that are no row times a column; menus grey it
  bool needs_equal_taps = false;                    // refuses filters other than boxes; menus grey it
  bool needs_fft = false;                           // refuses where the limits name no FFT library; menus grey it
  bool single_launch = false;                       // no part of a chain: begins and ends in host memory, say
  bool chooses = false;                             // runs the plan of another one: has no place beside them
  float tolerance = 1e-5f;                          // of float results on [0, 1] data, times max(1, sum of |taps|)
  bool same_bits_anywhere = true;                   // wherever a window is; and a filter of one 1 changes nothing
  bool fuses_edges = false;                         // plans "edges" whole; others get it as a chain of their launches
  std::span<const std::string_view> switches = {};  // those it has beside the compiler's
  std::string_view exhibit = {};                    // wrong on purpose, and how; never a default, never in a ranking
  int max_radius = conv::max_radius;                // larger ones are refused whatever the device; sliders shade them
  // Pure; callers want plan_job, which joins it with what the job needs around it. Refuses in words what the device or
  // the variant cannot do.
  Result<LaunchPlan> (*plan)(Size2 image, const ConvSettings&, const DeviceLimits&);
};

// Starts the definition of the variant NAME: CONV_DEFINE_VARIANT(global){.id = "global", ...}; Its declaration comes
// first, because a const object without one is invisible to the registry. A line in kernels/registry.def lists it.
#define CONV_DEFINE_VARIANT(name)      \
  extern const Variant name##_variant; \
  const Variant name##_variant

}  // namespace conv
