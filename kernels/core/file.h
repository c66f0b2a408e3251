// Reading whole files, and the one way to write files.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/core/descriptor.h"
#include "kernels/core/error.h"

namespace conv {

constexpr std::size_t max_file_bytes = std::size_t{1} << 31;

// The bytes of a regular file. Refused with a text: missing or unreadable files, folders, devices, pipes (which may
// never end or never answer), and files of more than `limit` bytes.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = max_file_bytes);
// Fails with a text unless `path` is a regular file that can be read.
Result<void> check_readable(const std::filesystem::path& path);

enum class Existing { replace, keep };  // keep: an existing file is an error, also if it has just been made

// Writes to a temporary file in the same folder, syncs it, then renames it: a reader finds the old file or the new one,
// complete. Links are followed. Devices and pipes are written directly. On an error the old file is unchanged, and the
// text names the file and the reason.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes,
                        Existing existing = Existing::replace);

// The same; folders of the path that are missing are made.
Result<void> write_file_and_folders(const std::filesystem::path& path, std::string_view bytes);

// A file that another library writes to `path()`. `commit` renames it to the target as write_file does. Without commit
// nothing remains.
class FileBeside {
 public:
  // What remains if the program is killed. hidden: a file that is removed when a program next writes in this folder.
  // usable: a file beside the target, such as "lecture.unfinished.mp4", for formats that can be read without their end.
  enum class Remains { hidden, usable };
  // Fails if the folder is missing or not writable. A usable file cannot be a pipe or a device.
  static Result<FileBeside> create(const std::filesystem::path& target, Remains remains = Remains::hidden,
                                   Existing existing = Existing::replace);
  ~FileBeside();
  FileBeside(FileBeside&& other) noexcept;
  FileBeside& operator=(FileBeside&&) = delete;  // owns the temporary file
  FileBeside(const FileBeside&) = delete;

  // The temporary file. For a device or pipe: the target itself.
  const std::filesystem::path& path() const { return path_; }
  Result<void> write(std::string_view bytes);
  Result<void> commit();

 private:
  FileBeside(std::filesystem::path shown, std::filesystem::path target, std::filesystem::path path, Descriptor lock,
             Existing existing)
      : shown_(std::move(shown)),
        target_(std::move(target)),
        path_(std::move(path)),
        lock_(std::move(lock)),
        existing_(existing) {}
  Error error(int code) const;
  bool direct() const { return path_ == target_; }

  std::filesystem::path shown_;          // as the user wrote it, for messages
  std::filesystem::path target_, path_;  // path_ is empty after commit
  Descriptor lock_;                      // on the temporary file: it is in use
  Existing existing_;
};

// The input files, by identity: links and different spellings of a name are recognised.
class InputFiles {
 public:
  InputFiles(const std::vector<std::filesystem::path>& paths);
  InputFiles(std::initializer_list<std::filesystem::path> paths) : InputFiles(std::vector(paths)) {}
  bool has(unsigned long device, unsigned long number) const { return files_.contains({device, number}); }

 private:
  std::set<std::pair<unsigned long, unsigned long>> files_;
};

// Fails if the output is one of the input files, or if it is another existing file and `replace` is false. Devices and
// pipes may always be written.
Result<void> check_output(const std::filesystem::path& output, const InputFiles& inputs, bool replace);

// The folder for what the program remembers of its user; empty if there is no home folder.
std::filesystem::path config_folder();
// Whether a file or folder exists. Also false if that cannot be found out.
bool file_exists(const std::filesystem::path& path);

}  // namespace conv
