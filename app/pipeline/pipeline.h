// One frame: source -> processor -> lanes A and B -> textures. Which processor, the lanes do not know: backend.h.
#pragma once
#include <array>
#include <functional>
#include <memory>

#include "app/pipeline/cpu_backend.h"
#include "app/pipeline/lane.h"
#include "app/pipeline/race.h"
#include "app/pipeline/reference_view.h"

namespace conv {

struct PipelineOptions {
  DeviceChoice device = DeviceChoice::automatic;
  bool interop = true;
  BackendFactory gpu;
  std::function<void(std::string)> log = [](std::string) {};
};

// The filter chosen last that could be used.
struct ChosenFilter {
  FilterSpec filter;
  std::shared_ptr<const Taps> taps;  // null before the first
  double rank_1_error = 0;
  std::string error;  // why the one chosen now cannot be used
  void choose(const FilterSpec& chosen);
};

class Pipeline {
 public:
  // Needs a current GL context. --device gpu on a machine without one fails; otherwise the CPU takes its place.
  static Result<std::unique_ptr<Pipeline>> create(PipelineOptions options);

  // What the lanes read.
  void set_source(std::shared_ptr<const Picture> picture) { frames_.set_picture(std::move(picture)); }
  void set_frame(std::shared_ptr<const Picture> picture) { frames_.set_frame(std::move(picture)); }
  std::shared_ptr<const HostImage> source_in(PixelType type) { return frames_.image(type); }
  // As Backend has it; nothing without a GPU.
  std::function<std::shared_ptr<void>(void*, std::size_t)> page_locking() const;
  std::optional<double> link_rate() { return gpu_ ? gpu_->link_rate() : std::nullopt; }
  // The lanes that run take their source from the device, which makes RGBA of YUV.
  bool takes_yuv() const;

  // Runs the lanes that the view shows. every_frame: also those whose settings did not change. trace: learns, in this
  // frame and later ones, when the processors did what; a GPU is waited for to join its clock with the host's.
  void frame(const Settings& settings, bool every_frame, std::shared_ptr<FrameTrace> trace = nullptr);
  // A frame's share of a race between these variants, with what lane A is set to; none ends it.
  void race(const Settings& settings, const std::vector<std::string>& variants);
  void retry_interop();
  // What the variant "auto" goes by from the next frame on.
  void set_rankings(std::shared_ptr<const std::vector<Ranking>> rankings) { rankings_ = std::move(rankings); }

  // Grows when all that the device knew of this process is lost, page-locked memory too.
  int device_generation() const { return device_generation_; }
  // A fault after which this process gets no new device context; lanes run on the CPU from then on.
  bool lost_gpu() const { return lost_gpu_; }
  bool compiling() const { return gpu_ && gpu_->compiling(); }
  // A lane would run in the next frame: on the CPU one may take many.
  bool has_free_lane() const;
  const Faults& crashed() const { return crashed_; }
  // These crashed before this process: refused until the kernel files change.
  void mark_crashed(Faults faults) { crashed_ = std::move(faults); }

  // All but the times.
  void fill(AppStatus& status) const;
  void fill_times(AppStatus& status) const;
  // The times in status belong to what runs now, and rest on enough samples to be left standing for a while.
  bool times_are_of(const AppStatus& status) const;
  const DisplayTexture& texture(int lane) const { return *lanes_[lane].texture; }
  // The exact picture of what lane A is set to, as floats, 1 at full scale; null while it is being worked out, which
  // the first call begins.
  const DisplayTexture* reference(const Settings& settings);
  // The result shown in the lane's texture, exactly; waits for the GPU. Nothing while the lane has no picture.
  std::optional<HostImage> result(int lane);

 private:
  explicit Pipeline(PipelineOptions options);
  Result<void> start_gpu();
  void reload_kernels();
  void recover(const std::string& fault);
  Backend& backend_of(const Lane& lane) { return lane.on_cpu ? cpu_ : *gpu_; }
  DeviceLimits limits() const;
  PlanContext context() const;
  PlanInputs inputs_of(const LaneSettings& lane, const Settings& settings) const;

  void begin_frame(const Settings& settings, const std::shared_ptr<FrameTrace>& trace);
  void plan(Lane& lane, PlanInputs inputs);
  void run(int index, bool every_frame);
  void collect(int index);
  void take(Lane& lane, const Submitted& submitted);
  void present(int index);

  PipelineOptions options_;
  KernelSources sources_;
  std::string kernels_from_;  // where sources_ come from, and when they were read
  FrameSource frames_;
  CpuBackend cpu_{frames_};
  std::unique_ptr<Backend> gpu_;  // null without one,
  std::string no_gpu_;            // and why
  bool lost_gpu_ = false;
  int device_generation_ = 0;
  Faults crashed_;  // since the kernel files last changed
  std::shared_ptr<const std::vector<Ranking>> rankings_;

  ChosenFilter filter_;
  FilterSpec prefetched_;
  TexturePool textures_;  // goes before the GPU that writes them
  std::array<Lane, max_lanes> lanes_;
  int first_lane_ = 0;
  ReferenceView reference_{textures_};
  Race race_;
  std::shared_ptr<const HostImage> race_source_;  // stands still while they race
};

}  // namespace conv
