// Steps that are not convolutions, which plans are combined with. Each processes whole images pixel by pixel.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

// from_levels: from Rgba8; not available as a host step.
enum class WholeImageOp { pre_pad, convert, magnitude, sum, from_levels };

// reads: of type `from`; writes: of type `to` and this size. host: a host function instead of a kernel; not available
// for pre_pad. The caller sets reads, writes, origin, border and outside.
Step whole_image_step(WholeImageOp op, PixelType from, PixelType to, Size2 size, bool host);

// The same pixels in another type with as many channels; the unit stays.
void convert_on_host(const HostImage& from, HostImage& to);

// The plan that converts an image to its texture's type.
LaunchPlan display_plan(PixelType from, Size2 size);
// The plan that converts an Rgba8 frame to the type that the lanes use.
LaunchPlan frame_plan(PixelType to, Size2 size);

// The plan that converts a frame's yuv_rows to Rgba8.
LaunchPlan yuv_plan(const YuvFormat& from, Size2 size);

}  // namespace conv
