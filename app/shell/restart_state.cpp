#include "app/shell/restart_state.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace conv {

namespace {

constexpr const char* option = "--restart-state";
constexpr long long max_bytes = 4 << 20;

}  // namespace

std::vector<std::string> with_restart_state(std::vector<std::string> arguments, const std::string& text) {
  const auto before = std::find(arguments.begin(), arguments.end(), option);
  if (before != arguments.end()) arguments.erase(before, std::min(before + 2, arguments.end()));
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);  // also the device's files: the new process opens its own
  const int memory = memfd_create("convoscope-restart", MFD_ALLOW_SEALING);
  if (memory < 0) return arguments;
  if (::write(memory, text.data(), text.size()) == static_cast<ssize_t>(text.size())) {
    arguments.emplace_back(option);
    arguments.push_back(std::to_string(memory));
  }
  return arguments;
}

std::optional<std::string> take_restart_state(int descriptor) {
  struct stat status {};
  // Only memory files have seals, so no other file that happens to have this number is read.
  if (descriptor < 3 || ::fcntl(descriptor, F_GET_SEALS) < 0 || ::fstat(descriptor, &status) != 0 ||
      status.st_size > max_bytes)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const bool whole = ::pread(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  ::close(descriptor);
  return whole ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace conv
