// A rectangle of a picture in numbers: what a line profile and the statistics of a region show.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "kernels/core/image.h"

namespace conv {

// In parts of full scale, of the finite values; NaN if there are none.
struct ChannelValues {
  double mean = 0, deviation = 0;  // of the population: divided by the number of values
  double least = 0, most = 0;
  std::vector<double> along_x, along_y;  // the mean of each column, of each row
  long long not_finite = 0;              // values that were left out
};
struct RegionValues {
  ImagePart part;
  int channels = 1;  // alpha is left out
  std::array<ChannelValues, 3> of;
};
// Not for an empty part, nor for planar formats.
RegionValues region_values(ImagePart part);

struct RegionDifference {
  double largest = 0, root_mean_square = 0;  // of A - B over all channels, in parts of full scale; of pixels
                                             // that are finite in both
};
// Nothing if the parts are not of the same place, or one is in colour and the other is not.
std::optional<RegionDifference> region_difference(const RegionValues& a, const RegionValues& b);

// The rectangle of the image that lies within it; nothing if none does.
std::optional<ImagePart> part_of(const HostImage& image, Point2 at, Size2 size);

}  // namespace conv
