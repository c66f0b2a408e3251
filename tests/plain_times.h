// A kernel's time as a plain CUDA program measures it: with NVRTC, the runtime and events, without our executor or
// engine.
#pragma once
#include <string>

namespace conv {

struct PlainKernel {
  std::string source;    // "#include ..." of its file
  std::string instance;  // "gpu::name<...>"
  std::string constant;  // symbol of the taps in constant memory; empty: none
  int shared_bytes = 0;
};
// Milliseconds of one launch on an f32 image with a square filter and 16x16 threads: the median of 31 event pairs
// around a graph of 40 launches. Negative if anything failed, which is printed.
float plain_ms(const PlainKernel& kernel, const std::string& include_folder, int width, int height, int side);

}  // namespace conv
