#include "kernels/gpu/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/gpu/cuda_roots.h"

namespace conv {

bool Library::load(const std::filesystem::path& folder, const char* file) {
  handle_ = dlopen((folder / file).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_) folder_ = folder;
  return handle_ != nullptr;
}

Library::Library(std::string name, std::initializer_list<const char*> files) : name_(std::move(name)) {
  for (const std::filesystem::path& root : cuda_roots())
    for (const char* folder : {"lib64", "lib"})
      for (const char* file : files)
        if (load(root / folder, file)) return;
  for (const char* file : files)
    if (load({}, file)) return;
  error_ = fmt::format("{} not found (optional): third_party/README.md says how to get it", name_);
}

void* Library::address_of(const char* symbol) {
  void* found = handle_ ? dlsym(handle_, symbol) : nullptr;
  if (!found && error_.empty())
    error_ = fmt::format("this {} lacks {}; install the one of CUDA 12 or 13", name_, symbol);
  return found;
}

}  // namespace conv
