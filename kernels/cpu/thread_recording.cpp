#include "kernels/cpu/thread_recording.h"

#include <string_view>

namespace conv {

using conv_cpu::Access;
using conv_cpu::Space;
using conv_cpu::Way;

namespace {

bool same_line(const conv_cpu::CallSite& a, const conv_cpu::CallSite& b) {
  return a.line == b.line && std::string_view(a.file) == b.file;
}

}  // namespace

ThreadRecorder::ThreadRecorder(const KernelStep& step, Point2 thread)
    : block_width_(step.block.width),
      read_(static_cast<std::size_t>(step.block.area())),
      shared_(static_cast<std::size_t>(step.shared_bytes)) {
  recording_.thread = thread;
}

void ThreadRecorder::begin_block(const conv_cpu::ThreadIndex& first_thread) {
  recording_.block = point_of(first_thread.block);
}

// A thread stores pixels in the order in which it has read them. Once it uses a tap or shared memory, it computes, and
// what it stores is no copy.
void ThreadRecorder::follow_copies(const MemoryAccess& a, bool reads_global) {
  std::vector<Point2>& read = read_[static_cast<std::size_t>(a.thread.thread.y * block_width_ + a.thread.thread.x)];
  if (reads_global) return read.push_back(a.asked);
  if (a.space != Space::shared || a.access == Access::read) return read.clear();
  std::optional<Point2>& there = shared_[static_cast<std::size_t>(a.x)];
  there.reset();
  if (read.empty()) return;
  there = read.front();
  read.erase(read.begin());
}

void ThreadRecorder::add(const MemoryAccess& a, std::optional<Point2> pixel) {
  if (point_of(a.thread.thread) != recording_.thread) return;
  if (recording_.steps.size() == ThreadRecording::most_steps) {
    recording_.complete = false;
    return;
  }
  ThreadStep step{
      .line = a.site, .space = a.space, .access = a.access, .way = a.way, .epoch = a.block_epoch, .part = a.part};
  switch (a.space) {
    case Space::taps: step.tap = a.x; break;
    case Space::shared:
      step.first_byte = a.x;
      step.bytes = a.y;
      step.holds = shared_[static_cast<std::size_t>(a.x)];
      break;
    case Space::global:
      step.asked = a.asked;
      step.pixel = pixel;
      step.image = a.image;
      break;
  }
  if (!recording_.steps.empty() && a.access == Access::read) {
    ThreadStep& last = recording_.steps.back();
    const bool tap_last = last.space == Space::taps, tap_now = a.space == Space::taps;
    if (last.access == Access::read && last.epoch == step.epoch && same_line(last.line, step.line) &&
        tap_last != tap_now && !(tap_now && last.tap)) {
      if (tap_last) std::swap(last, step);
      last.tap = step.tap;
      return;
    }
  }
  recording_.steps.push_back(step);
}

void ThreadRecorder::access(const MemoryAccess& a) {
  if (a.way == Way::arrival) return;
  follow_copies(a, a.space == Space::global && a.access == Access::read);
  add(a, a.space == Space::global ? std::optional(Point2{a.x, a.y}) : std::nullopt);
}

void ThreadRecorder::leave_out(const MemoryAccess& a) {
  follow_copies(a, true);
  add(a, std::nullopt);
}

}  // namespace conv
