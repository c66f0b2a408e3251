// Plans of the variants whose kernels stream rows through registers, those of kernels/api/row_stream.h.
#pragma once
#include <array>

#include "kernels/core/plan.h"

namespace conv {

// How the work is cut for such a kernel.
struct StreamShape {
  int warp_width;  // pixels side by side that a warp makes
  int step_rows;
  int warps;  // that the work is parted into, for each multiprocessor; where more than fit at once, they come in turns
};

// Of the kernel's ring: stream_apron, what its rows are apart, stream_ahead, stream_head.
struct StreamRing {
  int (*apron)(int reach, int chunk), (*pitch)(int staged, int pixel_bytes), (*ahead)(int step_rows);
  int (*head)(int slots, int planes, int staged);
};

struct StreamKernel {
  std::string_view name;  // of the variant, too
  std::string_view file;
  std::array<int, 4> numbers;  // template arguments behind the views
  std::string options = {};    // of the compiler; of the instance that is not general
  StreamShape shape;
  int run;            // neighbours that a thread makes of what it loads once
  Size2 reach;        // columns and rows it reads beyond its own, on each side
  int shared_before;  // bytes of shared memory that stand before the ring
  CpuTwins cpu;
  std::vector<float> taps;
  StreamRing ring;
};

// A kernel whose threads make `results` pixels side by side, the taps inside its instructions.
struct RegisterShape {
  int results, step_rows, warps;
};
StreamKernel register_kernel(std::string_view name, std::string_view file, const RegisterShape& shape, Size2 radius,
                             std::vector<float> taps, const CpuTwins& cpu, const StreamRing& ring);

// An option of the compiler that makes all of them immediate operands.
std::string taps_option(const std::vector<float>& taps);

// Those of the row, then those of the column.
std::vector<float> row_and_column(const Taps& taps);

// Whether pixels are summed as colours, all channels at once.
bool streams_colours(PixelType format);

// What the ring holds as one: a pixel, or a channel of an image in planes. How many make up 16 bytes; 1 where none do.
int streamed_bytes(PixelType format);
int streamed_chunk(PixelType format);

// One pass over the image by that kernel. Its threads are counted as those of a kernel each thread of which makes `run`
// columns of the image.
Result<LaunchPlan> row_stream_plan(const StreamKernel& kernel, Size2 image, const ConvSettings& settings,
                                   const DeviceLimits& limits);

}  // namespace conv
