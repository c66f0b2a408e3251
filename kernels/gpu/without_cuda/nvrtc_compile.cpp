#include "kernels/gpu/without_cuda.h"

#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

Result<CompiledKernel> nvrtc_compile(const KernelTexts&, const CompileJob&) {
  return failure("Built without CUDA: there is no compiler for GPUs.");
}

Result<CountedKernel> nvrtc_compile_and_count(const KernelTexts&, CompileJob) {
  return failure("Built without CUDA: there is no compiler for GPUs.");
}

int driver_version() {
  return 0;
}

void set_driver_version(int) {}

void set_compiler_of_edited_texts(CompileEdited) {}

std::string why_no_nvrtc() {
  return without_cuda;
}

std::string nvrtc_version() {
  return "0.0";
}

}  // namespace conv
