// One frame: source -> device -> lanes A and B -> textures.
#pragma once
#include <array>
#include <functional>
#include <memory>

#include "app/display/display_texture.h"
#include "app/model/frame_trace.h"
#include "app/model/status.h"
#include "app/pipeline/cpu_worker.h"
#include "app/pipeline/race.h"
#include "app/pipeline/reference_worker.h"
#include "kernels/gpu/gpu_executor.h"

struct PipelineOptions {
  DeviceChoice device = DeviceChoice::automatic;
  bool interop = true;
  std::function<void(std::string)> log = [](std::string) {};
};

class Pipeline {
 public:
  // Needs a current GL context. --device gpu on a machine without one fails; otherwise the CPU takes its place.
  static Result<std::unique_ptr<Pipeline>> create(PipelineOptions options);
  ~Pipeline();

  // A picture of its own; what was measured of the one before says nothing of it.
  void set_source(std::shared_ptr<const Picture> picture);
  // The next of a moving source, as large as the one before: plans and measurements go on.
  void set_frame(std::shared_ptr<const Picture> picture);
  // The source as this type; made once per picture.
  std::shared_ptr<const HostImage> source_in(PixelType type);
  // What page-locks memory for the GPU, from any thread; nothing where there is none.
  std::function<std::shared_ptr<void>(void*, std::size_t)> page_locking() const;
  // 10^9 bytes a second from page-locked memory to the GPU at best, measured at the first call; nothing without a GPU.
  std::optional<double> link_rate();
  // Runs the lanes that the view shows. every_frame: also those whose settings did not change. trace: learns, in this
  // frame and later ones, when the processors did what; a GPU is waited for to join its clock with the host's.
  void frame(const Settings& settings, bool every_frame, std::shared_ptr<FrameTrace> trace = nullptr);
  // A frame's share of a race between these variants, with what lane A is set to; none ends it.
  void race(const Settings& settings, const std::vector<std::string>& variants);
  void retry_interop();
  // What the variant "auto" goes by from the next frame on.
  void set_rankings(std::shared_ptr<const std::vector<Ranking>> rankings) { rankings_ = std::move(rankings); }

  // The lanes that run take their source from the device, which makes RGBA of YUV by the way.
  bool takes_yuv() const;

  // Grows when all that the device knew of this process is lost, page-locked memory too.
  int device_generation() const { return device_generation_; }
  // A fault after which this process gets no new device context; lanes run on the CPU from then on.
  bool lost_gpu() const { return lost_gpu_; }
  bool compiling() const;
  // A lane would run in the next frame: on the CPU one may take many.
  bool has_free_lane() const;
  const Faults& crashed() const { return crashed_; }
  // These crashed before this process: refused until the kernel files change.
  void mark_crashed(Faults faults) { crashed_ = std::move(faults); }

  // All but the times.
  void fill(Status& status) const;
  void fill_times(Status& status) const;
  // The times in status belong to what runs now, and rest on enough samples to be left standing for a while.
  bool times_are_of(const Status& status) const;
  const DisplayTexture& texture(int lane) const { return *lanes_[lane].texture; }
  // The exact picture of what lane A is set to, as floats, 1 at full scale; null while it is being worked out, which
  // the first call begins.
  const DisplayTexture* reference(const Settings& settings);
  // The result shown in the lane's texture, exactly; waits for the GPU. Nothing while the lane has no picture.
  std::optional<HostImage> result(int lane);

 private:
  struct Lane {
    bool active = false;
    std::optional<PlanInputs> inputs;
    std::shared_ptr<const LaunchPlan> plan;
    std::string radius;  // of the plan's window, in words
    std::string refusal, note, log, shown, shown_radius, exhibit;
    int max_radius = ::max_radius;
    bool has_picture = false, settled = false, on_cpu = false, stale = true;
    long long frame = -1, shown_frame = -1;  // the last that was run, and that the texture holds
    std::unique_ptr<DisplayTexture> texture;
    Samples kernel_ms, to_texture_ms, map_host_ms;
    std::optional<float> cold_ms;  // of the first launch, on the GPU kept apart from the samples
    std::vector<Samples> step_ms;
    std::vector<StepSpan> timeline;  // of the last launch timed
    std::vector<StepOccupancy> occupancy;
    float cpu_spent_ms = 0;
#if defined(CONV_WITH_CUDA)
    Workspace workspace;
    DeviceImage target, drawn;  // drawn: target in the texture's type, where that is another
    std::shared_ptr<const LaunchPlan> display_plan;
    Workspace display_workspace;
    EventTimer texture_timer;
    std::deque<long long> in_flight;  // generation of each launch whose times have not come back
#endif
    Running running = Running::nothing;
    bool launched = false;     // in this frame, not yet in the texture
    long long generation = 0;  // of the samples: a change of plan or kernel starts new ones
  };

