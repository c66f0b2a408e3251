#include "kernels/gpu/cuda_library.h"

#include <fmt/format.h>

#include "kernels/gpu/cuda_roots.h"

namespace conv {

bool CudaLibrary::load(const std::filesystem::path& folder, const char* file) {
  loaded_ = loader_.try_open(folder / file);
  if (loaded_) folder_ = folder;
  return loaded_;
}

CudaLibrary::CudaLibrary(std::string name, std::initializer_list<const char*> files) : name_(std::move(name)) {
  for (const std::filesystem::path& root : cuda_roots())
    for (const char* folder : {"lib64", "lib"})
      for (const char* file : files)
        if (load(root / folder, file)) return;
  for (const char* file : files)
    if (load({}, file)) return;
}

std::string CudaLibrary::error() const {
  if (!loaded_) return fmt::format("{} not found (optional): third_party/README.md says how to get it", name_);
  if (loader_.missing().empty()) return {};
  return fmt::format("this {} lacks {}; install the one of CUDA 12 or 13", name_, loader_.missing());
}

}  // namespace conv
