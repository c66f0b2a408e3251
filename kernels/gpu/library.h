// NVIDIA's libraries that the program does without: looked for when one is wanted.
#pragma once
#include <initializer_list>
#include <string>

namespace conv {

class Library {
 public:
  // The first of these files that is there, where the loader looks or beside the CUDA libraries of the build. `name`:
  // in words, "libcufft".
  Library(std::string name, std::initializer_list<const char*> files);

  // Null where there is none; then and without a file error() says why the library cannot be used.
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }
  const std::string& error() const { return error_; }

 private:
  void* address_of(const char* symbol);
  std::string name_, error_;
  void* handle_ = nullptr;  // for as long as the program runs
};

}  // namespace conv
