// cuFFT, loaded when the first plan needs it: the program starts without it, also on machines that do not have it.
#pragma once
#include <cuda_runtime_api.h>

#include <list>

#include "kernels/core/plan.h"

namespace conv {

// Why cuFFT cannot be used, as a text for the user; empty if it can.
std::string why_no_fft();

// Owns cuFFT plans, one per size, direction and layout. Keeps the 8 used most recently.
class Fft {
 public:
  Fft() = default;
  ~Fft();
  Fft(const Fft&) = delete;
  Fft& operator=(const Fft&) = delete;

  // Queues the step. A new size is planned first, which takes some milliseconds on the host, and device memory.
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
