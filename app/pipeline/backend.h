// A processor that lanes run on: the GPU, the CPU, or a scripted one of the tests. The pipeline says what is to run and
// takes what came of it; it knows no device. All calls come from the window's thread, and none waits for a result.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/display/display_texture.h"
#include "app/model/frame_trace.h"
#include "app/model/status.h"
#include "app/pipeline/frame_source.h"
#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

struct LaneJob {
  std::shared_ptr<const LaunchPlan> plan;
  long long number = 0;  // of the plan, by the lane; comes back with what became of the job
};

// What became of a job that was handed over.
struct Submitted {
  Running running = Running::nothing;  // nothing: no kernel is there yet, or the result comes later
  bool later = false;                  // the result comes by collect()
  std::string error;                   // of a kernel that does not compile; its first line is for the user
};

// What has come back of a lane's earlier jobs since the last call.
struct Collected {
  struct Times {
    long long number;  // of the job
    Running running;
    std::vector<StepSpan> spans;
  };
  std::vector<Times> times;
  std::optional<float> to_texture_ms;
  std::optional<long long> result_of;  // number of the job whose result was to come later and is there
  std::string failed;                  // why it has none; empty: present() shows it
};

// A frame about to run.
struct FrameJob {
  std::vector<std::shared_ptr<const LaunchPlan>> plans;  // of the lanes that ran last on this processor
  bool waits_for_uploads = false;
  bool without_interop = false;       // the window's textures are not written in place
  std::shared_ptr<FrameTrace> trace;  // told when the processor did what; null: of no interest
};

struct DeviceReport {
  std::string name, detail;
  std::string architecture;  // that kernels are compiled for; empty: an example is shown
};

struct UploadReport {
  std::optional<Summary> ms;  // of so many bytes:
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

  // A kernel's fault, noticed some frames later; empty while all is well. After one the backend is of no use.
  virtual std::string fault() { return {}; }
  // Kernel files changed.
  virtual void reload(std::shared_ptr<const KernelTexts>) {}
  virtual bool compiling() const { return false; }
  // Plans that may be asked for next.
  virtual void prefetch(const std::vector<LaunchPlan>&) {}
  // Of each step of a plan that runs exactly; nothing of steps that are no kernel.
  virtual std::vector<std::optional<Footprint>> footprints(const LaunchPlan&) { return {}; }
  virtual MultiprocessorLimits multiprocessor() const { return {}; }

  // Brings the source to the device before anything that is timed.
  virtual void begin_frame(const FrameJob&) {}
  virtual Collected collect(int lane) = 0;
  // Takes another job of this lane. changed: it is of another plan or frame than the last.
  virtual bool ready(int lane, bool changed) const = 0;
  // The error is of a job that cannot run now; another may.
  virtual Result<Submitted> submit(int lane, const LaneJob& job) = 0;
  // The last result into the texture. False: the way to the screen is not compiled yet.
  virtual Result<bool> present(int lane, DisplayTexture& texture) = 0;
  virtual void cancel(int) {}
  virtual void end_frame() {}

  // A race: launches of many plans on one picture, by turns. Racers are numbered from 0.
  struct Turn {
    bool queued = false;
    std::string refused;  // why it cannot run; empty: it is queued, or being compiled
  };
  struct TurnTime {
    float ms = 0;        // of all launches of the turn
    std::string failed;  // why there is none
  };
  virtual void start_race(std::shared_ptr<const HostImage> source) = 0;
  virtual void end_race() = 0;
  // under_way_ms: what turns that have not come back are expected to take.
  virtual bool takes_turn(float under_way_ms) const = 0;
  virtual Result<Turn> start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int launches) = 0;
  // The oldest turn of this racer, once it has come back.
  virtual std::optional<TurnTime> finished_turn(int racer) = 0;
  // What its last turn made, while none is under way.
  virtual Result<HostImage> race_result(int racer) = 0;
  // Short launches are timed several at once; how many, a racer's first turn tells.
  virtual bool batches_turns() const { return false; }

  // The source comes as YUV where it can: the device makes RGBA of it.
  virtual bool takes_yuv() const { return false; }
  virtual UploadReport uploads() const { return {}; }
  // What page-locks memory, from any thread; nothing where there is no use for it.
  virtual std::function<std::shared_ptr<void>(void*, std::size_t)> page_locking() const { return {}; }
  // 10^9 bytes a second from page-locked memory at best, measured at the first call.
  virtual std::optional<double> link_rate() { return std::nullopt; }
};

struct BackendOptions {
  KernelSources& sources;
  FrameSource& frames;
  std::function<void(std::string)> log;
};

// How a pipeline gets its GPU.
struct BackendFactory {
  // The error is a sentence for the user: no driver, no device, built without CUDA.
  std::function<Result<std::unique_ptr<Backend>>(const BackendOptions&)> create;
  // Gives up the device context after a fault, when nothing made in it is left.
  std::function<void()> reset = [] {};
};

}  // namespace conv
