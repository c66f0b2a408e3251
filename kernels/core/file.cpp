#include "kernels/core/file.h"

#include <fmt/format.h>

#include <unistd.h>
#include <cstdlib>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return in ? std::optional(content.str()) : std::nullopt;
}

Result<void> write_file(const fs::path& path, std::string_view bytes) {
  static std::atomic<int> counter = 0;  // two threads may write the same file
  const fs::path part = fmt::format("{}.{}.{}.part", path.string(), getpid(), counter++);
  std::error_code error, ignored;
  std::ofstream out(part, std::ios::binary);
  out << bytes;
  out.close();
  if (!out) error = std::error_code(errno, std::generic_category());
  if (!error) fs::rename(part, path, error);
  if (!error) return {};
  fs::remove(part, ignored);
  return failure(fmt::format("{}: cannot be written: {}", path.string(), error.message()));
}

std::filesystem::path config_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config)
    return std::filesystem::path(config) / "convoscope";
  const char* home = std::getenv("HOME");
  return home && *home ? std::filesystem::path(home) / ".config" / "convoscope" : std::filesystem::path();
}
