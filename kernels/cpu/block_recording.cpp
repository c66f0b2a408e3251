#include "kernels/cpu/block_recording.h"

#include <algorithm>

namespace conv {

using conv_cpu::Access;
using conv_cpu::Space;

BlockRecorder::BlockRecorder(const KernelStep& step) : block_(step.block) {
  recording_.written.resize(static_cast<std::size_t>(block_.area()));
}

void BlockRecorder::begin_block(const conv_cpu::ThreadIndex& first_thread) {
  recording_.block = point_of(first_thread.block);
}

void BlockRecorder::access(const MemoryAccess& a) {
  const auto id = static_cast<std::size_t>(a.thread.thread.y * block_.width + a.thread.thread.x);
  constexpr int most_epochs = 4096;  // an endless loop of barriers must not fill the memory
  if (a.block_epoch >= most_epochs) return;
  while (static_cast<int>(epochs_.size()) <= a.block_epoch)
    epochs_.emplace_back(static_cast<std::size_t>(block_.area()));
  Share& share = epochs_[a.block_epoch][id];
  switch (a.space) {
    case Space::taps: ++recording_.tap_reads; return;
    case Space::shared:
      recording_.shared_bytes = std::max(recording_.shared_bytes, a.x + a.y);
      if (a.access == Access::read) {
        ++recording_.shared_reads;
        ++share.shared_reads;
      } else {
        ++recording_.shared_writes;
        share.shared_writes.push_back(a.x);
      }
      return;
    case Space::global: break;
  }
  if (a.access == Access::read) {
    ++recording_.source_reads;
    ++share.source_reads;
  } else {
    ++recording_.target_writes;
    share.stores = true;
    recording_.written[id].push_back({a.x, a.y});
  }
}

void BlockRecorder::add_epoch(int epoch) {
  const std::vector<Share>& shares = epochs_[epoch];
  const auto add = [&](PhaseKind kind, int wave, const auto& active, const auto& cell) {
    BlockPhase phase{.kind = kind, .wave = wave, .epoch = epoch};
    for (const Share& share : shares) {
      phase.active.push_back(active(share));
      phase.cell.push_back(phase.active.back() ? cell(share) : -1);
      phase.count += phase.active.back();
    }
    if (phase.count > 0) recording_.phases.push_back(std::move(phase));
  };
  const auto no_cell = [](const Share&) { return -1; };
  // Where the border's value is used, nothing is read: a thread that writes without having added up anything is
  // loading.
  const auto loads = [](const Share& share) { return share.shared_reads == 0 && !share.shared_writes.empty(); };
  std::size_t waves = 0;
  for (const Share& share : shares)
    if (loads(share)) waves = std::max(waves, share.shared_writes.size());
  for (std::size_t wave = 0; wave < waves; ++wave)
    add(
        PhaseKind::load, static_cast<int>(wave),
        [&](const Share& share) { return loads(share) && share.shared_writes.size() > wave; },
        [&](const Share& share) {
          const int byte = share.shared_writes[wave];
          return static_cast<int>(std::lower_bound(cells_.begin(), cells_.end(), byte) - cells_.begin());
        });
  add(
      PhaseKind::stage, 0,
      [](const Share& share) { return share.shared_reads > 0 && !share.shared_writes.empty() && !share.stores; },
      no_cell);
  add(
      PhaseKind::compute, 0,
      [&](const Share& share) {
        return !loads(share) && (share.shared_writes.empty() || share.stores) &&
               (share.shared_reads > 0 || share.source_reads > 0);
      },
      no_cell);
  add(
      PhaseKind::store, 0, [](const Share& share) { return share.stores; }, no_cell);
}

BlockRecording BlockRecorder::finished() {
  // The staged tile is what is written first, before the first barrier.
  if (!epochs_.empty())
    for (const Share& share : epochs_.front())
      cells_.insert(cells_.end(), share.shared_writes.begin(), share.shared_writes.end());
  std::sort(cells_.begin(), cells_.end());
  cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
  for (int epoch = 0; epoch < static_cast<int>(epochs_.size()); ++epoch) add_epoch(epoch);
  for (std::size_t id = 0; id < static_cast<std::size_t>(block_.area()); ++id) {
    const bool does = std::any_of(epochs_.begin(), epochs_.end(), [&](const std::vector<Share>& shares) {
      const Share& share = shares[id];
      return share.source_reads > 0 || share.shared_reads > 0 || !share.shared_writes.empty();
    });
    ++(!recording_.written[id].empty() ? recording_.threads.writing
       : does                          ? recording_.threads.loading_only
                                       : recording_.threads.idle);
  }
  return std::move(recording_);
}

}  // namespace conv
