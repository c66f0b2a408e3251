// One frame: source -> processor -> lanes A and B -> textures. The lanes do not know which processor it is: backend.h.
#pragma once
#include <array>
#include <chrono>
#include <functional>
#include <future>
#include <memory>

#include "app/live/live_kernels.h"
#include "app/pipeline/cpu_backend.h"
#include "app/pipeline/lane.h"
#include "app/pipeline/race.h"
#include "app/pipeline/reference_view.h"
#include "kernels/core/large_memory.h"

namespace conv {

struct PipelineOptions {
  DeviceChoice device = DeviceChoice::automatic;
  bool interop = true;
  long long kept_bytes = large_bytes;  // of a hidden lane's picture; a larger one is given back
  BackendFactory gpu;
  std::filesystem::path kernels = KernelSources::default_folder();  // the folder that has `kernels/`
  std::function<void()> before_reset = [] {};  // after a fault; when it returns, nothing else uses the device
  std::function<void(std::string)> log = [](std::string) {};   // something is wrong
  std::function<void(std::string)> tell = [](std::string) {};  // it is not, but the user should know
  std::function<void(std::string)> note = [](std::string) {};  // a fault that a lane shows, too
};

// The last valid filter.
struct ChosenFilter {
  FilterSpec filter;
  std::shared_ptr<const Taps> taps;  // null before the first
  double rank_1_error = 0;
  std::string error;  // why the current one cannot be used
  void choose(const FilterSpec& chosen);
};

class Pipeline {
 public:
  // Needs a current GL context. `--device gpu` waits for the GPU and fails without one; otherwise the CPU replaces it,
  // also while the driver takes long to answer.
  static Result<std::unique_ptr<Pipeline>> create(PipelineOptions options);

  // What the lanes read.
  void set_source(std::shared_ptr<const Picture> picture) { frames_.set_picture(std::move(picture)); }
  void set_frame(std::shared_ptr<const Picture> picture) { frames_.set_frame(std::move(picture)); }
  // The source in this format; null while it is being converted, or if there is no memory for it.
  std::shared_ptr<const HostImage> source_in(PixelType type) {
    return frames_.prepare(type).value_or(false) ? frames_.image(type) : nullptr;
  }
  // As in Backend; null without a GPU.
  PageLocking page_locking() const;
  std::optional<double> link_rate() { return gpu_ ? gpu_->link_rate() : std::nullopt; }
  // Whether the running lanes read the source on a device that converts YUV to RGBA.
  bool takes_yuv() const;

  // Runs the lanes of the view. every_frame: also those whose settings did not change. trace: records in this frame and
  // later ones when the processors did what; waits for a GPU in order to relate its clock to the host's.
  void frame(const Settings& settings, bool every_frame, std::shared_ptr<FrameTrace> trace = nullptr);
  // Runs a frame's share of a race between these variants with the settings of lane A; an empty list ends it.
  void race(const Settings& settings, const std::vector<std::string>& variants);
  // Whether the next frames would do nothing: the pictures are there, and all of them are measured.
  bool idle(bool every_frame) const;
  // Takes changed kernel files. Returns whether there were any.
  bool poll_kernels();
  // From now on, lanes run this text of a kernel file once it has passed its check; without one, that on disk.
  void run_kernel(const std::string& file, std::optional<std::string> text, bool unchecked = false);
  void retry_interop();
  // The rankings that the variant "auto" uses from the next frame on.
  void set_rankings(std::shared_ptr<const std::vector<Ranking>> rankings) { rankings_ = std::move(rankings); }

  // Grows when the device loses everything of this process, including page-locked memory.
  int device_generation() const { return device_generation_; }
  // After a fault this process may get no new device context; then lanes run on the CPU.
  bool lost_gpu() const { return lost_gpu_; }
  bool compiling() const { return gpu_ && gpu_->compiling(); }
  // Whether a lane would run in the next frame; on the CPU a lane may be busy for many frames.
  bool has_free_lane() const;
  const Faults& crashed() const { return crashed_; }
  // Variants that crashed in an earlier process: refused until the kernel files change.
  void mark_crashed(Faults faults) { crashed_ = std::move(faults); }

  // Fills everything except the times.
  void fill(AppStatus& status) const;
  void fill_times(AppStatus& status) const;
  // Whether the times in status belong to what runs now and have enough samples to be shown for a while.
  bool times_are_of(const AppStatus& status) const;
  const DisplayTexture& texture(int lane) const { return *lanes_[lane].texture; }
  // The exact result of lane A's settings, as floats, 1 at full scale. Null while it is being computed; the first call
  // starts that.
  const DisplayTexture* reference(const Settings& settings);
  // The source in this format, as it is before the filter. Null until it has been converted, and if there is no memory
  // for it.
  const DisplayTexture* original(PixelType format);
  void release_original() { original_.texture.release(); }
  // The exact result in the lane's texture; waits for the GPU. Nothing while the lane has no picture.
  std::optional<HostImage> result(int lane);

 private:
  explicit Pipeline(PipelineOptions options);
  // Lanes run on the CPU until take_gpu() finds that the driver has answered.
  void connect_gpu(std::function<void()> before = [] {});
  void take_gpu(std::chrono::milliseconds patience);
  Result<void> start_gpu();
  void reload_kernels();
  void take_live_kernels();
  void give_texts_to_gpu();
  std::function<bool(LaunchPlan&)> put_edits_into();
  void recover(const std::string& fault);
  Backend& backend_of(const Lane& lane) { return lane.on_cpu ? cpu_ : *gpu_; }
  DeviceLimits limits() const;
  PlanContext context() const;
  PlanInputs inputs_of(const LaneSettings& lane, const Settings& settings) const;

  BestTimes best_times() const;
  const RaceTimes* race_times_of(const Lane& lane) const;

  void hide(int index);
  void give_back(int index);
  void give_back_what_is_hidden();
  void begin_frame(const Settings& settings, bool every_frame, const std::shared_ptr<FrameTrace>& trace);
  void plan(Lane& lane, PlanInputs inputs);
  Result<bool> prepare(const Lane& lane);
  LaneJob job_of(const Lane& lane) const;
  bool wants_samples(const Lane& lane) const;
  bool will_run(int index, bool every_frame);
  void run(int index);
  void collect(int index);
  void take(Lane& lane, const Submitted& submitted);
  void present(int index);

  PipelineOptions options_;
  KernelSources sources_{options_.kernels};
  std::string texts_of_gpu_;   // the hash of the texts that the GPU has
  bool texts_differ_ = false;  // from those of plans made before
  std::string kernels_from_;   // where sources_ come from, and when they were read
  LiveKernels live_;
  CurrentFrame frames_;
  CpuBackend cpu_{frames_};
  std::unique_ptr<Backend> gpu_;          // null if there is none;
  std::string no_gpu_;                    // then the reason
  std::future<Result<void>> connecting_;  // valid until the driver has answered
  bool lost_gpu_ = false;
  int device_generation_ = 0;
  Faults crashed_;  // since the kernel files last changed
  std::shared_ptr<const std::vector<Ranking>> rankings_;

  ChosenFilter filter_;
  FilterSpec prefetched_;
  TexturePool textures_;  // destroyed before the GPU that writes them
  std::array<Lane, max_lanes> lanes_;
  int first_lane_ = 0;
  Samples map_host_ms_;
  ReferenceView reference_{textures_};
  struct Original {
    DisplayTexture texture;
    long long frame = -1;
  } original_{{textures_, false}};
  Race race_;
  std::shared_ptr<const HostImage> race_source_;  // does not change during a race
};

}  // namespace conv
