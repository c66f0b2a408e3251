// What one lane needs on the device besides source and target, kept from frame to frame.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/gpu/device_image.h"
#include "kernels/gpu/event_timer.h"
#include "kernels/gpu/stream_pool.h"
#include "kernels/gpu/texture_object.h"

namespace conv {

class Workspace {
 public:
  // Off: single launches are not timed, for callers that time many together.
  void measure(bool on) { measured_ = on; }
  bool measured() const { return measured_; }
  EventTimer& timer() { return timer_; }
  // When the launch polled last began; nothing unless the clocks were related then.
  std::optional<ClockAnchor::Time> began() const { return timer_.began(); }

  // Whether its taps and scratch images are on the device.
  bool is_ready_for(const std::shared_ptr<const LaunchPlan>& plan) const { return plan_ == plan; }
  void set_ready_for(std::shared_ptr<const LaunchPlan> plan) { plan_ = std::move(plan); }
  // Brings both there, and allocates host memory for plans that begin and end there.
  Result<void> reserve(const LaunchPlan& plan, StreamPool& streams);
  // The source of a plan that begins in host memory. Waits for the main stream if it changes.
  Result<void> take_host_source(const std::shared_ptr<const HostImage>& host, StreamPool& streams);

  PixelBuffer scratch(int index) const { return scratch_[static_cast<std::size_t>(index)].image.buffer(); }
  const HostBuffer& host_source() const { return host_source_; }
  const HostBuffer& host_target() const { return host_target_; }
  const float* taps(int device, int table) const;
  // The taps of the step with this number.
  TextureObject& texture(std::size_t step);
  // The result of a plan that ends in host memory, once its launch is finished.
  HostImage host_result() const;

 private:
  struct Scratch {
    DeviceImage image;
    int device = 0;
  };
  Result<void> reserve_scratch(const std::vector<ScratchImage>& wanted);
  Result<void> upload_taps(int device, const std::vector<TapsTable>& tables, StreamPool& streams);

  std::vector<Scratch> scratch_;
  std::map<int, std::vector<DeviceBuffer>> taps_;  // by device
  std::shared_ptr<const LaunchPlan> plan_;
  HostBuffer host_source_, host_target_;           // for plans that time the transfers
  std::shared_ptr<const HostImage> host_content_;  // the image in host_source_
  std::vector<TextureObject> textures_;            // one per step that reads a texture
  EventTimer timer_;
  bool measured_ = true;
};

}  // namespace conv
