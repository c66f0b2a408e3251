// Fourier transforms on the CPU.
#pragma once
#include <stop_token>

#include "kernels/core/plan.h"
#include "kernels/cpu/thread_pool.h"

namespace conv {

// Runs the step on all threads of the pool. As cuFFT does, the inverse also overwrites `from`. If a stop is requested,
// it returns soon, and `to` is partly written.
void transform_planes(const FftStep& step, const PixelBuffer& from, const PixelBuffer& to, ThreadPool& pool,
                      const std::stop_token& stop);

}  // namespace conv
