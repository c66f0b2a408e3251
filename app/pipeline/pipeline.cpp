#include "app/pipeline/pipeline.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/core/background.h"
#include "kernels/core/factors.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// A healthy driver answers within this time, and the window opens with the GPU.
constexpr std::chrono::milliseconds driver_patience{1000};

std::string origin_of(const KernelSources& sources) {
  if (sources.embedded()) return "built into the program";
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("on disk, read at {:%H:%M:%S}", fmt::localtime(now));
}

ReferenceJob reference_job(CurrentFrame& frames, const FilterSpec& filter, const Settings& settings) {
  return {frames.image(settings.lanes[0].format), filter, settings.border, settings.border_value, settings.iterations};
}

// The plans with one radius more and one less: a dragged slider finds their kernels compiled.
std::vector<LaunchPlan> plans_of_neighbours(const FilterSpec& filter, const Lanes& lanes, const PlanContext& context) {
  std::vector<LaunchPlan> plans;
  if (info(filter.kind).size == FilterSize::fixed) return plans;
  for (const int radius : {filter.radius + 1, filter.radius - 1}) {
    FilterSpec neighbour = filter;
    neighbour.radius = radius;
    for (const Lane& lane : lanes)
      if (lane.active && lane.planned)
        if (auto plan = plan_with(lane.planned->inputs, neighbour, context)) plans.push_back(std::move(*plan));
  }
  return plans;
}

bool is_edited(const LaunchPlan& plan, const KernelSources& sources) {
  return std::ranges::any_of(all_steps(plan), [&](const Step* step) {
    const auto* kernel = std::get_if<KernelStep>(step);
    return kernel && !sources.edited(kernel->kernel.file).empty();
  });
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::create(const PipelineOptions& options) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline(options));
  if (options.device == DeviceChoice::cpu) {
    pipeline->no_gpu_ = "--device cpu";
    return pipeline;
  }
  pipeline->connect_gpu();
  if (options.device == DeviceChoice::gpu) pipeline->connecting_.wait();
  pipeline->take_gpu(driver_patience);
  if (options.device == DeviceChoice::gpu && !pipeline->on_.gpu) return failure("--device gpu: " + pipeline->no_gpu_);
  return pipeline;
}

Pipeline::Pipeline(PipelineOptions options) : options_(std::move(options)), kernels_from_(origin_of(sources_)) {
  if (!sources_.refused().empty()) options_.log(sources_.refused());
}

void Pipeline::connect_gpu(std::function<void()> before) {
  no_gpu_ = "The GPU's driver has not answered yet";
  connecting_ = in_background([before = std::move(before), connect = options_.gpu.connect] {
    before();
    return connect();
  });
}

void Pipeline::take_gpu(std::chrono::milliseconds patience) {
  if (!connecting_.valid() || connecting_.wait_for(patience) != std::future_status::ready) return;
  const Result<void> connected = connecting_.get();
  Result<void> started = connected ? start_gpu() : connected;
  no_gpu_ = started ? "" : started.error().text;
  lanes_.cancel();
  lanes_.plan_anew();
  race_.stop();
  // If OpenGL shares the device, the driver refuses a new context for the lifetime of the process.
  lost_gpu_ = !started && device_generation_ > 0;
  if (lost_gpu_)
    options_.log("The GPU cannot be used until the program is started again; kernels run on the CPU. " + no_gpu_);
}

Result<void> Pipeline::start_gpu() {
  on_.gpu = CONV_TRY(options_.gpu.create({.sources = sources_, .frames = on_.frames, .log = options_.log}));
  texts_of_gpu_ = sources_.texts()->hash;
  give_texts_to_gpu();
  on_.frames.lock_pages(on_.gpu->page_locking());
  return {};
}

bool Pipeline::takes_yuv() const {
  const auto needs_host = [](const Lane& lane) {
    return lane.active && lane.plan() && (lane.on_cpu || lane.plan()->transfers());
  };
  return on_.gpu && on_.gpu->takes_yuv() && std::ranges::none_of(lanes_, needs_host);
}

DeviceLimits Pipeline::limits() const {
  DeviceLimits limits = on_.gpu ? on_.gpu->limits() : on_.cpu.limits();
  limits.rankings = rankings_;
  return limits;
}

PlanContext Pipeline::context() {
  static const Faults none;
  return {.image = on_.frames.picture()->size,
          .taps = filter_.taps,
          .limits = limits(),
          .crashed = on_.gpu ? std::as_const(crashed_) : none,
          .put_edits_into = [this](LaunchPlan& plan) {
            const LiveKernels::Put put = live_.put_into(plan, sources_);
            if (put.is_new && on_.gpu) {
              give_texts_to_gpu();
              texts_differ_ = true;
            }
            return put.is_edited;
          }};
}

PlanInputs Pipeline::inputs_of(const LaneSettings& lane, const Settings& settings) const {
  return {lane,
          filter_.filter,
          settings.border,
          settings.border_value,
          settings.iterations,
          on_.frames.generation(),
          find_variant(lane.variant)->chooses ? rankings_ : nullptr,
          on_.frames.unusual_largest()};
}

