// What the kernels of lanes A and B would use of a GPU that is not here.
#pragma once
#include <stop_token>

#include "app/model/status.h"

namespace conv {

// Compiles the lanes' kernels with NVRTC, so it takes up to some seconds.
WhatIfAnswer what_if(const WhatIfQuestion& question, const std::stop_token& stop);

}  // namespace conv
