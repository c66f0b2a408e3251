#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace conv {

// A bar is for people: not for files, and not for those who asked for plain text.
static bool shows_bars() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && (!no_colour || *no_colour == '\0');
}

void Progress::advance(const std::string& doing) {
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!shows_bars() || (now - shown_ < std::chrono::milliseconds(100) && done_ != total_)) return;
  shown_ = now;
  std::string bar;
  if (total_ >= done_) {  // a stream may have more frames than it declares
    constexpr std::size_t width = 30;
    const std::size_t full = done_ * width / total_;
    bar = fmt::format("[{}{}] {}/{}", std::string(full, '#'), std::string(width - full, '.'), done_, total_);
    if (done_ < total_)
      bar +=
          fmt::format(", {:.0f} s left", seconds() / static_cast<double>(done_) * static_cast<double>(total_ - done_));
  } else {
    bar = fmt::format("{} frames", done_);
  }
  fmt::print(stderr, "\r{}, {:.1f}/s{}{}\x1b[K", bar, static_cast<double>(done_) / seconds(),
             doing.empty() ? "" : " · ", doing);
}

void Progress::end() const {
  if (shows_bars()) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace conv
