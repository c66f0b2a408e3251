// How one pixel of a result is computed: from which source pixels, with which weights, and by which thread.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"

namespace conv {

// One position of the window, in the order of the taps.
struct InspectedTap {
  Point2 at;                // the position; may be outside the image
  Point2 source;            // the image pixel that is used there
  bool padded = false;      // outside the image
  bool value_only = false;  // outside, and the padding's value is used instead of a pixel
  double weight = 0;
  std::array<double, 3> value{};  // per channel, in the pixel type's unit
};

struct Inspection {
  Point2 pixel;  // source pixel at the pixel of the result
  PixelType type = PixelType::f32;
  Size2 window;
  int channels = 1;  // 1 or 3: alpha is not filtered
  std::vector<InspectedTap> taps;
  // For a filter that is a row times a column: the result of the first pass for each row of the window, and the weight
  // of that row in the second pass. Otherwise empty.
  struct RowSum {
    std::array<double, 3> sum{};
    double weight = 0;
  };
  std::vector<RowSum> rows;
  double offset = 0;              // in the pixel type's unit
  std::array<double, 3> exact{};  // sum of value x weight plus the offset in double, not rounded
};

// How a filter of one matrix computes `pixel`. outside: the padding's value in the pixel type's unit.
Inspection inspect(const HostImage& source, const Taps& taps, Border border, float outside, Point2 pixel);

// Which thread computes a pixel of the result, by the last kernel of the plan that writes it.
struct Computer {
  Point2 block;
  std::optional<Point2> thread;  // if a thread writes one pixel of the tile
  int warp = 0, lane = 0;
  std::optional<int> bank;  // the shared memory bank in which the pixel itself is staged
};

// The whole sum: "0.25 × 118 + 0.5 × 120 + ... = 119.5". in_unit: the values are multiplied by it.
std::string formula(const Inspection& inspection, int channel, double in_unit = 1);
// The number of floats between two numbers of the same sign; nothing across zero or for NaN.
std::optional<long long> floats_between(float a, float b);
// Nothing if no kernel writes the result itself: host plans, or strips that are gathered.
std::optional<Computer> computer_of(const LaunchPlan& plan, Point2 result_pixel, int warp_size);

}  // namespace conv
