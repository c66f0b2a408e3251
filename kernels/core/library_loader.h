// Libraries that are loaded while the program runs: it starts without them.
#pragma once
#include <filesystem>
#include <string>

namespace conv {

// Loads one library after the other, and notes what is missing. Libraries are never unloaded.
class LibraryLoader {
 public:
  // A name without a folder is looked for where the system's loader looks.
  bool try_open(const std::filesystem::path& file);
  void open(const std::filesystem::path& file);
  // A function of the library opened last; null if it has none of this name.
  template <class Function>
  void find(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(address_of(name));
  }
  const std::string& missing() const { return missing_; }  // the first file or function; empty if all were found

 private:
  void* address_of(const char* name);
  void note(const std::string& name);
  void* handle_ = nullptr;
  std::string missing_;
};

}  // namespace conv
