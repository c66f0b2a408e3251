// Libraries of NVIDIA, loaded when one is needed: the program starts without them, and finds those installed later.
#pragma once
#include <initializer_list>

#include "kernels/core/library_loader.h"

namespace conv {

class CudaLibrary {
 public:
  // Loads the first of these files that exists in cuda_roots(), else where the loader looks.
  // `name`: for messages, "libcufft".
  CudaLibrary(std::string name, std::initializer_list<const char*> files);

  // Null if there is none; error() then says why the library cannot be used.
  template <class Function>
  void find(const char* symbol, Function*& function) {
    loader_.find(symbol, function);
  }
  std::string error() const;                                       // empty if all was found
  const std::filesystem::path& folder() const { return folder_; }  // empty if the loader found the library

 private:
  bool load(const std::filesystem::path& folder, const char* file);
  std::string name_;
  bool loaded_ = false;
  LibraryLoader loader_;
  std::filesystem::path folder_;
};

}  // namespace conv
