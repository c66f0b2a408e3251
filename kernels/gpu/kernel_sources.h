// The text of the kernel files: from the source folder if it exists, so that edits take effect, otherwise from the
// program.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace conv {

// The texts of all files, read together. Paths are relative to the source folder: "kernels/variants/global.cu".
struct KernelTexts {
  std::map<std::string, std::string> files;
  std::string hash;  // of all paths and texts
};

// 128 bits of FNV-1a in hexadecimal. Names cache entries; protects against accidents, not against attackers.
std::string hash_of(std::string_view text);

class KernelSources {
 public:
  // Looks for `kernels/` below folder; if it is missing, the files built into the program are used.
  explicit KernelSources(std::filesystem::path folder = default_folder());
  static std::filesystem::path default_folder();

  std::shared_ptr<const KernelTexts> texts() const { return texts_; }
  bool embedded() const { return embedded_; }
  // Whether the file on disk differs from the one that the CPU twin was built from.
  bool differs_from_built(std::string_view file) const;

  // Reads the files again if one has changed on disk; checks at most every 0.5 s. True if the texts are new.
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
