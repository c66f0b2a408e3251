// Plans of the variants whose kernels stream rows through registers, those of kernels/api/row_stream.h.
#pragma once
#include "kernels/core/plan.h"

// What such a kernel is made for: the results of a thread, side by side, and the rows of a step. Sums live in
// registers: 2R for each result, three times as many where a pixel has colours.
struct StreamShape {
  int results, step_rows;
  int warps;  // that the work is parted into, for each multiprocessor; where more than fit at once, they come in turns
};

struct StreamKernel {
  std::string_view name;  // of the variant, too
  std::string_view file;
  StreamShape shape;
  CpuTwins cpu;
  std::vector<float> taps;
  int ahead = 0;  // the steps on their way in the kernel: stream_ahead
};

// Whether pixels are summed as colours, all channels at once.
bool streams_colours(PixelType format);

// One pass over the image by that kernel. The taps are options of its compiler.
Result<LaunchPlan> row_stream_plan(const StreamKernel& kernel, Size2 image, const ConvSettings& settings,
                                   const DeviceLimits& limits);
