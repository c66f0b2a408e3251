#include "app/measure/image_metrics.h"

#include <cmath>

namespace conv {

double ImageMetrics::psnr() const {
  return -10 * std::log10(mean_square);
}

}  // namespace conv
