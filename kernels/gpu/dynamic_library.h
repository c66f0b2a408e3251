// Libraries of NVIDIA, loaded when one is needed: the program starts without them, and finds those installed later.
#pragma once
#include <filesystem>
#include <initializer_list>
#include <string>

namespace conv {

class Library {
 public:
  // Loads the first of these files that exists in cuda_roots(), else where the loader looks.
  // `name`: for messages, "libcufft".
  Library(std::string name, std::initializer_list<const char*> files);

  // Null if there is none; error() then says why the library cannot be used.
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }
  const std::string& error() const { return error_; }
  const std::filesystem::path& folder() const { return folder_; }  // empty if the loader found the library

 private:
  bool load(const std::filesystem::path& folder, const char* file);
  void* address_of(const char* symbol);
  std::string name_, error_;
  std::filesystem::path folder_;
  void* handle_ = nullptr;  // never unloaded
};

}  // namespace conv
