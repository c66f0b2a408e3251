// Steps that are no convolution: what plans are joined with. Each works pixel by pixel on whole images.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// from_levels: of Rgba8, which no host step does.
enum class WholeImageOp { pre_pad, convert, magnitude, sum, from_levels };

// reads: of type `from`, writes: of type `to` and this size. host: as a function of the CPU instead of a kernel; then
// pre_pad is not there. The caller fills reads, writes, origin, border and outside.
Step whole_image_step(WholeImageOp op, PixelType from, PixelType to, Size2 size, bool host);

// The same pixels in another type of as many colours; the unit stays.
void convert_on_host(const HostImage& from, HostImage& to);

// The plan that turns an image into the type its texture has.
LaunchPlan display_plan(PixelType from, Size2 size);
// The plan that turns a frame of Rgba8 into the type that lanes work on.
LaunchPlan frame_plan(PixelType to, Size2 size);

// The plan that turns a frame's yuv_rows into Rgba8.
LaunchPlan yuv_plan(const YuvFormat& from, Size2 size);

}  // namespace conv
