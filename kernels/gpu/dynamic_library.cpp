#include "kernels/gpu/dynamic_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace conv {

Library::Library(std::string name, std::initializer_list<const char*> files) : name_(std::move(name)) {
  for (const char* folder : {"", CONV_CUDA_LIBRARIES "/"})
    for (const char* file : files)
      if (!handle_) handle_ = dlopen((std::string(folder) + file).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle_) error_ = fmt::format("{} not found (optional): third_party/README.md says how to get it", name_);
}

void* Library::address_of(const char* symbol) {
  void* found = handle_ ? dlsym(handle_, symbol) : nullptr;
  if (!found && error_.empty())
    error_ = fmt::format("this {} lacks {}; install the one of CUDA 12 or 13", name_, symbol);
  return found;
}

}  // namespace conv
