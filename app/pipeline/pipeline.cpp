#include "app/pipeline/pipeline.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/background.h"
#include "kernels/core/factors.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

// A healthy driver answers within this time, and the window opens with the GPU.
constexpr std::chrono::milliseconds driver_patience{1000};
// CPU lanes measure this long after a change, and until two lanes can be compared. Then they pause, because the machine
// is also drawing the window.
constexpr float cpu_measuring_ms = 3000;

// A job of less than this may end while a slider is dragged: the picture follows.
constexpr float quick_ms = 200;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string origin_of(const KernelSources& sources) {
  if (sources.embedded()) return "built into the program";
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("on disk, read at {:%H:%M:%S}", fmt::localtime(now));
}

// Shown while the texture does not show what was requested.
std::string note_of(const Submitted& submitted, const Lane& lane) {
  const std::string& radius = lane.planned->radius_text;
  const bool runs = submitted.running != Running::nothing;
  if (!submitted.error.empty()) return first_line(submitted.error) + (runs ? ". Running the last good kernel." : "");
  if (submitted.later) return fmt::format("computing {} on the CPU", radius);
  if (!runs)
    return lane.has_picture ? fmt::format("compiling {} · picture is {}", radius, lane.shown.radius)
                            : fmt::format("compiling {}", radius);
  return submitted.running == Running::general ? fmt::format("compiling {} · showing general kernel", radius) : "";
}

ReferenceJob reference_job(CurrentFrame& frames, const FilterSpec& filter, const Settings& settings) {
  return {frames.image(settings.lanes[0].format), filter, settings.border, settings.border_value, settings.iterations};
}

// The plans with one radius more and one less: a dragged slider finds their kernels compiled.
std::vector<LaunchPlan> plans_of_neighbours(const FilterSpec& filter, const std::array<Lane, max_lanes>& lanes,
                                            const PlanContext& context) {
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

Result<std::unique_ptr<Pipeline>> Pipeline::create(PipelineOptions options) {
  const DeviceChoice choice = options.device;
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(options)));
  if (choice == DeviceChoice::cpu) {
    pipeline->no_gpu_ = "--device cpu";
    return pipeline;
  }
  pipeline->connect_gpu();
  if (choice == DeviceChoice::gpu) pipeline->connecting_.wait();
  pipeline->take_gpu(driver_patience);
  if (choice == DeviceChoice::gpu && !pipeline->gpu_) return failure("--device gpu: " + pipeline->no_gpu_);
  return pipeline;
}

Pipeline::Pipeline(PipelineOptions options) : options_(std::move(options)), kernels_from_(origin_of(sources_)) {
  for (Lane& lane : lanes_) lane.texture = std::make_unique<DisplayTexture>(textures_, options_.interop);
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
  for (int i = 0; i < max_lanes; ++i) {
    cpu_.cancel(i);
    lanes_[i].planned.reset();
  }
  race_.stop();
  // If OpenGL shares the device, the driver refuses a new context for the lifetime of the process.
  lost_gpu_ = !started && device_generation_ > 0;
  if (lost_gpu_)
    options_.log("The GPU cannot be used until the program is started again; kernels run on the CPU. " + no_gpu_);
}

Result<void> Pipeline::start_gpu() {
  gpu_ = CONV_TRY(options_.gpu.create({.sources = sources_, .frames = frames_, .log = options_.log}));
  texts_of_gpu_ = sources_.texts()->hash;
  give_texts_to_gpu();
  frames_.lock_pages(gpu_->page_locking());
  return {};
}

PageLocking Pipeline::page_locking() const {
  return gpu_ ? gpu_->page_locking() : nullptr;
}

bool Pipeline::takes_yuv() const {
  const auto needs_host = [](const Lane& lane) {
    return lane.active && lane.plan() && (lane.on_cpu || lane.plan()->transfers());
  };
  return gpu_ && gpu_->takes_yuv() && std::ranges::none_of(lanes_, needs_host);
}

