// A kernel's time as a plain CUDA program takes it: NVRTC, the runtime, events; nothing of the executor or the engine.
#pragma once
#include <string>

namespace conv {

struct PlainKernel {
  std::string source;    // "#include ..." of its file
  std::string instance;  // "gpu::name<...>"
  std::string constant;  // symbol of the taps in constant memory; empty: none
  int shared_bytes = 0;
};
// Milliseconds of one launch on a square-tapped f32 image, 16x16 threads: median of 31 event pairs around a graph of 40
// launches. Negative when anything failed, which is printed.
float plain_ms(const PlainKernel& kernel, const std::string& include_folder, int width, int height, int side);

}  // namespace conv
