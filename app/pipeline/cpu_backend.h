// The CPU as a Backend: the CPU executor for kernels, host functions for the rest. Results arrive some frames later.
#pragma once
#include <array>

#include "app/pipeline/backend.h"
#include "app/pipeline/cpu_worker.h"

namespace conv {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(CurrentFrame& frames) : frames_(frames) {}

  DeviceReport device() const override;
  DeviceLimits limits() const override { return cpu_limits(); }

  void begin_frame(const FrameJob& job) override { trace_ = job.trace; }
  Collected collect(int lane) override;
  bool ready(int lane, bool changed) const override { return changed || !worker_.busy(lane); }
  Result<Submitted> submit(int lane, const LaneJob& job) override;
  Result<bool> write_texture(int lane, DisplayTexture& texture) override;
  void cancel(int lane) override { worker_.cancel(lane); }

  void start_race(std::shared_ptr<const HostImage> source) override;
  void end_race() override;
  bool takes_turn(float) const override { return racer_ < 0; }
  Result<Turn> start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int launches) override;
  std::optional<TurnTime> finished_turn(int racer) override;
  Result<HostImage> race_result(int) override { return race_image_; }

 private:
  CurrentFrame& frames_;
  CpuWorker worker_;
  std::array<HostImage, max_lanes> results_;
  std::shared_ptr<FrameTrace> trace_;  // of this frame
  std::shared_ptr<const HostImage> race_source_;
  int racer_ = -1;  // the racer whose turn is running; -1: none
  HostImage race_image_;
};

}  // namespace conv