DeviceLimits Pipeline::limits() const {
  DeviceLimits limits = gpu_ ? gpu_->limits() : cpu_.limits();
  limits.rankings = rankings_;
  return limits;
}

PlanContext Pipeline::context() const {
  static const Faults none;
  return {frames_.picture()->size, filter_.taps, limits(), gpu_ ? crashed_ : none};
}

PlanInputs Pipeline::inputs_of(const LaneSettings& lane, const Settings& settings) const {
  return {lane,
          filter_.filter,
          settings.border,
          settings.border_value,
          settings.iterations,
          frames_.generation(),
          find_variant(lane.variant)->chooses ? rankings_ : nullptr,
          frames_.unusual_largest()};
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

void Pipeline::frame(const Settings& settings, bool every_frame, std::shared_ptr<FrameTrace> trace) {
  if (!frames_.picture()) return;
  if (const std::string fault = gpu_ ? gpu_->fault() : ""; !fault.empty()) {
    options_.log(fault);
    recover(fault);
  }
  take_gpu({});
  poll_kernels();
  take_live_kernels();
  filter_.choose(settings.filter);
  if (!filter_.taps) return;

  const int shown = shown_lanes(settings);
  for (int i = 0; i < max_lanes; ++i) {
    Lane& lane = lanes_[i];
    lane.active = i < shown;
    if (!lane.active) {
      hide(i);
      continue;
    }
    plan(lane, inputs_of(lane_settings(settings, i), settings));
    if (!lane.plan()) continue;
    if (!lane.on_cpu) cpu_.cancel(i);
    collect(i);
  }
  begin_frame(settings, every_frame, trace);
  first_lane_ = (first_lane_ + 1) % shown;  // lanes take turns being first
  for (int n = 0; n < max_lanes; ++n)
    if (const int i = (first_lane_ + n) % max_lanes; will_run(i, every_frame)) run(i);
  // Both lanes' kernels run before either picture is drawn: OpenGL's work for one must not overlap the other's kernel.
  live_.start_next();
  for (int i = 0; i < max_lanes; ++i)
    if (lanes_[i].fresh) present(i);
  if (gpu_) {
    gpu_->end_frame();
    if (const auto ms = gpu_->map_host_ms()) map_host_ms_.add(*ms);
  }
  if (gpu_ && lanes_[0].settled && prefetched_ != settings.filter) {
    prefetched_ = settings.filter;
    std::vector<LaunchPlan> plans = plans_of_neighbours(settings.filter, lanes_, context());
    std::erase_if(plans, [&](const LaunchPlan& plan) { return is_edited(plan, sources_); });  // not checked yet
    gpu_->prefetch(plans);
  }
}

// A small picture is kept, so that it is there at once when its lane is shown again.
void Pipeline::hide(int index) {
  Lane& lane = lanes_[index];
  cpu_.cancel(index);
  if (!lane.settled) lane.planned.reset();  // a cancelled job starts again when the lane is shown again
  const DisplayTexture& texture = *lane.texture;
  if (lane.has_picture && texture.size().area() * info(texture.type()).bytes > options_.kept_bytes) give_back(index);
}

void Pipeline::give_back(int index) {
  Lane& lane = lanes_[index];
  lane.texture->release();
  lane.has_picture = false;
  lane.shown = {};
  lane.planned.reset();
  if (gpu_) gpu_->release(index);
}

// When a processor or the graphics driver may be out of memory.
void Pipeline::give_back_what_is_hidden() {
  for (int i = 0; i < max_lanes; ++i)
    if (!lanes_[i].active) give_back(i);
  textures_.clear();
}

bool Pipeline::poll_kernels() {
  if (!sources_.poll()) return false;
  reload_kernels();
  return true;
}

bool Pipeline::wants_samples(const Lane& lane) const {
  if (!lane.on_cpu) return true;
  const std::size_t samples = lane.times.kernel_ms.values().size();
  return (lanes_[1].active && samples < compared_samples) ||
         (samples < Samples::capacity && lane.times.spent_ms < cpu_measuring_ms);
}

bool Pipeline::idle(bool every_frame) const {
  if (connecting_.valid() || race_.running() || compiling() || live_.busy()) return false;
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.active || !lane.plan()) continue;  // not shown, or refused
    if (!lane.settled || (every_frame && wants_samples(lane)) || (lane.on_cpu && !cpu_.ready(i, false))) return false;
  }
  return true;
}

