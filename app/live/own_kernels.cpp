#include "app/live/own_kernels.h"

#include <fmt/format.h>

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

std::string kernel_file_named(std::string_view name) {
  for (const Variant* variant : variants()) {
    const std::string file = kernel_file_of(*variant);
    if (!file.empty() && std::filesystem::path(file).filename() == name) return file;
  }
  return "";
}

Result<OwnKernels> read_own_kernels(const std::filesystem::path& folder) {
  OwnKernels kernels;
  if (folder.empty()) return kernels;
  for (const Variant* variant : variants()) {
    const std::string file = kernel_file_of(*variant);
    if (file.empty()) continue;
    const std::filesystem::path path = kept_in(folder, file);
    if (file_exists(path)) kernels[file] = CONV_TRY(read_file(path, most_kernel_bytes));
  }
  return kernels;
}

Result<void> write_own_kernel(const std::filesystem::path& folder, const OwnKernel& kernel) {
  if (folder.empty()) return {};
  const std::filesystem::path path = kept_in(folder, kernel.file);
  if (kernel.text.size() > most_kernel_bytes)
    return failure(fmt::format("{}: not kept, because it has more than 1 MiB", path.string()));
  if (kernel.text != built_in_kernel(kernel.file)) return write_file_and_folders(path, kernel.text);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return {};
}

}  // namespace conv