  explicit Pipeline(PipelineOptions options);
  void note_sources();
  Result<void> start_gpu();
  void plan_lane(Lane& lane, const LaneSettings& chosen, const Settings& settings);
  void restart_samples(Lane& lane);
  void add_times(Lane& lane, const std::vector<StepSpan>& spans);
  void run_on_cpu(int index, bool every_frame);
  DeviceLimits limits() const;
  ReferenceJob reference_job(const Settings& settings);
  // Of its variant, and of what that has chosen.
  static std::string name_of(const Lane& lane);
  PlanInputs inputs_of(const LaneSettings& lane, const Settings& settings) const;
  void bring_frame();
  void wake_gpu();
  void join_clocks();
  void part_clocks();
  std::vector<StepOccupancy> occupancy_of_lane(const Lane& lane);
  void launch_on_gpu(int index, bool every_frame);
  void present_from_gpu(Lane& lane);
  void prefetch_neighbours(const Settings& settings);
  void recover(const std::string& fault);

  PipelineOptions options_;
  std::shared_ptr<const std::vector<Ranking>> rankings_;
  KernelSources sources_;
  std::string kernels_from_;  // where sources_ come from, and when they were read
  std::unique_ptr<GpuExecutor> gpu_;
  std::string no_gpu_;
  CpuWorker cpu_;
  std::shared_ptr<const Picture> picture_;
  long long source_generation_ = 0;  // of set_source
  long long frame_ = 0;              // of the picture
  std::array<std::shared_ptr<const HostImage>, pixel_types.size()> formats_;
  std::shared_ptr<const Taps> taps_;
  FilterSpec taps_filter_;
  std::string filter_error_;
  double rank_1_error_ = 0;
  std::shared_ptr<FrameTrace> trace_;  // of the frame traced last
  bool tracing_ = false;               // which is this one
  TexturePool textures_;
  std::array<Lane, max_lanes> lanes_;
  DisplayTexture reference_texture_{textures_, false};
  std::shared_ptr<const Reference> shown_reference_;
  int first_lane_ = 0;
  ReferenceWorker reference_;
  Race race_;
  std::shared_ptr<const HostImage> race_source_;  // stands still while they race
  Faults crashed_;                                // since the kernel files last changed
  bool lost_gpu_ = false;
  int device_generation_ = 0;
#if defined(CONV_WITH_CUDA)
  struct Uploaded {
    DeviceImage image;
    long long frame = -1;
    // Of moving sources, made of what was sent by the device: how, kept while it is the same.
    std::shared_ptr<const LaunchPlan> way_in;
    std::optional<YuvFormat> from_yuv;  // that way_in is for
    Workspace workspace;
    Samples ms;
  };
  std::array<Uploaded, pixel_types.size()> uploads_;
  struct {
    DeviceImage image;
    std::shared_ptr<const HostImage> content;
  } race_upload_;
  Result<const DeviceImage*> uploaded(PixelType type);
  Result<void> sent(PixelType type);
  Result<void> sent_as(PixelType type, const void* rows);
  Result<void> send(DeviceImage& to, long long& frame, PixelType type, Size2 size, const void* rows);
  static void set_way_in(Uploaded& to, LaunchPlan plan);
  // A measurement polled last, where its frame was traced.
  void note(std::optional<ClockAnchor::Time> began, const LaunchPlan* plan, int lane,
            const std::vector<StepSpan>& spans);
  Result<bool> convert_levels(Uploaded& to, PixelType type);
  Result<bool> convert_yuv(Uploaded& to);
  Result<bool> enqueue_way_in(int compiler_lane, Uploaded& to, const DeviceImage& from);
  DeviceImage yuv_;  // the last frame that came so
  long long yuv_frame_ = -1;
  bool way_in_fails_ = false;       // its kernel cannot be compiled, until the kernel files change
  bool waits_for_uploads_ = false;  // as the settings say
  EventTimer upload_timer_;
  struct Sent {
    std::shared_ptr<const Picture> picture;
    long long bytes;
  };
  std::deque<Sent> uploading_;  // read by the device until their times come back
  Samples upload_ms_;           // of so many bytes:
  long long upload_bytes_ = 0;
  std::optional<double> link_rate_;
  FilterSpec prefetched_;
#endif
};
