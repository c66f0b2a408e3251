// Optional libraries of NVIDIA, loaded when one is needed.
#pragma once
#include <initializer_list>
#include <string>

namespace conv {

class Library {
 public:
  // Loads the first of these files that exists, where the loader looks or beside the CUDA libraries of the build.
  // `name`: for messages, "libcufft".
  Library(std::string name, std::initializer_list<const char*> files);

  // Null if there is none; error() then says why the library cannot be used.
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }
  const std::string& error() const { return error_; }

 private:
  void* address_of(const char* symbol);
  std::string name_, error_;
  void* handle_ = nullptr;  // never unloaded
};

}  // namespace conv
