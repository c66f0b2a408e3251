#include "app/cli/standard_streams.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "kernels/core/file.h"

namespace conv {

Result<std::string> read_standard_input() {
  if (isatty(STDIN_FILENO)) return failure("standard input is a terminal; send a picture to it: ... - < picture.png");
  std::string bytes;
  std::array<char, 1 << 16> part;
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), stdin)) {
    bytes.append(part.data(), count);
    if (bytes.size() >= max_file_bytes) return failure("standard input: more than 2 GiB");
  }
  if (std::ferror(stdin)) return failure(fmt::format("standard input: cannot be read: {}", std::strerror(errno)));
  if (bytes.empty()) return failure("standard input: is empty");
  return bytes;
}

Result<void> write_standard_output(const std::string& bytes) {
  if (isatty(STDOUT_FILENO)) return failure("the result is not text; send it to a file or a program: ... > result.png");
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0) return {};
  return failure(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
}

std::string ending_for_stream(const Picture& picture) {
  return picture.is_float && picture.storage != FloatStorage::u16 ? ".npy" : ".png";
}

}  // namespace conv
