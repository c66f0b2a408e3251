#include "kernels/cpu/recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace conv {

using conv_cpu::Access;
using conv_cpu::FaultKind;
using conv_cpu::Space;

Recorder::Recorder(const KernelStep& step, Size2 target, int warp_size, int cell_bytes)
    : block_(step.block),
      target_(target),
      warp_size_(warp_size),
      cell_bytes_(cell_bytes),
      cells_(static_cast<std::size_t>(step.shared_bytes / cell_bytes + 1)),
      did_(static_cast<std::size_t>(step.block.area())),
      written_(static_cast<std::size_t>(target.area())) {}

void Recorder::fault(conv_cpu::AccessFault fault) {
  if (std::ranges::find(counts_.faults, fault.kind, &conv_cpu::AccessFault::kind) == counts_.faults.end())
    counts_.faults.push_back(std::move(fault));
}

void Recorder::begin_block(const conv_cpu::ThreadIndex& first_thread) {
  if (inside_) end_block();
  inside_ = true;
  at_ = point_of(first_thread.block);
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

void Recorder::access(const MemoryAccess& a) {
  const int id = a.thread.thread.y * block_.width + a.thread.thread.x;
  switch (a.space) {
    case Space::taps: ++counts_.tap_reads; return;
    case Space::shared:
      ++(a.access == Access::read ? counts_.shared_reads : counts_.shared_writes);
      did_[id] = std::max(did_[id], Did::loaded);
      counts_.shared_bytes = std::max(counts_.shared_bytes, a.x + a.y);
      for (int byte = a.x; byte < a.x + a.y; byte += cell_bytes_) touch_shared(a, byte, id);
      return;
    case Space::global: break;
  }
  if (a.access == Access::read) {
    ++counts_.source_reads;
    did_[id] = std::max(did_[id], Did::loaded);
    return;
  }
  ++counts_.target_writes;
  did_[id] = Did::wrote;
  if (++written_[static_cast<std::size_t>(a.y) * target_.width + a.x] == 2)
    fault({FaultKind::written, fmt::format("{}: pixel ({}, {}) is written twice", to_text(a.site), a.x, a.y)});
}

// Two threads conflict over a cell if one of them wrote it and no barrier separates the accesses: neither a block
// barrier nor, within one warp, a warp barrier.
void Recorder::touch_shared(const MemoryAccess& a, int byte, int thread) {
  Cell& cell = cells_[static_cast<std::size_t>(byte / cell_bytes_)];
  const auto conflicts = [&](const Touch& other) {
    if (other.block_epoch != a.block_epoch || (other.thread == thread && !other.several)) return false;
    return other.several || other.thread / warp_size_ != thread / warp_size_ || other.warp_epoch == a.warp_epoch;
  };
  const bool written = conflicts(cell.write);
  if (written || (a.access == Access::write && conflicts(cell.read))) {
    const Touch& other = written ? cell.write : cell.read;
    fault({FaultKind::race,
           fmt::format(
               "{}: race in block ({}, {}): threads {} and {} access shared byte {} without a barrier in between; "
               "the other is at {}",
               to_text(a.site), at_.x, at_.y, other.thread, thread, byte, to_text(other.site))});
  }
  Touch& mine = a.access == Access::read ? cell.read : cell.write;
  const bool joined = a.access == Access::read && mine.block_epoch == a.block_epoch && mine.thread != thread;
  const bool several = joined || (mine.block_epoch == a.block_epoch && mine.several);
  mine = {thread, a.block_epoch, a.warp_epoch, several, a.site};
}

AccessCounts Recorder::finished() {
  if (inside_) end_block();
  inside_ = false;
  const auto never = std::count(written_.begin(), written_.end(), 0);
  if (never > 0) fault({FaultKind::written, fmt::format("{} pixels are never written", never)});
  std::ranges::sort(counts_.faults, {}, &conv_cpu::AccessFault::kind);
  return std::move(counts_);
}

}  // namespace conv
