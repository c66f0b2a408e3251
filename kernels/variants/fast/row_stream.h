// Plans of the variants that stream rows through registers, with the kernels of kernels/api/row_stream.h.
#pragma once
#include <array>

#include "kernels/core/plan.h"

namespace conv {

// How the work of such a kernel is divided.
struct StreamShape {
  int warp_width;  // adjacent pixels per warp
  int step_rows;
  int warps;  // per multiprocessor; if more than fit at once, they run one after the other
};

// Functions of the kernel's ring: stream_apron, the distance between rows, stream_ahead, stream_head.
struct StreamRing {
  int (*apron)(int reach, int chunk), (*pitch)(int staged, int pixel_bytes), (*ahead)(int step_rows);
  int (*head)(int slots, int planes, int staged);
};

struct StreamKernel {
  std::string_view name;  // also the name of the variant
  std::string_view file;
  std::array<int, 4> numbers;  // template arguments after the views
  std::string options = {};    // compiler options of the exact instance
  StreamShape shape;
  int run;            // adjacent results that a thread computes from one load
  Size2 reach;        // columns and rows that it reads beyond its own, per side
  int shared_before;  // bytes of shared memory before the ring
  CpuTwins cpu;
  std::vector<float> taps;
  StreamRing ring;
};

// A kernel whose threads compute `results` adjacent pixels, with the taps as immediate operands.
struct RegisterShape {
  int results, step_rows, warps;
};
StreamKernel register_kernel(std::string_view name, std::string_view file, const RegisterShape& shape, Size2 radius,
                             std::vector<float> taps, const CpuTwins& cpu, const StreamRing& ring);

// A compiler option that makes all taps immediate operands.
std::string taps_option(const std::vector<float>& taps);

// The taps of the row, then those of the column.
std::vector<float> row_and_column(const Taps& taps);

// Whether pixels are summed as colours, all channels together.
bool streams_colours(PixelType format);

// What the ring handles as one unit: a pixel, or a channel of a planar image. The number of units in 16 bytes; 1 if
// they do not divide 16.
int streamed_bytes(PixelType format);
int streamed_chunk(PixelType format);

// One pass over the image with that kernel. Threads are counted as if each computed `run` columns of the image.
Result<LaunchPlan> row_stream_plan(const StreamKernel& kernel, Size2 image, const ConvSettings& settings,
                                   const DeviceLimits& limits);

}  // namespace conv
