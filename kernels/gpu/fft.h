// cuFFT, loaded when the first plan wants it: the program starts without it, and on machines that do not have it.
#pragma once
#include <cuda_runtime_api.h>

#include <list>

#include "kernels/core/plan.h"

namespace conv {

// Why cuFFT cannot be used, in words for the user; empty when it can.
std::string why_no_fft();

// Owns cuFFT's plans: one per size, direction and layout, the longest unused goes beyond 8.
class Fft {
 public:
  Fft() = default;
  ~Fft();
  Fft(const Fft&) = delete;
  Fft& operator=(const Fft&) = delete;

  // Queues the step. A new size is planned first, which takes the host some milliseconds and device memory.
  Result<void> run(const FftStep& step, const PixelBuffer& from, const PixelBuffer& to, cudaStream_t stream);

 private:
  struct Key {
    bool forward;
    Size2 transform;
    int planes, real_stride, spectrum_stride;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Planned {
    Key key;
    int handle;
  };
  std::list<Planned> planned_;  // most recently used first
};

}  // namespace conv
