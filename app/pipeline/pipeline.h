// One frame: source -> processor -> lanes A and B -> textures.
#pragma once
#include <chrono>
#include <functional>
#include <future>
#include <memory>

#include "app/live/live_kernels.h"
#include "app/pipeline/lanes.h"
#include "app/pipeline/original_view.h"
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
  std::function<void(const std::string&)> log = [](const std::string&) {};   // something is wrong
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // it is not, but the user should know
  std::function<void(const std::string&)> note = [](const std::string&) {};  // a fault that a lane shows, too
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
  static Result<std::unique_ptr<Pipeline>> create(const PipelineOptions& options);

  // What the lanes read.
  void set_source(std::shared_ptr<const Picture> picture) { on_.frames.set_picture(std::move(picture)); }
  void set_frame(std::shared_ptr<const Picture> picture) { on_.frames.set_frame(std::move(picture)); }
  // The source in this format; null while it is being converted, or if there is no memory for it.
  std::shared_ptr<const HostImage> source_in(PixelType type) {
    return on_.frames.prepare(type).value_or(false) ? on_.frames.image(type) : nullptr;
  }
  // As in Backend; null without a GPU.
  PageLocking page_locking() const { return on_.gpu ? on_.gpu->page_locking() : nullptr; }
  std::optional<double> link_rate() { return on_.gpu ? on_.gpu->link_rate() : std::nullopt; }
  // Whether the running lanes read the source on a device that converts YUV to RGBA.
  bool takes_yuv() const;

  // Runs the lanes of the view. every_frame: also those whose settings did not change. trace: records in this frame and
  // later ones when the processors did what; waits for a GPU in order to relate its clock to the host's.
  void frame(const Settings& settings, bool every_frame, const std::shared_ptr<FrameTrace>& trace = nullptr);
  // Runs a frame's share of a race between these variants with the settings of lane A; an empty list ends it.
  void race(const Settings& settings, const std::vector<std::string>& variants);
  // Whether the next frames would do nothing: the pictures are there, and all of them are measured.
  bool idle(bool every_frame) const;
  // Takes changed kernel files. Returns whether there were any.
  bool poll_kernels();
  // From now on, lanes run this text of a kernel file once it has passed its check; without one, that on disk.
  void run_kernel(const std::string& file, std::optional<std::string> text, bool unchecked = false);
  void retry_interop() { lanes_.retry_interop(); }
  // The rankings that the variant "auto" uses from the next frame on.
  void set_rankings(std::shared_ptr<const std::vector<Ranking>> rankings) { rankings_ = std::move(rankings); }

  // Grows when the device loses everything of this process, including page-locked memory.
  int device_generation() const { return device_generation_; }
  // After a fault this process may get no new device context; then lanes run on the CPU.
  bool lost_gpu() const { return lost_gpu_; }
  bool compiling() const { return on_.gpu && on_.gpu->compiling(); }
  // Whether a lane would run in the next frame; on the CPU a lane may be busy for many frames.
  bool has_free_lane() const { return lanes_.has_free_lane(); }
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
  const DisplayTexture* original(PixelType format) { return original_.show(on_.frames, format); }
  void release_original() { original_.release(); }
  // The exact result in the lane's texture; waits for the GPU. Nothing while the lane has no picture.
  std::optional<HostImage> result(int lane) { return lanes_.result(lane); }

 private:
  explicit Pipeline(PipelineOptions options);
  // Lanes run on the CPU until take_gpu() finds that the driver has answered.
  void connect_gpu(std::function<void()> before = [] {});
  void take_gpu(std::chrono::milliseconds patience);
  Result<void> start_gpu();
  void reload_kernels();
  void take_live_kernels();
  void give_texts_to_gpu();
  void recover(const std::string& fault);
  DeviceLimits limits() const;
  PlanContext context();
  PlanInputs inputs_of(const LaneSettings& lane, const Settings& settings) const;

  BestTimes best_times() const;
  const RaceTimes* race_times_of(const Lane& lane) const;

  PipelineOptions options_;
  KernelSources sources_{options_.kernels};
  std::string texts_of_gpu_;   // the hash of the texts that the GPU has
  bool texts_differ_ = false;  // from those of plans made before
  std::string kernels_from_;   // where sources_ come from, and when they were read
  LiveKernels live_;
  Processors on_;
  std::string no_gpu_;                    // why there is no GPU; empty if there is one
  std::future<Result<void>> connecting_;  // valid until the driver has answered
  bool lost_gpu_ = false;
  int device_generation_ = 0;
  Faults crashed_;  // since the kernel files last changed
  std::shared_ptr<const std::vector<Ranking>> rankings_;

  ChosenFilter filter_;
  FilterSpec prefetched_;
  // After on_: its textures are destroyed before the GPU that writes them.
  Lanes lanes_{on_, options_.interop, options_.kept_bytes};
  ReferenceView reference_{lanes_.textures()};
  OriginalView original_{lanes_.textures()};
  Race race_;
  std::shared_ptr<const HostImage> race_source_;  // does not change during a race
};

}  // namespace conv
