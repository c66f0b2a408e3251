#include "kernels/gpu/kernel_library.h"

#include <algorithm>

#include "kernels/gpu/cuda_check.h"

namespace conv {

constexpr std::size_t max_loaded = 128;

KernelLibrary::~KernelLibrary() {
  for (const LoadedKernel& kernel : loaded_) cudaLibraryUnload(kernel.library);
}

Result<LoadedKernel*> KernelLibrary::load(const std::shared_ptr<const CompiledKernel>& code) {
  const auto found =
      std::find_if(loaded_.begin(), loaded_.end(), [&](const LoadedKernel& kernel) { return kernel.code == code; });
  if (found != loaded_.end()) {
    loaded_.splice(loaded_.begin(), loaded_, found);
    return &loaded_.front();
  }
  LoadedKernel kernel{.code = code};
  CONV_TRY_CUDA(cudaLibraryLoadData(&kernel.library, code->code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  loaded_.push_front(kernel);
  LoadedKernel& entry = loaded_.front();
  CONV_TRY_CUDA(cudaLibraryGetKernel(&entry.kernel, entry.library, code->symbol.c_str()));
  if (!code->constant.empty())
    CONV_TRY_CUDA(cudaLibraryGetGlobal(&entry.constant, nullptr, entry.library, code->constant.c_str()));
  if (loaded_.size() > max_loaded) {
    cudaLibraryUnload(loaded_.back().library);
    loaded_.pop_back();
  }
  return &entry;
}

}  // namespace conv
