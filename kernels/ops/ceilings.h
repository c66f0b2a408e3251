// Plans that show what a GPU can do at most; they have no CPU twin.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

enum class Ceiling { copy, cached_copy, shared_memory, multiply_add, launch };
struct CeilingPlan {
  LaunchPlan plan;
  double work = 0;  // of a launch: bytes read and written, bytes read, floating-point operations, or launches
};
// cache_bytes: of L2. copy: far larger images than it holds; cached_copy: a quarter of it in and out, sixteen times.
CeilingPlan ceiling_plan(Ceiling which, long long cache_bytes);

}  // namespace conv
