// One pixel of a result, taken apart: which source pixels it is made of, with which weights, and who computes it.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"

namespace conv {

// One place of the window, in the order of the taps.
struct InspectedTap {
  Point2 at;                // where the window meets it; may be outside the image
  Point2 source;            // the pixel of the image that is there or stands for it
  bool padded = false;      // outside the image
  bool value_only = false;  // outside, and no pixel stands for it: the padding's value does
  double weight = 0;
  std::array<double, 3> value{};  // per channel, in the unit of the pixel type
};

struct Inspection {
  Point2 pixel;  // of the source under the pixel of the result
  PixelType type = PixelType::f32;
  Size2 window;
  int channels = 1;  // 1 or 3: alpha is not filtered
  std::vector<InspectedTap> taps;
  // Where the filter is a row times a column: what a first pass leaves for each row of the window, and that row's
  // weight in the second. Empty elsewhere.
  struct RowSum {
    std::array<double, 3> sum{};
    double weight = 0;
  };
  std::vector<RowSum> rows;
  double offset = 0;              // in the unit of the pixel type
  std::array<double, 3> exact{};  // sum of value x weight, and the offset, in double: before any rounding
};

// What a filter of one matrix makes of `pixel`. outside: the padding's value in the unit of the pixel type.
Inspection inspect(const HostImage& source, const Taps& taps, Border border, float outside, Point2 pixel);

// Who computes a pixel of the result, by the plan's last kernel that makes it.
struct Computer {
  Point2 block;
  std::optional<Point2> thread;  // where a thread has one pixel of the tile
  int warp = 0, lane = 0;
  std::optional<int> bank;  // of shared memory, in which the pixel itself is staged
};

// "0.25 × 118 + 0.5 × 120 + ... = 119.5", all of it.
std::string formula(const Inspection& inspection, int channel);
// Floats between two numbers of the same sign; nothing across zero or for what is no number.
std::optional<long long> floats_between(float a, float b);
// Nothing where no kernel writes the result itself: plans of the host, or strips that are gathered.
std::optional<Computer> computer_of(const LaunchPlan& plan, Point2 result_pixel, int warp_size);

}  // namespace conv
