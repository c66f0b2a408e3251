// Images cut into strips of rows, for variants that spread one launch over streams or devices.
#pragma once
#include <vector>

#include "kernels/core/plan.h"

namespace conv {

// Rows of the target, and the rows of the source they need, apron included. Rows outside the image are named only where
// the padding takes them from its other end; the kernel knows all other paddings from the strip's own edge.
struct Strip {
  RowRange target, held;
};
// So many strips, as even as can be, of a plan of one step; never more than there are rows.
std::vector<Strip> strips_of(const LaunchPlan& whole, int parts);

// `rows` in so many parts, as even as can be; never more parts than rows.
std::vector<RowRange> split_rows(int rows, int parts);

// The launch of a one-step plan that makes a strip's rows of the target, from an image that holds the strip's rows.
KernelStep launch_of(const LaunchPlan& whole, const Strip& strip);

// Rows [from, from + count) of the image are what stands at [to, to + count) of these rows, counted from their first.
struct Run {
  int to, from, count;
};
std::vector<Run> runs_of(RowRange held, int image_height);

CopyStep copy_step(std::string title, ImageRef from, int from_row, ImageRef to, RowRange rows);

}  // namespace conv
