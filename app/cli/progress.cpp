#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace conv {

void Progress::advance(const std::string& doing) {
  ++done_;
  const auto now = std::chrono::steady_clock::now();
  if (!isatty(STDERR_FILENO) || (now - shown_ < std::chrono::milliseconds(100) && done_ != total_)) return;
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
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace conv
