// Compiles one kernel instance with NVRTC. Needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

struct CompileJob {
  std::string file;      // "kernels/variants/global.cu"
  std::string instance;  // the kernel with its template arguments: the text of KernelInstance::exact or ::general
  std::string constant_symbol;  // empty, or the constant array that the host fills
  std::string options;          // KernelInstance::options
  std::string architecture;     // "sm_90" gives machine code, "compute_121" gives PTX
  friend auto operator<=>(const CompileJob&, const CompileJob&) = default;
};

struct CompiledKernel {
  std::string code;      // cubin, or PTX with its terminating zero
  std::string symbol;    // the kernel's name in it
  std::string constant;  // the constant array's name in it, or empty
};

// Errors read "tile_linear.cu:31: identifier "foo" is undefined", followed by NVRTC's whole log on the next lines.
Result<CompiledKernel> nvrtc_compile(const KernelTexts& texts, const CompileJob& job);

std::string nvrtc_version();             // "13.0"
std::vector<int> nvrtc_architectures();  // 75, 80, ...: compute capability times 10, in rising order

}  // namespace conv
