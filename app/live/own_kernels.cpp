#include "app/live/own_kernels.h"

#include <algorithm>

#include "app/live/kernel_check.h"
#include "app/live/kernel_twin.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"

namespace conv {

// Each variant has another name, in whichever folder its file is.
static std::filesystem::path kept_in(const std::filesystem::path& folder, const std::string& file) {
  return folder / std::filesystem::path(file).filename();
}

std::string_view built_in_kernel(std::string_view file) {
  const auto kernels = embedded_kernels();
  const auto found = std::ranges::find(kernels, file, &EmbeddedFile::path);
  return found == kernels.end() ? std::string_view() : found->text;
}

Result<OwnKernels> read_own_kernels(const std::filesystem::path& folder) {
  OwnKernels kernels;
  if (folder.empty()) return kernels;
  for (const Variant* variant : variants()) {
    const std::string file = kernel_file_of(*variant);
    if (file.empty()) continue;
    if (auto text = read_file(kept_in(folder, file), most_kernel_bytes)) kernels[file] = std::move(*text);
  }
  return kernels;
}

Result<OwnKernel> write_own_kernel(const std::filesystem::path& folder, const OwnKernel& kernel) {
  if (folder.empty()) return kernel;
  const std::filesystem::path path = kept_in(folder, kernel.file);
  std::error_code ignored;
  if (kernel.text == built_in_kernel(kernel.file))
    std::filesystem::remove(path, ignored);
  else
    CONV_TRY(write_file_and_folders(path, kernel.text));
  return kernel;
}

}  // namespace conv
