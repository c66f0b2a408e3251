// Plans that measure the highest rates of a GPU; they have no CPU twin.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

enum class Ceiling { copy, cached_copy, shared_memory, multiply_add, launch };
struct CeilingPlan {
  LaunchPlan plan;
  double work = 0;  // per launch: bytes read and written, bytes read, floating-point operations, or launches
};
// cache_bytes: size of the L2 cache. copy: images much larger than it; cached_copy: a quarter of it for source and
// target, copied sixteen times.
CeilingPlan ceiling_plan(Ceiling which, long long cache_bytes);

}  // namespace conv