void ChosenFilter::choose(const FilterSpec& chosen) {
  if (taps && filter == chosen) return;
  Result<Taps> made = taps_of(chosen);
  error = made ? "" : made.error().text;
  if (!made) return;
  taps = std::make_shared<const Taps>(std::move(*made));
  filter = chosen;
  rank_1_error = taps->rank > 1 ? rank_error(*matrix_of(chosen), 1) : 0;
}

void Pipeline::frame(const Settings& settings, bool every_frame, const std::shared_ptr<FrameTrace>& trace) {
  if (!on_.frames.picture()) return;
  if (const std::string fault = on_.gpu ? on_.gpu->fault() : ""; !fault.empty()) {
    options_.log(fault);
    recover(fault);
  }
  take_gpu({});
  poll_kernels();
  take_live_kernels();
  filter_.choose(settings.filter);
  if (!filter_.taps) return;

  std::vector<PlanInputs> shown;
  for (int i = 0; i < shown_lanes(settings); ++i) shown.push_back(inputs_of(lane_settings(settings, i), settings));
  const PlanContext now = context();
  lanes_.plan(std::move(shown), now);
  lanes_.run(now, every_frame, !settings.transfer.asynchronous, trace);
  live_.start_next();
  lanes_.present();
  if (on_.gpu && lanes_[0].settled && prefetched_ != settings.filter) {
    prefetched_ = settings.filter;
    std::vector<LaunchPlan> plans = plans_of_neighbours(settings.filter, lanes_, now);
    std::erase_if(plans, [&](const LaunchPlan& plan) { return is_edited(plan, sources_); });  // not checked yet
    on_.gpu->prefetch(plans);
  }
}

bool Pipeline::poll_kernels() {
  if (!sources_.poll()) return false;
  reload_kernels();
  return true;
}

bool Pipeline::idle(bool every_frame) const {
  return !connecting_.valid() && !race_.running() && !compiling() && !live_.busy() && lanes_.idle(every_frame);
}

void Pipeline::reload_kernels() {
  kernels_from_ = origin_of(sources_);
  if (!sources_.refused().empty()) options_.log(sources_.refused());
  lanes_.plan_anew();
  crashed_.clear();
  race_.stop();  // it starts again
  give_texts_to_gpu();
}

// It compiles again what has changed.
void Pipeline::give_texts_to_gpu() {
  if (!on_.gpu) return;
  const std::shared_ptr<const KernelTexts> texts = live_.texts_for_gpu(sources_);
  if (std::exchange(texts_of_gpu_, texts->hash) == texts->hash) return;
  on_.gpu->reload(texts);
  options_.tell("Compiling the kernels that have changed.");
}

void Pipeline::run_kernel(const std::string& file, std::optional<std::string> text, bool unchecked) {
  const bool is_new = sources_.use(file, text);
  if (unchecked && text) live_.allow(file, *text);
  if (text && sources_.edited(file) == file)
    live_.check(file, *text);
  else
    live_.forget(file);
  if (is_new || !crashed_.empty()) reload_kernels();
}

void Pipeline::take_live_kernels() {
  const bool differ = std::exchange(texts_differ_, false);
  if (live_.poll() || differ) {
    give_texts_to_gpu();
    lanes_.plan_anew();
    race_.stop();  // it starts again
  }
  for (const LiveKernels::News& news : live_.take_news()) (news.passed ? options_.tell : options_.note)(news.text);
}

// After a fault nothing in the device context is usable: destroys all of it and creates it again.
void Pipeline::recover(const std::string& fault) {
  for (const std::string& racer : race_.in_flight()) crashed_[racer] = fault;
  const bool raced = race_.running();
  race_.stop();
  race_source_.reset();
  if (!raced)
    for (const std::string& variant : lanes_.variants_on_gpu()) crashed_[variant] = fault;
  lanes_.reset();
  on_.frames.forget_conversions();
  on_.frames.lock_pages(nullptr);
  on_.gpu.reset();
  options_.before_reset();
  ++device_generation_;
  connect_gpu(options_.gpu.reset);
  take_gpu(driver_patience);
}

const DisplayTexture* Pipeline::reference(const Settings& settings) {
  return filter_.taps && on_.frames.picture() ? reference_.show(reference_job(on_.frames, filter_.filter, settings))
                                              : nullptr;
}

void Pipeline::race(const Settings& settings, const std::vector<std::string>& variants) {
  if (variants.empty() || !filter_.taps || !on_.frames.picture()) return race_.stop();
  const RaceJob job{inputs_of(settings.lanes[0], settings), variants};
  if (!race_.races(job)) {
    if (!on_.frames.prepare(settings.lanes[0].format).value_or(false)) return;
    race_source_ = on_.frames.image(settings.lanes[0].format);
  }
  ReferenceJob reference = reference_job(on_.frames, filter_.filter, settings);
  reference.source = race_source_;
  reference_.worker().want(reference);
  Backend& backend = on_.gpu ? *on_.gpu : static_cast<Backend&>(on_.cpu);
  const PlanContext now = context();
  race_.set(job, now.taps, race_source_, {backend, now.limits, on_.gpu != nullptr, now.put_edits_into});
  if (const Result<void> advanced = race_.advance(reference_.worker()); !advanced) options_.log(advanced.error().text);
}

}  // namespace conv
