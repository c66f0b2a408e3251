#include "kernels/cpu/recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace conv {

using conv_cpu::Access;
using conv_cpu::Space;

Recorder::Recorder(const KernelStep& step, Size2 target, int warp_size, int cell_bytes)
    : block_(step.block),
      target_(target),
      warp_size_(warp_size),
      cell_bytes_(cell_bytes),
      cells_(static_cast<std::size_t>(step.shared_bytes / cell_bytes + 1)),
      did_(static_cast<std::size_t>(step.block.area())),
      written_(static_cast<std::size_t>(target.area())) {}

void Recorder::fault(std::string text) {
  if (counts_.faults.size() < 8) counts_.faults.push_back(std::move(text));
}

void Recorder::begin_block(const conv_cpu::ThreadIndex& first_thread) {
  if (inside_) end_block();
  inside_ = true;
  at_ = {first_thread.block.x, first_thread.block.y};
  std::fill(cells_.begin(), cells_.end(), Cell{});
  std::fill(did_.begin(), did_.end(), Did::nothing);
}

void Recorder::end_block() {
  for (const Did did : did_) {
    switch (did) {
      case Did::nothing: ++counts_.threads.idle; break;
      case Did::loaded: ++counts_.threads.loading_only; break;
      case Did::wrote: ++counts_.threads.writing; break;
    }
  }
}

void Recorder::access(Space space, Access access, int x, int y, const conv_cpu::ThreadIndex& thread, int block_epoch,
                      int warp_epoch) {
  const int id = thread.thread.y * block_.width + thread.thread.x;
  switch (space) {
    case Space::taps: ++counts_.tap_reads; return;
    case Space::shared:
      ++(access == Access::read ? counts_.shared_reads : counts_.shared_writes);
      did_[id] = std::max(did_[id], Did::loaded);
      counts_.shared_bytes = std::max(counts_.shared_bytes, x + y);
      for (int byte = x; byte < x + y; byte += cell_bytes_) touch_shared(access, byte, id, block_epoch, warp_epoch);
      return;
    case Space::global: break;
  }
  if (access == Access::read) {
    ++counts_.source_reads;
    did_[id] = std::max(did_[id], Did::loaded);
    return;
  }
  ++counts_.target_writes;
  did_[id] = Did::wrote;
  if (x < 0 || y < 0 || x >= target_.width || y >= target_.height)
    fault(fmt::format("thread ({}, {}) of block ({}, {}) writes outside the target at ({}, {})", thread.thread.x,
                      thread.thread.y, at_.x, at_.y, x, y));
  else if (++written_[static_cast<std::size_t>(y) * target_.width + x] == 2)
    fault(fmt::format("pixel ({}, {}) is written twice", x, y));
}

// Two threads conflict over a cell if one of them wrote it and no barrier separates the accesses: neither a block
// barrier nor, within one warp, a warp barrier.
void Recorder::touch_shared(Access access, int byte, int thread, int block_epoch, int warp_epoch) {
  const std::size_t index = static_cast<std::size_t>(byte / cell_bytes_);
  if (index >= cells_.size() - 1) {
    fault(fmt::format("block ({}, {}) accesses shared byte {}, the plan has {}", at_.x, at_.y, byte,
                      (cells_.size() - 1) * cell_bytes_));
    return;
  }
  Cell& cell = cells_[index];
  const auto conflicts = [&](const Touch& other) {
    if (other.block_epoch != block_epoch || (other.thread == thread && !other.several)) return false;
    return other.several || other.thread / warp_size_ != thread / warp_size_ || other.warp_epoch == warp_epoch;
  };
  if (conflicts(cell.write) || (access == Access::write && conflicts(cell.read)))
    fault(fmt::format("race in block ({}, {}): threads {} and {} access shared byte {} without a barrier in between",
                      at_.x, at_.y, conflicts(cell.write) ? cell.write.thread : cell.read.thread, thread, byte));
  Touch& mine = access == Access::read ? cell.read : cell.write;
  const bool joined = access == Access::read && mine.block_epoch == block_epoch && mine.thread != thread;
  mine = {thread, block_epoch, warp_epoch, joined || (mine.block_epoch == block_epoch && mine.several)};
}

AccessCounts Recorder::finished() {
  if (inside_) end_block();
  inside_ = false;
  const auto never = std::count(written_.begin(), written_.end(), 0);
  if (never > 0) fault(fmt::format("{} pixels are never written", never));
  return std::move(counts_);
}

}  // namespace conv
