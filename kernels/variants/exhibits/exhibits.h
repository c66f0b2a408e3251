// Kernels that are wrong on purpose, which a switch of their variant puts in its place.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// tile_linear without its barrier.
KernelInstance no_barrier_instance(const ConvSettings& settings);
// The blog's row pass: one shared row for all rows of the block.
KernelInstance blog_rows_instance(const ConvSettings& settings);

}  // namespace conv
