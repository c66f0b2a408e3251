// A processor that does what a test tells it: late results, general kernels first, errors, faults. Its results are
// those of the CPU executor.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "app/pipeline/backend.h"
#include "kernels/cpu/cpu_executor.h"

namespace conv {

// Shared by a test and all backends that its pipeline creates.
struct FakeScript {
  int compiles_for = 0;       // frames until the general kernel is ready,
  int general_for = 0;        // and then until the exact one is
  int late_by = 1;            // frames until a launch's time arrives
  float kernel_ms = 1;        // of every launch; the first launch of a plan takes ten times as long
  float to_texture_ms = 0;    // 0: not measured
  float map_ms = 0;           // the same
  std::string submit_error;   // for every job
  std::string texture_error;  // for every picture
  std::string compile_error;  // for every kernel
  std::string fault;          // of the GPU
  std::string late_fault;     // becomes the fault when the next picture is copied
  std::string create_error;   // there is no GPU, or it is lost
  std::string refused_racer;  // for every turn
  std::shared_ptr<std::atomic<bool>> answers = std::make_shared<std::atomic<bool>>(true);  // the driver, when asked
  bool shows = true;      // false: the conversion for the screen is not compiled
  bool in_place = false;  // it registers textures, as interop does

  std::size_t textures = 0;  // taken for the last frame
  bool copies = false;       // a plan of the last frame copies its source itself
  int created = 0, reset = 0, launches = 0, most_in_flight = 0;
  std::set<int> released;                    // lanes
  std::shared_ptr<const KernelTexts> texts;  // the newest that it was given; null: none since it was created
};

class FakeBackend final : public Backend {
 public:
  FakeBackend(FakeScript& script, const BackendOptions& options) : script_(script), frames_(options.frames) {}

  DeviceReport device() const override { return {.name = "Fake GPU", .detail = "of a test", .architecture = "sm_90"}; }
  DeviceLimits limits() const override;
  std::string fault() override { return script_.fault; }

  void begin_frame(const FrameJob& job) override;
  Collected collect(int lane) override;
  bool ready(int lane, bool) const override { return lanes_[lane].in_flight.size() < 4; }
  Result<Submitted> submit(int lane, const LaneJob& job) override;
  Result<bool> write_texture(int lane, DisplayTexture& texture) override;
  void reload(const std::shared_ptr<const KernelTexts>& texts) override { script_.texts = texts; }
  std::optional<float> map_host_ms() const override {
    return script_.map_ms > 0 ? std::optional(script_.map_ms) : std::nullopt;
  }
  void release(int lane) override { script_.released.insert(lane); }

  void start_race(std::shared_ptr<const HostImage> source) override { race_source_ = std::move(source); }
  void end_race() override { turns_.clear(); }
  bool takes_turn(float under_way_ms) const override { return under_way_ms < 4; }
  Result<Turn> start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int launches) override;
  std::optional<TurnTime> finished_turn(int racer) override;
  Result<HostImage> race_result(int racer) override { return results_.at(racer); }

 private:
  struct Launch {
    long long number;
    Running running;
    float ms;
    int frame;
  };
  struct LaneState {
    const LaunchPlan* plan = nullptr;
    int since = 0;  // the frame in which the plan arrived
    bool launched = false;
    std::deque<Launch> in_flight;
    HostImage result;
  };
  Running kernel_of(const LaneState& lane) const;

  FakeScript& script_;
  CurrentFrame& frames_;
  CpuExecutor executor_;
  int frame_ = 0;
  std::map<int, LaneState> mutable lanes_;
  std::shared_ptr<const HostImage> race_source_;
  std::map<int, std::deque<int>> turns_;  // by racer: the frames in which they began
  std::map<int, HostImage> results_;
};

// For PipelineOptions. The script must outlive the pipeline.
BackendFactory fake_backends(FakeScript& script);

}  // namespace conv
