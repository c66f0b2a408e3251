// The texts of kernel files as the user has edited them in the window, kept in the folder for what the program
// remembers.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace conv {

struct OwnKernel {
  std::string file;  // "kernels/variants/global.cu"
  std::string text;
  friend bool operator==(const OwnKernel&, const OwnKernel&) = default;
};

// The kernel file with this name, in whichever folder: "kernels/variants/global.cu" for "global.cu"; empty if no
// variant has one.
std::string kernel_file_named(std::string_view name);

using OwnKernels = std::map<std::string, std::string>;  // texts by file

// The text of a kernel file that is built into the program; empty if there is no such file.
std::string_view built_in_kernel(std::string_view file);

// folder: empty if there is none; then nothing is read or written. Fails if a text is there and cannot be read: nothing
// may be written in its place.
Result<OwnKernels> read_own_kernels(const std::filesystem::path& folder);
// Writes "global.cu" there, at most most_kernel_bytes. A text that is the program's own is not kept.
Result<void> write_own_kernel(const std::filesystem::path& folder, const OwnKernel& kernel);

}  // namespace conv
