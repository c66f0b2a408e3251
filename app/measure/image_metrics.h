// The difference between two images, in the usual measures. 1 is full scale; alpha is ignored.
#pragma once
#include <array>
#include <cstddef>
#include "kernels/core/geometry.h"

namespace conv {

struct ImageMetrics {
  double max_abs = 0;     // over all pixels and channels
  long long max_ulp = 0;  // the most steps from one float to the next, over all pixels and channels
  Point2 where;           // of max_abs
  double mean_abs = 0;
  double mean_square = 0;
  double relative_l2 = 0;  // root of sum (A - B)^2 over sum B^2; infinite if B is 0 and A is not
  double similarity = 1;   // SSIM: mean over adjacent windows of 8x8 pixels and over channels
  long long beyond = 0;    // pixels with a channel whose difference exceeds the tolerance
  double tolerance = 0;
  // Peak signal-to-noise ratio in dB, full scale over root mean square; infinite for equal images.
  double psnr() const;
};

// How often values occur, per channel: one channel, or red, green and blue.
struct Histogram {
  static constexpr std::size_t bin_count = 256;
  int channels = 0;
  float low = 0, high = 1;  // range of the bins, 1 is full scale; `high` itself is in the last bin
  std::array<std::array<long long, bin_count>, 3> bins{};
  std::array<long long, 3> below{}, above{};
};

}  // namespace conv