void Pipeline::reload_kernels() {
  kernels_from_ = origin_of(sources_);
  if (!sources_.refused().empty()) options_.log(sources_.refused());
  for (Lane& lane : lanes_) lane.planned.reset();
  crashed_.clear();
  race_.stop();  // it starts again
  give_texts_to_gpu();
}

// It compiles again what has changed.
void Pipeline::give_texts_to_gpu() {
  if (!gpu_) return;
  const std::shared_ptr<const KernelTexts> texts = live_.texts_for_gpu(sources_);
  if (std::exchange(texts_of_gpu_, texts->hash) == texts->hash) return;
  gpu_->reload(texts);
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

std::function<bool(LaunchPlan&)> Pipeline::put_edits_into() {
  return [this](LaunchPlan& plan) {
    const LiveKernels::Put put = live_.put_into(plan, sources_);
    if (put.is_new && gpu_) {
      give_texts_to_gpu();
      texts_differ_ = true;
    }
    return put.is_edited;
  };
}

void Pipeline::take_live_kernels() {
  const bool differ = std::exchange(texts_differ_, false);
  if (live_.poll() || differ) {
    give_texts_to_gpu();
    for (Lane& lane : lanes_) lane.planned.reset();
    race_.stop();  // it starts again
  }
  for (LiveKernels::News& news : live_.take_news()) (news.passed ? options_.tell : options_.note)(std::move(news.text));
}

void Pipeline::begin_frame(const Settings& settings, bool every_frame, const std::shared_ptr<FrameTrace>& trace) {
  FrameJob job{.waits_for_uploads = !settings.transfer.asynchronous,
               .without_interop = lanes_[0].has_picture && !lanes_[0].texture->interop(),
               .trace = trace};
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.active || !lane.plan() || lane.on_cpu || !prepare(lane).value_or(false)) continue;
    job.plans.push_back(lane.planned->plan);
    if (!will_run(i, every_frame)) continue;
    if (auto texture = lane.texture->registration_for(info(lane.plan()->format).display, lane.plan()->image))
      job.textures.push_back(std::move(texture));
  }
  if (gpu_) gpu_->begin_frame(job);
  cpu_.begin_frame(job);
}

void Pipeline::plan(Lane& lane, PlanInputs inputs) {
  if (lane.planned && lane.planned->inputs == inputs) return;
  PlanContext with_edits = context();
  with_edits.put_edits_into = put_edits_into();
  lane.planned = plan_lane(std::move(inputs), with_edits, lane.planned ? &*lane.planned : nullptr);
  ++lane.number;
  lane.settled = false;
  lane.changed = true;
  lane.note.clear();
  lane.log.clear();
  if (!lane.plan()) return;
  lane.on_cpu = !gpu_ || lane.plan()->on_host();
  lane.running = Running::nothing;
  lane.occupancy.clear();
  lane.times.begin_anew(lane.plan());
  map_host_ms_ = {};
}

// The plan does not run any more; the picture before it remains.
static void refuse(Lane& lane, std::string why) {
  lane.planned->refusal = std::move(why);
  lane.planned->plan.reset();
  lane.settled = false;
}

