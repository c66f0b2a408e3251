#include "app/gpu/gpu_backend.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <map>

#include "app/gpu/interop.h"
#include "app/gpu/source_uploader.h"
#include "kernels/gpu/gpu_executor.h"
#include "kernels/ops/whole_images.h"

namespace conv {

namespace {

constexpr std::size_t most_in_flight = 4;  // launches per lane; with more, the window would wait
constexpr float race_ms = 8;  // kernel time in flight during a race, so that the window keeps its frame rate

TracedStage texture_stage(int lane) {
  return {.title = "to texture", .by = TracedBy::processor, .lane = lane};
}

struct LaneLaunch {
  long long number;
  Running running;
  std::shared_ptr<const LaunchPlan> plan;
};

struct LaneImages {
  Workspace workspace;
  DeviceImage target, drawn;  // drawn: target in the texture's type, if that differs
  std::shared_ptr<const LaunchPlan> display_plan;
  Workspace display_workspace;
  EventTimer texture_timer;
  std::deque<LaneLaunch> in_flight;  // their times have not arrived yet
};

struct Racer {
  Workspace workspace;
  DeviceImage target;
  EventTimer timer;
};

class GpuBackend final : public Backend {
 public:
  GpuBackend(std::unique_ptr<GpuExecutor> gpu, const BackendOptions& options)
      : gpu_(std::move(gpu)),
        frames_(options.frames),
        log_(options.log),
        uploader_(*gpu_, frames_, log_),
        mapped_(gpu_->stream()) {}

  DeviceReport device() const override;
  DeviceLimits limits() const override { return gpu_->device().limits; }
  std::optional<GpuClock> clock() const override { return gpu_clock(gpu_->device().bus); }

  std::string fault() override;
  void reload(const std::shared_ptr<const KernelTexts>& texts) override;
  bool compiling() const override { return gpu_->compiler().busy(); }
  void prefetch(const std::vector<LaunchPlan>& plans) override { gpu_->prefetch(plans); }
  std::vector<std::optional<Footprint>> footprints(const LaunchPlan& plan) override;
  MultiprocessorLimits multiprocessor() const override { return gpu_->device().multiprocessor; }

  void begin_frame(const FrameJob& job) override;
  Collected collect(int lane) override;
  bool ready(int lane, bool) const override { return lanes_[lane].in_flight.size() < most_in_flight; }
  Result<Submitted> submit(int lane, const LaneJob& job) override;
  Result<bool> write_texture(int lane, DisplayTexture& texture) override;
  void release(int lane) override { lanes_[lane] = {}; }
  void end_frame() override;
  std::optional<float> map_host_ms() const override { return map_host_ms_; }

  void start_race(std::shared_ptr<const HostImage> source) override;
  void end_race() override;
  bool takes_turn(float under_way_ms) const override { return under_way_ms < race_ms; }
  Result<Turn> start_turn(int racer, const std::shared_ptr<const LaunchPlan>& plan, int launches) override;
  std::optional<TurnTime> finished_turn(int racer) override;
  Result<HostImage> race_result(int racer) override { return racers_[racer].target.download(gpu_->stream()); }
  bool batches_turns() const override { return true; }

  bool takes_yuv() const override { return uploader_.converts(); }
  UploadReport uploads() const override { return uploader_.report(); }
  PageLocking page_locking() const override { return page_locked; }
  std::optional<double> link_rate() override;

 private:
  void map(const FrameJob& job);
  void join_clocks();
  void wake(const FrameJob& job);
  Result<const DeviceImage*> drawn_image(int lane);

