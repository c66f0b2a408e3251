// Compiled kernels on disk, under the user's cache folder. Several programs may use it at once.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

class CubinCache {
 public:
  // folder: made when needed; empty turns the cache off.
  explicit CubinCache(std::filesystem::path folder = default_folder(), std::uintmax_t max_bytes = 256u << 20);
  static std::filesystem::path default_folder();

  static std::string key_of(const KernelTexts& texts, const CompileJob& job);

  // Nothing for a missing, cut-off or altered entry; the last two are deleted. A hit counts as used now.
  std::optional<CompiledKernel> get(const std::string& key) const;
  // Written whole under another name and moved into place. Failure to write is no failure of the caller's.
  void put(const std::string& key, const CompiledKernel& kernel) const;

 private:
  std::filesystem::path entry(const std::string& key) const { return folder_ / (key + ".cubin"); }
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::uintmax_t max_bytes_;
};

}  // namespace conv
