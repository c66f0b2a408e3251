// A folder for files that are needed for a while.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>

#include "kernels/core/error.h"

namespace conv {

// The folder goes with this object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> create() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "convoscope-XXXXXX").string();
    if (error || !::mkdtemp(name.data()))
      return failure("no temporary folder can be made. TMPDIR must name a folder that can be written");
    return ScratchFolder(name);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace conv
