// Compiled kernels on disk, in the user's cache folder. Several processes may use it at the same time.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

class CubinCache {
 public:
  // folder: created when needed; empty turns the cache off.
  explicit CubinCache(std::filesystem::path folder = default_folder(), std::uintmax_t max_bytes = 256u << 20);
  static std::filesystem::path default_folder();

  static std::string key_of(const KernelTexts& texts, const CompileJob& job);

  // Nothing if the entry is missing, cut off or altered; the last two are deleted. A hit updates the time of last use.
  std::optional<CompiledKernel> get(const std::string& key) const;
  // Writes under another name, then renames. Failing to write is not an error for the caller.
  void put(const std::string& key, const CompiledKernel& kernel) const;

 private:
  std::filesystem::path entry(const std::string& key) const { return folder_ / (key + ".cubin"); }
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::uintmax_t max_bytes_;
};

}  // namespace conv
