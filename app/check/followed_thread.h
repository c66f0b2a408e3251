// One thread of a block followed through its kernel, with each access in words and numbers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/check/traced_block.h"
#include "kernels/cpu/thread_recording.h"

namespace conv {

struct ThreadQuestion {
  BlockQuestion block;
  std::optional<Point2> pixel;  // as the block's, in source coordinates; none: the first thread
  friend bool operator==(const ThreadQuestion&, const ThreadQuestion&) = default;
};

struct FollowedThread {
  ThreadQuestion question;
  ThreadRecording recording;
  std::vector<Point2> written;  // pixels of what the step writes, in order

  const LaunchPlan& plan() const { return *question.block.plan; }
  const KernelStep& step() const { return *question.block.step; }
};

// Follows the thread that writes the pixel. If no thread of the block writes it, follows the first thread.
FollowedThread followed_thread(const ThreadQuestion& question);

// How the launch comes to this thread, line by line: the rounded-up number of blocks, "60·16 + 3 = 963" for x, and how
// many threads of the launch write no pixel.
std::vector<std::string> origin_of(const FollowedThread& thread);
// What one step accesses: position, the border rule, place in the tile, memory index and bytes.
std::vector<std::string> text_of(const FollowedThread& thread, const ThreadStep& step);

}  // namespace conv