  std::unique_ptr<GpuExecutor> gpu_;
  CurrentFrame& frames_;
  std::function<void(const std::string&)> log_;
  SourceUploader uploader_;
  MappedTextures mapped_;
  std::optional<float> map_host_ms_;
  std::array<LaneImages, max_lanes> lanes_;
  std::shared_ptr<FrameTrace> trace_;  // the last one, still written while the clocks are joined
  std::map<int, Racer> racers_;
  std::shared_ptr<const HostImage> race_source_;
  DeviceImage race_image_;
  bool race_uploaded_ = false;
  std::optional<double> link_rate_;
};

DeviceReport GpuBackend::device() const {
  const DeviceInfo& device = gpu_->device();
  return {.name = device.name,
          .detail = fmt::format("sm_{} · {} multiprocessors · CUDA driver {}.{}, runtime {}.{} · NVRTC {}",
                                device.limits.compute_capability, device.limits.multiprocessors,
                                device.driver_version / 1000, device.driver_version % 1000 / 10,
                                device.runtime_version / 1000, device.runtime_version % 1000 / 10, nvrtc_version()),
          .architecture = gpu_->compiler().architecture()};
}

std::string GpuBackend::fault() {
  const Result<void> healthy = gpu_->check();
  return healthy ? "" : healthy.error().text;
}

void GpuBackend::reload(const std::shared_ptr<const KernelTexts>& texts) {
  gpu_->reload(texts);
  uploader_.kernels_changed();
}

std::vector<std::optional<Footprint>> GpuBackend::footprints(const LaunchPlan& plan) {
  std::vector<std::optional<Footprint>> list;
  for (const Step& any_step : plan.steps) {
    const auto* step = std::get_if<KernelStep>(&any_step);
    const auto footprint = step ? gpu_->footprint(*step) : std::nullopt;
    list.push_back(footprint ? *footprint : std::nullopt);
  }
  return list;
}

// Uploads a new frame before all timed work: during the copy the GPU returns to OpenGL's work, and the first kernel
// after it would pay for the context switch.
void GpuBackend::begin_frame(const FrameJob& job) {
  if (job.trace) trace_ = job.trace;
  map(job);
  if (job.trace) join_clocks();
  uploader_.begin_frame(job.waits_for_uploads, job.trace);
  uploader_.keep_only(job.plans);
  for (const auto& plan : job.plans)
    static_cast<void>(uploader_.upload(plan->format));  // a failure is reported by the lane
  uploader_.collect();
  wake(job);
}

// A failure is reported by the lane, whose texture will be mapped alone.
void GpuBackend::map(const FrameJob& job) {
  map_host_ms_.reset();
  if (job.textures.empty()) return;
  const FrameTrace::Time from = std::chrono::steady_clock::now();
  if (!mapped_.map(job.textures)) return;
  const FrameTrace::Time to = std::chrono::steady_clock::now();
  map_host_ms_ = std::chrono::duration<float, std::milli>(to - from).count();
  if (job.trace) job.trace->add({.title = "map textures"}, from, to);
}

void GpuBackend::end_frame() {
  const auto from = std::chrono::steady_clock::now();
  if (const Result<void> unmapped = mapped_.unmap(); !unmapped) log_(unmapped.error().text);
  if (map_host_ms_)
    *map_host_ms_ += std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - from).count();
  gpu_->part_clocks();
}

void GpuBackend::join_clocks() {
  const FrameTrace::Time from = std::chrono::steady_clock::now();
  if (const Result<void> joined = gpu_->join_clocks(); !joined) log_(joined.error().text);
  trace_->add({.title = "join clocks", .waits = true}, from, std::chrono::steady_clock::now());
}

void GpuBackend::wake(const FrameJob& job) {
  // Waits for OpenGL. Without interop nothing else orders OpenGL's work before the kernels, and times would include
  // both. If copies come first, the GPU would return to OpenGL's work in between, and the kernels would wait for it.
  const bool copies = std::ranges::any_of(job.plans, [](const auto& plan) { return plan->transfers(); });
  if (copies || job.without_interop) glFinish();
  if (const Result<void> woken = gpu_->wake(); !woken) log_(woken.error().text);
}

Collected GpuBackend::collect(int index) {
  LaneImages& lane = lanes_[index];
  Collected collected;
  while (true) {
    const auto times = gpu_->poll(lane.workspace);
    if (!times || !*times) break;
    const LaneLaunch launch = std::move(lane.in_flight.front());
    lane.in_flight.pop_front();
    if (const auto began = lane.workspace.began()) trace_->came(launch.plan.get(), index, *began, **times);
    collected.times.push_back({launch.number, launch.running, **times});
  }
  if (const auto ms = lane.texture_timer.poll(); ms && *ms) {
    collected.to_texture_ms = (*ms)->front().ms();
    if (const auto began = lane.texture_timer.began()) trace_->came(texture_stage(index), *began, (*ms)->front());
  }
  return collected;
}

Result<Submitted> GpuBackend::submit(int index, const LaneJob& job) {
  LaneImages& lane = lanes_[index];
  const PixelType format = job.plan->format;
  const DeviceImage* const source = CONV_TRY(uploader_.image(format));
  const Enqueued enqueued =
      CONV_TRY(gpu_->enqueue({CompilerClient::Of::lane, index}, job.plan, lane.workspace, *source, lane.target,
                             job.plan->transfers() ? frames_.image(format) : nullptr));
  if (enqueued.running != Running::nothing) {
    lane.in_flight.push_back({job.number, enqueued.running, job.plan});
    if (gpu_->anchor()) trace_->await();
  }
  return Submitted{.running = enqueued.running, .error = enqueued.error};
}

// The result in a type that textures have; null while the conversion is being compiled.
Result<const DeviceImage*> GpuBackend::drawn_image(int index) {
  LaneImages& lane = lanes_[index];
  const PixelType type = lane.target.type();
  if (info(type).display == type) return &lane.target;
  if (!lane.display_plan || lane.display_plan->format != type || lane.display_plan->image != lane.target.size())
    lane.display_plan = std::make_shared<const LaunchPlan>(display_plan(type, lane.target.size()));
  const Enqueued converted = CONV_TRY(gpu_->enqueue({CompilerClient::Of::display, index}, lane.display_plan,
                                                    lane.display_workspace, lane.target, lane.drawn));
  if (converted.running == Running::nothing) return nullptr;
  while (const auto times = gpu_->poll(lane.display_workspace))
    if (!*times) break;
  return &lane.drawn;
}

Result<bool> GpuBackend::write_texture(int index, DisplayTexture& texture) {
  LaneImages& lane = lanes_[index];
  const bool timed = static_cast<bool>(lane.texture_timer.begin(gpu_->stream(), gpu_->anchor()));
  const DeviceImage* const drawn = CONV_TRY(drawn_image(index));
  if (!drawn) return false;
  CONV_TRY(copy_to_texture(*drawn, gpu_->stream(), texture, mapped_));
  if (timed && lane.texture_timer.mark(gpu_->stream())) {
    lane.texture_timer.finish();
    if (gpu_->anchor()) trace_->await();
  }
  return true;
}

void GpuBackend::start_race(std::shared_ptr<const HostImage> source) {
  race_uploaded_ = race_uploaded_ && source == race_source_;
  race_source_ = std::move(source);
}

void GpuBackend::end_race() {
  racers_.clear();
}

Result<Backend::Turn> GpuBackend::start_turn(int number, const std::shared_ptr<const LaunchPlan>& plan, int launches) {
  if (!race_uploaded_) CONV_TRY(race_image_.upload(*race_source_, gpu_->stream()));
  race_uploaded_ = true;
  Racer& racer = racers_[number];
  racer.workspace.measure(false);
  const auto launch = [&] {
    return gpu_->enqueue({CompilerClient::Of::racer, number}, plan, racer.workspace, race_image_, racer.target,
                         plan->transfers() ? race_source_ : nullptr);
  };
  // Untimed: compiles the instance, uploads the taps, and gives every variant the same cache state.
  const Enqueued warm = CONV_TRY(launch());
  if (warm.running != Running::exact) return Turn{.refused = warm.error.substr(0, warm.error.find('\n'))};
  const auto all_launches = [&]() -> Result<void> {
    for (int i = 0; i < launches; ++i) CONV_TRY(launch());
    return {};
  };
  CONV_TRY(racer.timer.around(gpu_->stream(), all_launches));
  return Turn{.queued = true};
}

std::optional<Backend::TurnTime> GpuBackend::finished_turn(int number) {
  const auto spans = racers_[number].timer.poll();
  if (!spans || !*spans) return std::nullopt;
  return TurnTime{.ms = (*spans)->front().ms()};
}

std::optional<double> GpuBackend::link_rate() {
  if (link_rate_) return link_rate_;
  if (const Result<double> measured = gpu_->link_rate()) link_rate_ = *measured;
  return link_rate_;
}

}  // namespace

BackendFactory gpu_backends() {
  return {.connect = []() -> Result<void> {
            CONV_TRY(query_device());
            return {};
          },
          .create = [](const BackendOptions& options) -> Result<std::unique_ptr<Backend>> {
            auto gpu = CONV_TRY(GpuExecutor::create(options.sources, CubinCache(), options.log));
            return std::make_unique<GpuBackend>(std::move(gpu), options);
          },
          .reset = reset_device};
}

}  // namespace conv
