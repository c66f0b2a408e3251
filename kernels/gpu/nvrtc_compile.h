// Compiles one kernel instance with NVRTC. Needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/kernel_instance.h"
#include "kernels/core/occupancy.h"
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
// Of the exact instance of a step's kernel.
inline CompileJob exact_job(const KernelInstance& kernel, std::string architecture) {
  return {.file = std::string(kernel.file),
          .instance = kernel.exact.text(),
          .constant_symbol = std::string(kernel.constant_symbol),
          .options = kernel.options,
          .architecture = std::move(architecture)};
}

struct CompiledKernel {
  std::string code;      // cubin, or PTX with its terminating zero
  std::string symbol;    // the kernel's name in it
  std::string constant;  // the constant array's name in it, or empty
};

// Errors read "tile_linear.cu:31: identifier "foo" is undefined", followed by NVRTC's whole log on the next lines.
Result<CompiledKernel> nvrtc_compile(const KernelTexts& texts, const CompileJob& job);

// With what the kernel takes of a multiprocessor, as ptxas counts it for this machine code: registers, and static
// shared and local memory. The plan's dynamic shared memory and the block are not known here.
struct CountedKernel {
  CompiledKernel kernel;
  KernelResources resources;
};
Result<CountedKernel> nvrtc_compile_and_count(const KernelTexts& texts, CompileJob job);

// Compiles texts that are not the program's own, as a file may come from somebody else. counts: with the resources.
using CompileEdited = Result<CountedKernel> (*)(const KernelTexts& texts, const CompileJob& job, bool counts);
// From now on both functions leave such texts to this one. To be called before threads are started.
void set_compiler_of_edited_texts(CompileEdited compile);

// The CUDA version that the driver supports, times 1000; 0 without a driver. It decides which NVRTC is used.
int driver_version();
// In a process that is to leave the driver alone: another process has asked it. To be called before the others.
void set_driver_version(int version);

std::string why_no_nvrtc();              // what to install; empty if NVRTC is there
std::string nvrtc_version();             // "13.0"; "0.0" without NVRTC
std::vector<int> nvrtc_architectures();  // 75, 80, ...: compute capability times 10, rising; empty without NVRTC

}  // namespace conv
