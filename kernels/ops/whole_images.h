// Steps that are no convolution: what plans are joined with. Each works pixel by pixel on whole images.
#pragma once
#include "kernels/core/plan.h"

enum class WholeImageOp { pre_pad, convert, magnitude, sum };

// reads: of type `from`, writes: of type `to` and this size. host: as a function of the CPU instead of a kernel; then
// pre_pad is not there. The caller fills reads, writes, origin, border and outside.
Step whole_image_step(WholeImageOp op, PixelType from, PixelType to, Size2 size, bool host);