void Pipeline::collect(int index) {
  Lane& lane = lanes_[index];
  Collected collected = backend_of(lane).collect(index);
  for (const Collected::Times& times : collected.times)
    if (times.number == lane.number && times.running == lane.running) lane.times.add(times.spans, lane.on_cpu);
  if (collected.to_texture_ms) lane.times.to_texture_ms.add(*collected.to_texture_ms);
  if (!collected.result_of) return;
  const LaneJob& job = *collected.result_of;
  const bool is_newest = job.number == lane.number && !collected.is_preview;
  if (!collected.failed.empty()) {
    if (is_newest) refuse(lane, std::move(collected.failed));
    return;
  }
  lane.fresh = job.frame;
  lane.fresh_label = collected.is_preview ? job.preview_label : job.label;
  lane.settled = is_newest;
  if (is_newest) lane.note.clear();
}

LaneJob Pipeline::job_of(const Lane& lane) const {
  LaneJob job{
      .plan = lane.planned->plan, .number = lane.number, .frame = frames_.frame(), .label = lane.planned->label()};
  const std::string_view fast = fast_variant(*filter_.taps);
  job.is_quick = lane.planned->inputs.lane.variant == fast || lane.times.expected_ms().value_or(1e9f) < quick_ms;
  job.repeats = lane.settled && !lane.changed && lane.frame == frames_.frame();
  if (!lane.on_cpu || job.is_quick || !lane.changed) return job;
  PlanInputs inputs = lane.planned->inputs;
  inputs.lane.variant = fast;
  if (auto preview = plan_with(inputs, filter_.filter, context()))
    job.preview = std::make_shared<const LaunchPlan>(std::move(*preview));
  job.preview_label = {fmt::format("preview by {}", fast), job.label.radius};
  return job;
}

// Whether its source can be had without a long conversion. A GPU converts pictures of four channels itself.
Result<bool> Pipeline::prepare(const Lane& lane) {
  const Picture& picture = *frames_.picture();
  const bool by_gpu = !lane.on_cpu && picture.channels == 4 && !picture.is_float && !lane.plan()->transfers();
  return by_gpu ? true : frames_.prepare(lane.plan()->format);
}

// On the CPU the newest frame is taken when the one before is finished; another plan replaces it immediately.
bool Pipeline::will_run(int index, bool every_frame) {
  const Lane& lane = lanes_[index];
  if (!lane.active || !lane.plan()) return false;
  const bool wanted = lane.changed || lane.frame != frames_.frame() || (every_frame && wants_samples(lane)) ||
                      (!lane.on_cpu && !lane.settled);
  return wanted && backend_of(lane).ready(index, lane.changed);
}

void Pipeline::run(int index) {
  Lane& lane = lanes_[index];
  const Result<bool> prepared = prepare(lane);
  if (!prepared) return refuse(lane, prepared.error().text);
  if (!*prepared) {
    lane.note = fmt::format("converting the picture to {}", info(lane.plan()->format).title);
    return;
  }
  const Result<Submitted> submitted = backend_of(lane).submit(index, job_of(lane));
  if (submitted) return take(lane, *submitted);
  lane.note = first_line(submitted.error().text);
  if (std::exchange(lane.gave_back_for, lane.number) != lane.number) give_back_what_is_hidden();
}

void Pipeline::take(Lane& lane, const Submitted& submitted) {
  lane.log = submitted.error;
  const bool runs = submitted.running != Running::nothing;
  if (runs && lane.running != submitted.running) {
    lane.running = submitted.running;
    lane.times.begin_anew(lane.plan());
    map_host_ms_ = {};
  }
  if (submitted.later) {
    lane.changed = false;
    lane.frame = frames_.frame();
    if (!lane.settled) lane.note = note_of(submitted, lane);
    return;
  }
  lane.settled = submitted.running == Running::exact || (!submitted.error.empty() && runs);
  lane.note = note_of(submitted, lane);
  if (!runs) return;
  lane.changed = false;
  lane.frame = frames_.frame();
  lane.fresh = lane.frame;
  lane.fresh_label = lane.planned->label();
  if (lane.running == Running::exact && lane.occupancy.empty())
    lane.occupancy = occupancy_of(*lane.planned, context(), gpu_->footprints(*lane.plan()), gpu_->multiprocessor());
}

