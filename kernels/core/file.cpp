#include "kernels/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "kernels/core/descriptor.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

std::string words_of(int code) {
  return std::error_code(code, std::generic_category()).message();
}

// Opens for reading. Does not wait for the writer of a pipe, but does wait while another program holds a lease on the
// file.
int open_to_read(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0 || errno != EWOULDBLOCK) return file;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  errno = EWOULDBLOCK;
  return -1;
}

Result<struct stat> regular(const fs::path& path, int file) {
  const std::string name = path.string();
  if (file < 0)
    return failure(errno == ENOENT ? fmt::format("{}: no such file", name)
                                   : fmt::format("{}: cannot be read: {}", name, words_of(errno)));
  struct stat status {};
  if (::fstat(file, &status) != 0) return failure(fmt::format("{}: cannot be read: {}", name, words_of(errno)));
  if (S_ISDIR(status.st_mode)) return failure(fmt::format("{}: is a folder, not a file", name));
  if (!S_ISREG(status.st_mode)) return failure(fmt::format("{}: is a device or a pipe, not a file", name));
  return status;
}

// 0, or the error number.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

// The path with links resolved, even if its last part does not exist yet.
fs::path behind_links(fs::path path) {
  constexpr int most_links = 40;  // the limit that the kernel uses
  for (int i = 0; i < most_links; ++i) {
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return path;
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

// Standard output and similar files, which another program may have open, are written to and not replaced.
bool names_open_file(const fs::path& path) {
  const std::string text = path.lexically_normal().string();
  return text == "/dev/stdin" || text == "/dev/stdout" || text == "/dev/stderr" || text.starts_with("/dev/fd/") ||
         (text.starts_with("/proc/") && text.find("/fd/") != std::string::npos);
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
  const Descriptor file(open_to_read(path));
  const struct stat status = CONV_TRY(regular(path, file.number()));
  const auto too_large = [&] {
    return failure(fmt::format("{}: is larger than {} MB", path.string(), std::max<std::size_t>(1, limit >> 20)));
  };
  if (static_cast<std::size_t>(status.st_size) > limit) return too_large();
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  while (true) {
    if (have == bytes.size()) bytes.resize(bytes.size() + 4096);  // it may have grown since, or have no known size
    const ssize_t count = ::read(file.number(), bytes.data() + have, bytes.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure(fmt::format("{}: cannot be read: {}", path.string(), words_of(errno)));
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
    if (have > limit) return too_large();
  }
  bytes.resize(have);
  return bytes;
}

Result<void> check_readable(const fs::path& path) {
  const Descriptor file(open_to_read(path));
  return regular(path, file.number()).map([](const struct stat&) {});
}

Result<FileBeside> FileBeside::create(const fs::path& target) {
  const auto refuse = [&](const std::string& why) {
    return failure(fmt::format("{}: cannot be written: {}", target.string(), why));
  };
  struct stat status {};
  const bool there = ::stat(target.c_str(), &status) == 0;
  if (!there && errno == ELOOP) return refuse(words_of(ELOOP));
  if (there && S_ISDIR(status.st_mode)) return refuse("it is a folder");
  const fs::path behind = behind_links(target);
  if (there && (!S_ISREG(status.st_mode) || names_open_file(target) || names_open_file(behind)))
    return FileBeside(target, target, target);
  if (there && ::access(target.c_str(), W_OK) != 0) return refuse(words_of(errno));
  static std::atomic<int> counter = 0;  // two threads may write the same file
  while (true) {
    // Short, because file names have a largest length.
    const fs::path name = behind.parent_path() / fmt::format(".convoscope.{}.{}.part", getpid(), counter++);
    // O_EXCL: a link that somebody put there is not followed.
    const Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.number() < 0 && errno == EEXIST) continue;
    if (file.number() < 0) return refuse(errno == ENOENT ? "the folder does not exist" : words_of(errno));
    if (there) ::fchmod(file.number(), status.st_mode & 07777);
    return FileBeside(target, behind, name);
  }
}

FileBeside::FileBeside(FileBeside&& other) noexcept
    : shown_(std::move(other.shown_)), target_(std::move(other.target_)), path_(std::exchange(other.path_, {})) {}

FileBeside::~FileBeside() {
  if (!path_.empty() && !direct()) ::unlink(path_.c_str());
}

Error FileBeside::error(int code) const {
  return {fmt::format("{}: cannot be written: {}", shown_.string(), words_of(code))};
}

Result<void> FileBeside::write(std::string_view bytes) {
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND | (direct() ? 0 : O_NOFOLLOW)));
  if (file.number() < 0) return tl::unexpected(error(errno));
  if (const int code = write_all(file.number(), bytes)) return tl::unexpected(error(code));
  return {};
}

Result<void> FileBeside::commit() {
  if (direct()) return {};
  {
    const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.number() < 0 || ::fsync(file.number()) != 0) return tl::unexpected(error(errno));
  }
  if (::rename(path_.c_str(), target_.c_str()) != 0) return tl::unexpected(error(errno));
  path_.clear();
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); opened.number() >= 0)
    ::fsync(opened.number());  // so that the new name survives a power loss; not every file system supports this
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  FileBeside file = CONV_TRY(FileBeside::create(path));
  CONV_TRY(file.write(bytes));
  return file.commit();
}

InputFiles::InputFiles(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) files_.emplace(status.st_dev, status.st_ino);
  }
}

Result<void> check_output(const fs::path& output, const InputFiles& inputs, bool replace) {
  struct stat out {};
  if (::stat(output.c_str(), &out) != 0 || !S_ISREG(out.st_mode) || names_open_file(output) ||
      names_open_file(behind_links(output)))
    return {};
  if (inputs.has(out.st_dev, out.st_ino))
    return failure(fmt::format("{}: is the input itself. Choose another name for the result", output.string()));
  if (!replace)
    return failure(fmt::format("{}: exists already. Choose another name (on the command line --force replaces it)",
                               output.string()));
  return {};
}

fs::path config_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config) return fs::path(config) / "convoscope";
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config" / "convoscope" : fs::path();
}

bool file_exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace conv
