// All lanes: each runs its plan on a processor, and shows the result in a texture.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/cpu_backend.h"
#include "app/pipeline/lane.h"

namespace conv {

// The frame, and the processors that read it.
struct Processors {
  CurrentFrame frames;
  CpuBackend cpu{frames};
  std::unique_ptr<Backend> gpu;  // null if there is none
};

class Lanes {
 public:
  // Needs a current GL context. on: must outlive it. interop: whether a GPU may write textures in place. kept_bytes: of
  // a hidden lane's picture; a larger one is given back.
  Lanes(Processors& on, bool interop, long long kept_bytes);

  // The steps of a frame, in this order. context: of this frame.
  // Plans the lanes of the view, one for each of `shown`, takes their results of earlier frames, and hides the others.
  void plan(std::vector<PlanInputs> shown, const PlanContext& context);
  // Runs those that have something new to show; every_frame: all, in order to measure them. trace: see Pipeline::frame.
  void run(const PlanContext& context, bool every_frame, bool waits_for_uploads,
           const std::shared_ptr<FrameTrace>& trace);
  // Shows what has arrived.
  void present();

  const Lane& operator[](int index) const { return lanes_[index]; }
  auto begin() const { return lanes_.begin(); }
  auto end() const { return lanes_.end(); }
  // As in Pipeline.
  bool idle(bool every_frame) const;
  bool has_free_lane() const;
  void retry_interop();
  std::optional<HostImage> result(int index);
  // Host time of mapping the textures, of the frames since a plan has changed.
  const Samples& map_host_ms() const { return map_host_ms_; }
  TexturePool& textures() { return textures_; }

  // The next frame makes every plan anew, though the settings are the same.
  void plan_anew();
  // Stops what the CPU is doing for them.
  void cancel();
  // The variants that run on a GPU now.
  std::vector<std::string> variants_on_gpu() const;
  // Forgets the plans and pictures of all lanes.
  void reset();

 private:
  Backend& backend_of(const Lane& lane) { return lane.on_cpu ? on_.cpu : *on_.gpu; }
  void hide(int index);
  void give_back(int index);
  void give_back_what_is_hidden();
  void plan(Lane& lane, PlanInputs inputs, const PlanContext& context);
  void add_gpu_lanes(FrameJob& job, bool every_frame);
  Result<bool> prepare(const Lane& lane);
  LaneJob job_of(const Lane& lane, const PlanContext& context) const;
  bool wants_samples(const Lane& lane) const;
  bool will_run(int index, bool every_frame);
  void run(int index, const PlanContext& context);
  void collect(int index);
  void take(Lane& lane, const Submitted& submitted, const PlanContext& context);
  void present(int index);

  Processors& on_;
  const bool interop_;
  const long long kept_bytes_;
  TexturePool textures_;
  std::array<Lane, max_lanes> lanes_;
  int first_ = 0;  // in this frame
  Samples map_host_ms_;
};

}  // namespace conv
