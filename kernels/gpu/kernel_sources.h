// The text of the kernel files: from the source folder while it is there, so that edits are live, else from the
// program.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace conv {

// One consistent reading of all files. Paths are relative to the source folder: "kernels/variants/global.cu".
struct KernelTexts {
  std::map<std::string, std::string> files;
  std::string hash;  // of all paths and texts
};

// 128 bits of FNV-1a in hexadecimal: names cache entries, guards against accidents, not against attackers.
std::string hash_of(std::string_view text);

class KernelSources {
 public:
  // Looks for `kernels/` below folder; where it is missing, the files built into the program are used.
  explicit KernelSources(std::filesystem::path folder = default_folder());
  static std::filesystem::path default_folder();

  std::shared_ptr<const KernelTexts> texts() const { return texts_; }
  bool embedded() const { return embedded_; }
  // The file on disk is no longer the one the CPU twin was built from.
  bool differs_from_built(std::string_view file) const;

  // Reads the files again when one has changed on disk, looking at most every 0.5 s. True when the texts are new.
  bool poll();

 private:
  std::filesystem::file_time_type newest_change() const;
  void read();

  std::filesystem::path folder_;
  bool embedded_ = false;
  std::shared_ptr<const KernelTexts> texts_;
  std::filesystem::file_time_type seen_{};
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace conv
