// Images divided into strips of rows, for variants that distribute a launch over streams or devices.
#pragma once
#include <vector>

#include "kernels/core/plan.h"

namespace conv {

// Target rows, and the source rows they need, including the apron. Rows outside the image are listed only if the
// padding takes them from the opposite edge; the kernel handles all other paddings at the strip's own edge.
struct Strip {
  RowRange target, held;
};
// Divides a plan of one step into this many strips of nearly equal height; never more than there are rows.
std::vector<Strip> strips_of(const LaunchPlan& whole, int parts);

// Divides `rows` into this many nearly equal parts; never more than there are rows.
std::vector<RowRange> split_rows(int rows, int parts);

// The launch of a one-step plan for a strip of the target, from an image that holds the strip's source rows.
KernelStep launch_of(const LaunchPlan& whole, const Strip& strip);

// Rows [from, from + count) of the image are copied to [to, to + count) of these rows, counted from their first.
struct Run {
  int to, from, count;
};
std::vector<Run> runs_of(RowRange held, int image_height);

CopyStep copy_step(std::string title, ImageRef from, int from_row, ImageRef to, RowRange rows);

}  // namespace conv
