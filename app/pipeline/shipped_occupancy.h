// What the Occupancy panel shows where there is no GPU: the same figures for the GPU of the shipped results.
#pragma once
#include <stop_token>

#include "app/model/status.h"

namespace conv {

// Compiles the lanes' kernels with NVRTC, so it takes up to some seconds.
OccupancyAnswer shipped_occupancy(const OccupancyQuestion& question, const std::stop_token& stop);

}  // namespace conv
