// Whole files: how they are read, and the one way in which they are written.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

constexpr std::size_t max_file_bytes = std::size_t{1} << 31;

// The bytes of a regular file. Refused in words: what is missing, unreadable, a folder, a device or a pipe (which may
// never end or never answer), and what holds more than `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = max_file_bytes);
// Whether `path` names a regular file that may be read; the error says why not.
Result<void> check_readable(const std::filesystem::path& path);

// Written to a temporary file beside it, synced, then renamed: a reader finds the old file or the new one, whole.
// Links are followed. Devices and pipes are written directly. The error names the file and says why; then what was
// there before is unchanged.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);

// A file that another library writes: it writes to `path()`, then `commit` puts that in the place of the target, in the
// way of write_file. Without commit nothing stays.
class FileBeside {
 public:
  // The error: the folder is missing or cannot be written to.
  static Result<FileBeside> create(const std::filesystem::path& target);
  ~FileBeside();
  FileBeside(FileBeside&& other) noexcept;
  FileBeside& operator=(FileBeside&&) = delete;  // owns the temporary file
  FileBeside(const FileBeside&) = delete;

  // The temporary file; of a device or pipe the target itself.
  const std::filesystem::path& path() const { return path_; }
  Result<void> write(std::string_view bytes);
  Result<void> commit();

 private:
  FileBeside(std::filesystem::path shown, std::filesystem::path target, std::filesystem::path path)
      : shown_(std::move(shown)), target_(std::move(target)), path_(std::move(path)) {}
  Error error(int code) const;
  bool direct() const { return path_ == target_; }

  std::filesystem::path shown_;          // as the user wrote it, for messages
  std::filesystem::path target_, path_;  // path_ is empty after commit
};

// The files that results are made from, whatever their names: through links and as the system numbers them.
class InputFiles {
 public:
  InputFiles(const std::vector<std::filesystem::path>& paths);
  InputFiles(std::initializer_list<std::filesystem::path> paths) : InputFiles(std::vector(paths)) {}
  bool has(unsigned long device, unsigned long number) const { return files_.contains({device, number}); }

 private:
  std::set<std::pair<unsigned long, unsigned long>> files_;
};

// Whether a result may be written there: never onto one of the files it is made from, and onto another file that exists
// only with `replace`. Devices and pipes are no files that could be lost.
Result<void> check_output(const std::filesystem::path& output, const InputFiles& inputs, bool replace);

// Of what the program remembers of its user; empty where there is no home.
std::filesystem::path config_folder();
// Whether a file or folder is there. False also where that cannot be found out.
bool file_exists(const std::filesystem::path& path);

}  // namespace conv
