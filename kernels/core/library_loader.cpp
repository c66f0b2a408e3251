#include "kernels/core/library_loader.h"

#include <dlfcn.h>

namespace conv {

bool LibraryLoader::try_open(const std::filesystem::path& file) {
  handle_ = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  return handle_ != nullptr;
}

void LibraryLoader::open(const std::filesystem::path& file) {
  if (!try_open(file)) note(file.string());
}

void* LibraryLoader::address_of(const char* name) {
  void* found = handle_ ? dlsym(handle_, name) : nullptr;
  if (!found) note(name);
  return found;
}

void LibraryLoader::note(const std::string& name) {
  if (missing_.empty()) missing_ = name;
}

}  // namespace conv
