// A processor that lanes run on: the GPU, the CPU, or a scripted one in the tests. The lanes hand over jobs and
// take the results; they know no device. All calls come from the window's thread, and none waits for a result.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/display/display_texture.h"
#include "app/model/frame_trace.h"
#include "app/model/status.h"
#include "app/pipeline/current_frame.h"
#include "app/pipeline/lane_planner.h"
#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

struct LaneJob {
  std::shared_ptr<const LaunchPlan> plan;
  // Returned with a result that comes later:
  long long number = 0;  // of the plan, counted by the lane
  long long frame = 0;   // of the source
  PictureLabel label;
  // For a processor whose results come later: a fast plan of the same filter, whose picture is shown meanwhile. May be
  // null.
  std::shared_ptr<const LaunchPlan> preview;
  PictureLabel preview_label;
  bool is_quick = false;  // it may end after the next job has come; otherwise that one stops it
  bool repeats = false;   // its picture is shown already: it only measures
};

// What happened to a job that was submitted.
struct Submitted {
  Running running = Running::nothing;  // nothing: no kernel is ready yet, or the result comes later
  bool later = false;                  // collect() will return the result
  std::string error;                   // why a kernel does not compile; the first line is for the user
};

// Results of a lane's earlier jobs since the last call.
struct Collected {
  struct Times {
    long long number;  // of the job
    Running running;
    std::vector<StepSpan> spans;
  };
  std::vector<Times> times;
  std::optional<float> to_texture_ms;
  std::optional<LaneJob> result_of;  // a job whose result has arrived
  bool is_preview = false;           // it is that of the job's preview
  std::string failed;                // why it has none; empty: write_texture() shows it
};

// A frame that is about to run.
struct FrameJob {
  // Of the lanes on this processor. Large images of the source in formats of no plan are given back.
  std::vector<std::shared_ptr<const LaunchPlan>> plans;
  std::vector<std::shared_ptr<void>> textures;  // registrations of those that this frame writes in place
  bool waits_for_uploads = false;
  bool without_interop = false;       // the window's textures are not written in place
  std::shared_ptr<FrameTrace> trace;  // records when the processor did what; may be null
};

struct DeviceReport {
  std::string name, detail;
  std::string architecture;  // that kernels are compiled for; empty: an example is shown
};

struct UploadReport {
  std::optional<Summary> ms;  // for this many bytes:
  long long bytes = 0;
  std::vector<StepTime> conversions;  // of frames, on the device
};

class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual DeviceReport device() const = 0;
  virtual DeviceLimits limits() const = 0;
  virtual std::optional<GpuClock> clock() const { return std::nullopt; }

  // The fault of a kernel, noticed some frames later; empty if there was none. After a fault the backend is unusable.
  virtual std::string fault() { return {}; }
  // Takes changed kernel files.
  virtual void reload(const std::shared_ptr<const KernelTexts>&) {}
  virtual bool compiling() const { return false; }
  // Compiles kernels of plans that may come next.
  virtual void prefetch(const std::vector<LaunchPlan>&) {}
  // For each step of a plan whose exact kernel runs; nothing for steps without a kernel.
  virtual std::vector<std::optional<Footprint>> footprints(const LaunchPlan&) { return {}; }
  virtual MultiprocessorLimits multiprocessor() const { return {}; }

  // Takes the textures and uploads the source before all timed work. They are the device's until end_frame().
  virtual void begin_frame(const FrameJob&) {}
  virtual Collected collect(int lane) = 0;
  // Whether it can take another job of this lane. changed: the job has another plan or frame than the last one.
  virtual bool ready(int lane, bool changed) const = 0;
  // An error means that this job cannot run now; another may.
  virtual Result<Submitted> submit(int lane, const LaneJob& job) = 0;
  // Copies the last result into the texture. False: the conversion for the screen is not compiled yet.
  virtual Result<bool> write_texture(int lane, DisplayTexture& texture) = 0;
  virtual void cancel(int) {}
  // Gives back the memory of a lane that is not shown.
  virtual void release(int) {}
  virtual void end_frame() {}
  // Host time of giving the last frame's textures to the device and taking them back; nothing if there were none.
  virtual std::optional<float> map_host_ms() const { return {}; }

  // A race: launches of many plans on one picture, in turns. Racers are numbered from 0.
  struct Turn {
    bool queued = false;
    std::string refused;  // why it cannot run; empty: it is queued, or being compiled
  };
  struct TurnTime {
    float ms = 0;        // of all launches of the turn
    std::string failed;  // why there is no time
  };
  virtual void start_race(std::shared_ptr<const HostImage> source) = 0;
  virtual void end_race() = 0;
  // under_way_ms: the expected time of turns whose times have not arrived.
  virtual bool takes_turn(float under_way_ms) const = 0;
  virtual Result<Turn> start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int launches) = 0;
  // The time of this racer's oldest turn, once it has arrived.
  virtual std::optional<TurnTime> finished_turn(int racer) = 0;
  // The result of its last turn, if none is in flight.
  virtual Result<HostImage> race_result(int racer) = 0;
  // Short launches are timed several at a time; a racer's first turn tells how many.
  virtual bool batches_turns() const { return false; }

  // The source should come as YUV if possible: the device converts it to RGBA.
  virtual bool takes_yuv() const { return false; }
  virtual UploadReport uploads() const { return {}; }
  virtual PageLocking page_locking() const { return {}; }
  // The highest rate from page-locked memory, 10^9 bytes per second; measured at the first call.
  virtual std::optional<double> link_rate() { return std::nullopt; }
};

struct BackendOptions {
  KernelSources& sources;
  CurrentFrame& frames;
  std::function<void(const std::string&)> log;
};

// How a pipeline creates its GPU backend.
struct BackendFactory {
  // Waits until the driver has a context for this process: some tenths of a second, or half a minute after another
  // process has crashed the GPU. May be called on any thread. The error is as that of create.
  std::function<Result<void>()> connect = [] { return Result<void>{}; };
  // The error is a sentence for the user: no driver, no device, built without CUDA.
  std::function<Result<std::unique_ptr<Backend>>(const BackendOptions&)> create;
  // Destroys the device context after a fault, when nothing of it is in use any more.
  std::function<void()> reset = [] {};
};

}  // namespace conv
