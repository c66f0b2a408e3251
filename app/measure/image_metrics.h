// How far two images are apart, in the usual figures. 1 is full scale; alpha does not count.
#pragma once
#include "kernels/core/geometry.h"

struct ImageMetrics {
  double max_abs = 0;  // over all pixels and channels
  Point2 where;        // of it
  double mean_abs = 0;
  double mean_square = 0;
  double relative_l2 = 0;  // root of sum (A - B)^2 over sum B^2; infinite where B is 0 and A is not
  double similarity = 1;   // SSIM, mean over windows of 8x8 pixels side by side and over channels
  long long beyond = 0;    // pixels with a channel further apart than the tolerance
  double tolerance = 0;
  // Peak signal to noise in dB, full scale over root mean square; infinite for equal images.
  double psnr() const;
};
