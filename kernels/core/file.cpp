#include "kernels/core/file.h"
#include "kernels/core/units.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

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

Error exists_already(const fs::path& path) {
  return {
      fmt::format("{}: exists already. Choose another name (on the command line --force replaces it)", path.string())};
}

// 0, or the error number.
int put_in_place(const fs::path& from, const fs::path& to, Existing existing) {
  if (existing == Existing::replace) return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // This file system cannot do both in one step.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  // Nor has it links: another program has a moment to make the same file.
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

// Short, because file names have a largest length.
std::string hidden_name(int number) {
  return fmt::format(".convoscope.{}.{}.part", getpid(), number);
}
// "lecture.unfinished.mp4", then "lecture.unfinished-2.mp4".
std::string usable_name(const fs::path& target, int attempt) {
  const std::string number = attempt == 1 ? "" : fmt::format("-{}", attempt);
  return fmt::format("{}.unfinished{}{}", target.stem().string(), number, target.extension().string());
}
bool is_hidden_name(std::string_view name) {
  if (!name.starts_with(".convoscope.") || !name.ends_with(".part")) return false;
  name.remove_prefix(std::strlen(".convoscope."));
  name.remove_suffix(std::strlen("part"));
  return std::all_of(name.begin(), name.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// A lock ends with its program, even if that is killed. False: another program holds it, or this file system has none.
bool lock(const Descriptor& file) {
  return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

// Removes the user's temporary files that no program holds any more; once for each folder.
void remove_left_overs(const fs::path& folder) {
  static std::mutex mutex;
  static std::set<fs::path> cleaned;
  {
    const std::lock_guard guard(mutex);
    if (!cleaned.insert(folder).second) return;
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_hidden_name(entry->path().filename().string())) continue;
    const Descriptor file(::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.number(), &status) != 0) continue;
    if (S_ISREG(status.st_mode) && status.st_uid == ::geteuid() && lock(file)) ::unlink(entry->path().c_str());
  }
}

}  // namespace

Result<std::string> read_file(const fs::path& path, std::size_t limit) {
  const Descriptor file(open_to_read(path));
  const struct stat status = CONV_TRY(regular(path, file.number()));
  const auto too_large = [&] {
    return failure(fmt::format("{}: is larger than {}", path.string(), bytes_text(static_cast<double>(limit))));
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

Result<FileBeside> FileBeside::create(const fs::path& target, Remains remains, Existing existing) {
  const auto refuse = [&](const std::string& why) {
    return failure(fmt::format("{}: cannot be written: {}", target.string(), why));
  };
  struct stat status {};
  const bool there = ::stat(target.c_str(), &status) == 0;
  if (!there && errno == ELOOP) return refuse(words_of(ELOOP));
  if (there && S_ISDIR(status.st_mode)) return refuse("it is a folder");
  const fs::path behind = behind_links(target);
  if (there && (!S_ISREG(status.st_mode) || names_open_file(target) || names_open_file(behind))) {
    if (remains == Remains::usable) return refuse("it is a device or a pipe");
    return FileBeside(target, target, target, Descriptor(), existing);
  }
  if (there && existing == Existing::keep) return tl::unexpected(exists_already(target));
  if (there && ::access(target.c_str(), W_OK) != 0) return refuse(words_of(errno));
  const fs::path folder = behind.parent_path();
  remove_left_overs(folder);
  static std::atomic<int> counter = 0;  // two threads may write the same file
  for (int attempt = 1;; ++attempt) {
    const fs::path path = folder / (remains == Remains::hidden ? hidden_name(counter++) : usable_name(behind, attempt));
    // O_EXCL: a link that somebody put there is not followed.
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!file.is_open() && errno == EEXIST) continue;
    if (!file.is_open()) return refuse(errno == ENOENT ? "the folder does not exist" : words_of(errno));
    // Another program may have found the file before it was locked, and removed it.
    struct stat made {};
    if (!lock(file) && errno == EWOULDBLOCK) continue;
    if (::fstat(file.number(), &made) == 0 && made.st_nlink == 0) continue;
    if (there) ::fchmod(file.number(), status.st_mode & 07777);
    return FileBeside(target, behind, path, std::move(file), existing);
  }
}

FileBeside::FileBeside(FileBeside&& other) noexcept
    : shown_(std::move(other.shown_)),
      target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      lock_(std::move(other.lock_)),
      existing_(other.existing_) {}

FileBeside::~FileBeside() {
  if (!path_.empty() && !direct()) ::unlink(path_.c_str());
}

Error FileBeside::error(int code) const {
  return {fmt::format("{}: cannot be written: {}", shown_.string(), words_of(code))};
}

Result<void> FileBeside::write(std::string_view bytes) {
  // Without O_NONBLOCK, opening a pipe that nobody reads would wait for ever.
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_APPEND | (direct() ? O_NONBLOCK : O_NOFOLLOW)));
  if (file.number() < 0 && errno == ENXIO)
    return failure(fmt::format("{}: cannot be written: it is a pipe that no program reads", shown_.string()));
  if (file.number() < 0) return tl::unexpected(error(errno));
  if (direct()) ::fcntl(file.number(), F_SETFL, ::fcntl(file.number(), F_GETFL) & ~O_NONBLOCK);
  if (const int code = write_all(file.number(), bytes)) return tl::unexpected(error(code));
  return {};
}

Result<void> FileBeside::commit() {
  if (direct()) return {};
  {
    const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (file.number() < 0 || ::fsync(file.number()) != 0) return tl::unexpected(error(errno));
  }
  const int code = put_in_place(path_, target_, existing_);
  if (code == EEXIST && !is_hidden_name(path_.filename().string())) {
    const std::string kept = std::exchange(path_, {}).string();
    return failure(
        fmt::format("{}: another program has made it meanwhile. The result is kept as {}", shown_.string(), kept));
  }
  if (code != 0) return tl::unexpected(code == EEXIST ? exists_already(shown_) : error(code));
  path_.clear();
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); opened.number() >= 0)
    ::fsync(opened.number());  // so that the new name survives a power loss; not every file system supports this
  return {};
}

Result<void> write_file(const fs::path& path, std::string_view bytes, Existing existing) {
  FileBeside file = CONV_TRY(FileBeside::create(path, FileBeside::Remains::hidden, existing));
  CONV_TRY(file.write(bytes));
  return file.commit();
}

Result<void> write_file_and_folders(const fs::path& path, std::string_view bytes) {
  std::error_code ignored;  // the file cannot be written then, which says why
  fs::create_directories(path.parent_path(), ignored);
  return write_file(path, bytes);
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
  return replace ? Result<void>{} : tl::unexpected(exists_already(output));
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