void Pipeline::present(int index) {
  Lane& lane = lanes_[index];
  const long long frame = *std::exchange(lane.fresh, {});
  Result<bool> presented = backend_of(lane).write_texture(index, *lane.texture);
  // After a kernel's fault every call of CUDA fails. The next frame recovers, and marks the variant.
  if (!presented && !lane.on_cpu && !gpu_->fault().empty()) {
    lane.settled = false;
    return;
  }
  if (!presented) {
    give_back_what_is_hidden();
    presented = backend_of(lane).write_texture(index, *lane.texture);
  }
  if (!presented) {
    lane.has_picture = lane.has_picture && lane.texture->has_content();
    if (!lane.has_picture) lane.shown = {};
    return refuse(lane, presented.error().text);
  }
  if (!*presented) {
    lane.note = "compiling the conversion for the screen";
    lane.changed = true;
    lane.settled = false;
    return;
  }
  lane.has_picture = true;
  lane.shown_frame = frame;
  lane.shown = lane.fresh_label;
}

// After a fault nothing in the device context is usable: destroys all of it and creates it again.
void Pipeline::recover(const std::string& fault) {
  for (const std::string& racer : race_.in_flight()) crashed_[racer] = fault;
  const bool raced = race_.running();
  race_.stop();
  race_source_.reset();
  for (Lane& lane : lanes_) {
    if (!raced && lane.active && lane.plan() && !lane.on_cpu)
      crashed_[lane.plan()->chosen.empty() ? lane.planned->inputs.lane.variant : std::string(lane.plan()->chosen)] =
          fault;
    lane = {};
    lane.texture = std::make_unique<DisplayTexture>(textures_, options_.interop);
  }
  textures_.clear();
  frames_.forget_conversions();
  frames_.lock_pages(nullptr);
  gpu_.reset();
  options_.before_reset();
  ++device_generation_;
  connect_gpu(options_.gpu.reset);
  take_gpu(driver_patience);
}

const DisplayTexture* Pipeline::reference(const Settings& settings) {
  return filter_.taps && frames_.picture() ? reference_.show(reference_job(frames_, filter_.filter, settings))
                                           : nullptr;
}

const DisplayTexture* Pipeline::original(PixelType format) {
  DisplayTexture& texture = original_.texture;
  if (!frames_.picture()) return nullptr;
  if (texture.has_content() && texture.type() == format && original_.frame == frames_.frame()) return &texture;
  if (!frames_.prepare(format).value_or(false)) return nullptr;
  original_.frame = frames_.frame();
  return texture.upload(*frames_.image(format)) ? &texture : nullptr;
}

void Pipeline::race(const Settings& settings, const std::vector<std::string>& variants) {
  if (variants.empty() || !filter_.taps || !frames_.picture()) return race_.stop();
  const RaceJob job{inputs_of(settings.lanes[0], settings), variants};
  if (!race_.races(job)) {
    if (!frames_.prepare(settings.lanes[0].format).value_or(false)) return;
    race_source_ = frames_.image(settings.lanes[0].format);
  }
  ReferenceJob reference = reference_job(frames_, filter_.filter, settings);
  reference.source = race_source_;
  reference_.worker().want(reference);
  Backend& backend = gpu_ ? *gpu_ : static_cast<Backend&>(cpu_);
  race_.set(job, filter_.taps, race_source_, {backend, limits(), gpu_ != nullptr, put_edits_into()});
  if (const Result<void> advanced = race_.advance(reference_.worker()); !advanced) options_.log(advanced.error().text);
}

bool Pipeline::has_free_lane() const {
  for (int i = 0; i < max_lanes; ++i)
    if (lanes_[i].active && !(lanes_[i].on_cpu && !cpu_.ready(i, false))) return true;
  return false;
}

void Pipeline::retry_interop() {
  for (Lane& lane : lanes_) lane.texture->retry_interop();
}

std::optional<HostImage> Pipeline::result(int index) {
  return lanes_[index].has_picture ? std::optional(lanes_[index].texture->download()) : std::nullopt;
}

}  // namespace conv
