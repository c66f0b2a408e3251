// The text of the kernel files: as edited in the window, else from the source folder if it exists, so that edits there
// take effect, else as built into the program.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace conv {

// The texts of all files, read together. Paths are relative to the source folder: "kernels/variants/global.cu".
struct KernelTexts {
  std::map<std::string, std::string> files;
  std::string hash;  // of all paths and texts
};

// Whether this kernel file, or a header, is not as it was built in.
bool is_edited(const KernelTexts& texts, const std::string& file);

// These texts, with their hash.
std::shared_ptr<const KernelTexts> texts_with(std::map<std::string, std::string> files);

// 128 bits of FNV-1a in hexadecimal. Names cache entries; protects against accidents, not against attackers.
std::string hash_of(std::string_view text);

class KernelSources {
 public:
  // Looks for `kernels/` below folder; if it is missing, the files built into the program are used.
  explicit KernelSources(std::filesystem::path folder = default_folder());
  // The program's folder, what is installed beside it, or, if the program lies in its own source tree, that tree.
  static std::filesystem::path default_folder();

  std::shared_ptr<const KernelTexts> texts() const { return texts_; }
  bool embedded() const { return embedded_; }
  // The file, or "kernels/api", if what the kernel in this file is compiled from was edited after the program was
  // built; otherwise empty. Then its CPU twin is the older one.
  std::string edited(std::string_view file) const;
  // A sentence about edited files that are not taken, because the program itself is built with them; otherwise empty.
  const std::string& refused() const { return refused_; }

  // From now on, the file has this text, whatever is on disk; without one, it has that again. Returns whether the texts
  // are new.
  bool use(const std::string& file, std::optional<std::string> text);
  // Texts that are not those on disk, by file.
  const std::map<std::string, std::string, std::less<>>& used() const { return used_; }

  // Reads the files again if one has changed on disk; checks at most every 0.5 s. True if the texts are new, or what is
  // refused.
  bool poll();

 private:
  std::filesystem::file_time_type newest_change() const;
  void read();

  std::filesystem::path folder_;
  std::map<std::string, std::string, std::less<>> used_;  // in place of what is on disk
  bool embedded_ = false;
  std::set<std::string, std::less<>> edited_;
  std::string refused_;
  std::shared_ptr<const KernelTexts> texts_;
  std::filesystem::file_time_type seen_{};
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace conv
