// Deliberately wrong kernels. A switch of their variant selects them.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// tile_linear without its barrier.
KernelInstance no_barrier_instance(const ConvSettings& settings);
// The blog's row pass: one shared row for all rows of the block.
KernelInstance blog_rows_instance(const ConvSettings& settings);

}  // namespace conv
