#include "app/pipeline/pipeline.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/factors.h"
#include "kernels/core/registry.h"
#include "kernels/gpu/gpu_clock.h"
#include "kernels/ops/whole_images.h"
#include "kernels/variants/support/plan_job.h"

namespace {

// What a picture of this filter is called beside the variant: "radius 5", "3x5 matrix".
std::string radius_text(const LaunchPlan& plan, const FilterSpec& filter) {
  Size2 radius;
  for (const TapsTable& table : plan.tables)
    radius = {std::max(radius.width, table.radius.width), std::max(radius.height, table.radius.height)};
  if (info(filter.kind).size == FilterSize::fixed && filter.kind != FilterKind::custom)
    return std::string(info(filter.kind).title);
  if (filter.kind == FilterKind::custom)
    return fmt::format("{}x{} matrix", 2 * radius.width + 1, 2 * radius.height + 1);
  return fmt::format("radius {}", radius.width);
}

// The largest square window the variant can do here: plans refuse rising radii from some point on. Taps are
// positive and separable, which every variant takes.
int largest_radius(const Variant& variant, Size2 image, const LaneSettings& lane, const DeviceLimits& limits) {
  int fits = 0, refused = max_radius + 1;
  while (refused - fits > 1) {
    const int radius = (fits + refused) / 2, side = 2 * radius + 1;
    const std::vector<float> factor(side, 1.0f);
    const auto taps = std::make_shared<const Taps>(
        Taps{.size = {side, side}, .values = std::vector<float>(side * side, 1.0f), .row = factor, .column = factor});
    const ConvSettings settings{
        .taps = taps, .format = lane.format, .border = Border::zero, .block = lane.block, .switches = lane.switches};
    const bool planned = plan_job(variant, image, applicable(variant, settings), limits).has_value();
    (planned ? fits : refused) = radius;
  }
  return fits;
}

int shown_lanes(const Settings& settings) {
  if (settings.view == ViewMode::single) return 1;
  return settings.view == ViewMode::grid ? 2 + static_cast<int>(settings.grid.size()) : 2;
}

// A and B have settings of their own; the others in the grid have those of A, but for the variant.
LaneSettings lane_settings(const Settings& settings, int lane) {
  LaneSettings chosen = settings.lanes[lane == 1 ? 1 : 0];
  if (lane == 1 && settings.link_lanes) {
    chosen.format = settings.lanes[0].format;
    chosen.block = settings.lanes[0].block;
  }
  if (lane > 1) chosen.variant = settings.grid[static_cast<std::size_t>(lane) - 2];
  return chosen;
}

// As a picture of floats, 1 at full scale.
HostImage as_floats(const Reference& reference) {
  const PixelTypeInfo& type = info(reference.type);
  HostImage image(type.channels == 1 ? PixelType::f32 : PixelType::rgba32f, reference.size);
  const int channels = info(image.type).channels;
  auto* values = reinterpret_cast<float*>(image.bytes.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(image.size.area()); ++i)
    for (int c = 0; c < channels; ++c)
      values[i * channels + c] =
          c < type.channels ? static_cast<float>(reference.values[i * type.channels + c] / type.one) : 1.0f;
  return image;
}

// CPU lanes measure this long after a change, then rest: the machine is also drawing the window.
constexpr float cpu_measuring_ms = 3000;

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::create(PipelineOptions options) {
  const DeviceChoice choice = options.device;
  std::unique_ptr<Pipeline> pipeline(new Pipeline(std::move(options)));
  if (choice == DeviceChoice::cpu) {
    pipeline->no_gpu_ = "--device cpu";
    return pipeline;
  }
  if (const Result<void> started = pipeline->start_gpu(); !started) {
    if (choice == DeviceChoice::gpu) return failure(fmt::format("--device gpu: {}", started.error().text));
    pipeline->no_gpu_ = started.error().text;
  }
  return pipeline;
}

Pipeline::Pipeline(PipelineOptions options) : options_(std::move(options)) {
  note_sources();
  for (Lane& lane : lanes_) lane.texture = std::make_unique<DisplayTexture>(textures_, options_.interop);
}

Pipeline::~Pipeline() = default;

Result<void> Pipeline::start_gpu() {
#if defined(CONV_WITH_CUDA)
  auto gpu = GpuExecutor::create(sources_, CubinCache(), options_.log);
#else
  auto gpu = GpuExecutor::create();
#endif
  if (!gpu) return tl::unexpected(gpu.error());
  gpu_ = std::move(*gpu);
  return {};
}

void Pipeline::note_sources() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  kernels_from_ =
      sources_.embedded() ? "built into the program" : fmt::format("on disk, read at {:%H:%M:%S}", fmt::localtime(now));
}

void Pipeline::set_source(std::shared_ptr<const Picture> picture) {
  set_frame(std::move(picture));
  ++source_generation_;
}

void Pipeline::set_frame(std::shared_ptr<const Picture> picture) {
  picture_ = std::move(picture);
  ++frame_;
  formats_ = {};
}

std::shared_ptr<const HostImage> Pipeline::source_in(PixelType type) {
  auto& cached = formats_[static_cast<std::size_t>(type)];
  if (!cached) cached = std::make_shared<HostImage>(to_format(*picture_, type));
  return cached;
}

void Pipeline::restart_samples(Lane& lane) {
  ++lane.generation;
  lane.kernel_ms.clear();
  lane.cold_ms.reset();
  lane.step_ms.assign(lane.plan ? lane.plan->steps.size() : 0, {});
  lane.timeline.clear();
  lane.cpu_spent_ms = 0;
}

void Pipeline::add_times(Lane& lane, const std::vector<StepSpan>& spans) {
  if (!lane.cold_ms) {
    lane.cold_ms = total_ms(spans);
    if (!lane.on_cpu) return;  // on the CPU a run may take a second, and is as warm as the next
  }
  lane.kernel_ms.add(total_ms(spans));
  for (std::size_t i = 0; i < std::min(spans.size(), lane.step_ms.size()); ++i) lane.step_ms[i].add(spans[i].ms());
  lane.timeline = spans;
}

DeviceLimits Pipeline::limits() const {
  DeviceLimits limits = cpu_limits();
#if defined(CONV_WITH_CUDA)
  if (gpu_) limits = gpu_->device().limits;
#endif
  limits.rankings = rankings_;
  return limits;
}

std::string Pipeline::name_of(const Lane& lane) {
  const std::string& variant = lane.inputs->lane.variant;
  return lane.plan->chosen.empty() ? variant : fmt::format("{}: {}", variant, lane.plan->chosen);
}

PlanInputs Pipeline::inputs_of(const LaneSettings& lane, const Settings& settings) const {
  return {lane,
          taps_filter_,
          settings.border,
          settings.border_value,
          settings.iterations,
          source_generation_,
          find_variant(lane.variant)->chooses ? rankings_ : nullptr};
}

void Pipeline::plan_lane(Lane& lane, const LaneSettings& chosen, const Settings& settings) {
  PlanInputs inputs = inputs_of(chosen, settings);
  if (lane.inputs == inputs) return;
  const bool same_lane = lane.inputs && lane.inputs->lane == inputs.lane;
  lane.inputs = std::move(inputs);
  lane.refusal.clear();
  const Variant* variant = find_variant(chosen.variant);
  const DeviceLimits limits = this->limits();
  if (!same_lane) lane.max_radius = largest_radius(*variant, picture_->size, chosen, limits);
  // Switches left over from another variant do nothing here, where the command line would refuse them.
  const ConvSettings job = applicable(*variant, conv_settings(chosen, settings, taps_));
  Result<LaunchPlan> plan = plan_job(*variant, picture_->size, job, limits);
  const std::string& runs = plan && !plan->chosen.empty() ? plan->chosen : chosen.variant;
  if (gpu_ && crashed_.contains(runs))
    plan = failure(fmt::format("{} crashed: {}. Change its kernel file to try it again", runs, crashed_.at(runs)));
  lane.exhibit = exhibit_of(*variant, job.switches);
  lane.settled = false;
  lane.stale = true;
  lane.note.clear();
  lane.log.clear();
  if (!plan) {
    lane.refusal = plan.error().text;
    lane.plan.reset();
    return;
  }
  lane.plan = std::make_shared<const LaunchPlan>(std::move(*plan));
  lane.radius = radius_text(*lane.plan, lane.inputs->filter);
  lane.on_cpu = !gpu_ || lane.plan->on_host();
  lane.running = Running::nothing;
  lane.occupancy.clear();
  restart_samples(lane);
}

void Pipeline::frame(const Settings& settings, bool every_frame, std::shared_ptr<FrameTrace> trace) {
  if (!picture_) return;
  tracing_ = trace != nullptr;
  if (tracing_) trace_ = std::move(trace);
#if defined(CONV_WITH_CUDA)
  if (gpu_) {
    if (const Result<void> healthy = gpu_->check(); !healthy) {
      options_.log(healthy.error().text);
      recover(healthy.error().text);
    }
  }
#endif
  if (sources_.poll()) {
    note_sources();
#if defined(CONV_WITH_CUDA)
    if (gpu_) {
      gpu_->reload(sources_.texts());
      way_in_fails_ = false;
      crashed_.clear();
      options_.log("Kernel files changed: compiling them again.");
      for (Lane& lane : lanes_) lane.inputs.reset();
      race_.stop();  // and begins anew
    }
#endif
  }
  if (!taps_ || !(taps_filter_ == settings.filter)) {
    Result<Taps> taps = taps_of(settings.filter);
    filter_error_ = taps ? "" : taps.error().text;
    if (taps) {
      taps_ = std::make_shared<const Taps>(std::move(*taps));
      taps_filter_ = settings.filter;
      rank_1_error_ = taps_->rank > 1 ? rank_error(*matrix_of(settings.filter), 1) : 0;
    }
  }
  if (!taps_) return;

#if defined(CONV_WITH_CUDA)
  waits_for_uploads_ = !settings.transfer.asynchronous;
#endif
  join_clocks();
  bring_frame();
  wake_gpu();
  first_lane_ = (first_lane_ + 1) % shown_lanes(settings);  // lanes take turns, so that none always comes first
  for (int n = 0; n < max_lanes; ++n) {
    const int i = (first_lane_ + n) % max_lanes;
    Lane& lane = lanes_[i];
    lane.active = i < shown_lanes(settings);
    if (!lane.active) {
      cpu_.cancel(i);
      if (!lane.settled) lane.inputs.reset();  // what was given up begins anew when the lane is shown again
      continue;
    }
    plan_lane(lane, lane_settings(settings, i), settings);
    if (!lane.plan || lane.on_cpu != (!gpu_ || lane.plan->on_host())) continue;
    if (lane.on_cpu)
      run_on_cpu(i, every_frame);
    else
      launch_on_gpu(i, every_frame);
  }
  // Both lanes' kernels come before either picture: what OpenGL does with one must not run beside the other's kernel.
  for (Lane& lane : lanes_)
    if (std::exchange(lane.launched, false)) present_from_gpu(lane);
  part_clocks();
  prefetch_neighbours(settings);
}

ReferenceJob Pipeline::reference_job(const Settings& settings) {
  return {source_in(settings.lanes[0].format), taps_filter_, settings.border, settings.border_value,
          settings.iterations};
}

const DisplayTexture* Pipeline::reference(const Settings& settings) {
  if (!taps_ || !picture_) return nullptr;
  reference_.want(reference_job(settings));
  const std::shared_ptr<const Reference> result = reference_.result();
  if (result && result->values.empty()) return nullptr;  // valid padding leaves nothing
  if (result && result != shown_reference_) reference_texture_.upload(as_floats(*result));
  shown_reference_ = result;
  return result ? &reference_texture_ : nullptr;
}

void Pipeline::race(const Settings& settings, const std::vector<std::string>& variants) {
  if (variants.empty() || !taps_ || !picture_) {
    if (race_.running()) cpu_.cancel(CpuWorker::race_lane);
    return race_.stop();
  }
  const RaceJob job{inputs_of(settings.lanes[0], settings), variants};
  if (!race_.races(job)) race_source_ = source_in(settings.lanes[0].format);
  ReferenceJob reference = reference_job(settings);
  reference.source = race_source_;
  reference_.want(reference);
  race_.set(job, taps_, picture_->size, limits(), gpu_ != nullptr);
#if defined(CONV_WITH_CUDA)
  if (gpu_) {
    Result<void> advanced;
    if (race_upload_.content != race_source_) {
      advanced = race_upload_.image.upload(*race_source_, gpu_->stream());
      race_upload_.content = race_source_;
    }
    if (advanced) advanced = race_.advance_on_gpu(*gpu_, reference_, race_upload_.image, race_source_);
    if (!advanced) options_.log(advanced.error().text);
    return;
  }
#endif
  race_.advance_on_cpu(cpu_, reference_, race_source_);
}

void Pipeline::run_on_cpu(int index, bool every_frame) {
  Lane& lane = lanes_[index];
  std::optional<CpuResult> result = cpu_.take(index);
  if (result && result->job.plan != lane.plan) result.reset();
  if (result && !result->error.empty()) {
    lane.refusal = result->error;
    lane.plan.reset();
    return;
  }
  if (result) {
    const PixelType shown = info(result->image.type).display;
    if (shown == result->image.type) {
      lane.texture->upload(result->image);
    } else {
      HostImage drawn(shown, result->image.size);
      convert_on_host(result->image, drawn);
      lane.texture->upload(drawn);
    }
    lane.has_picture = lane.settled = true;
    lane.shown_frame = lane.frame;
    lane.shown_radius = lane.radius;
    lane.shown = fmt::format("{} · {}", name_of(lane), lane.shown_radius);
    lane.note.clear();
    add_times(lane, result->spans);
    if (result->job.traced) trace_->came(lane.plan.get(), index, result->began, result->spans);
    lane.cpu_spent_ms += total_ms(result->spans);
  }
  const bool measuring = lane.kernel_ms.values().size() < Samples::capacity && lane.cpu_spent_ms < cpu_measuring_ms;
  // The newest frame is taken when the one before is done.
  if (lane.stale || ((lane.frame != frame_ || (every_frame && measuring)) && !cpu_.busy(index))) {
    cpu_.submit(index, {lane.plan, source_in(lane.plan->format), tracing_});
    if (tracing_) trace_->await();
    lane.stale = false;
    lane.frame = frame_;
  }
  if (!lane.settled)
    lane.note = lane.has_picture ? fmt::format("computing {} on the CPU · picture is {}", lane.radius, lane.shown)
                                 : "computing on the CPU";
}

bool Pipeline::compiling() const {
#if defined(CONV_WITH_CUDA)
  return gpu_ && gpu_->compiler().busy();
#else
  return false;
#endif
}

bool Pipeline::has_free_lane() const {
  for (int i = 0; i < max_lanes; ++i)
    if (lanes_[i].active && !(lanes_[i].on_cpu && cpu_.busy(i))) return true;
  return false;
}

void Pipeline::retry_interop() {
  for (Lane& lane : lanes_) lane.texture->retry_interop();
}

std::optional<HostImage> Pipeline::result(int index) {
  const DisplayTexture& texture = *lanes_[index].texture;
  if (!lanes_[index].has_picture) return std::nullopt;
  return texture.download();
}

void Pipeline::fill_times(Status& status) const {
#if defined(CONV_WITH_CUDA)
  status.upload_ms = upload_ms_.summary();
  status.upload_bytes = upload_bytes_;
  status.way_in.clear();
  for (const Uploaded& upload : uploads_)  // of the last frames: the GPU may be behind
    if (upload.way_in && frame_ - upload.frame < 8)
      status.way_in.push_back({std::string(upload.way_in->title_of(0)), upload.ms.summary()});
  status.clock = gpu_ ? gpu_clock(gpu_->device().bus) : std::nullopt;
#endif
  race_.fill(status.race);
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    LaneStatus& to = status.lanes[i];
    to.kernel_ms = lane.kernel_ms.summary();
    to.cold_ms = lane.cold_ms;
    to.steps.clear();
    if (lane.plan)
      for (std::size_t s = 0; s < lane.step_ms.size(); ++s)
        to.steps.push_back({std::string(lane.plan->title_of(s)), lane.step_ms[s].summary()});
    to.timeline = lane.timeline;
    to.to_texture_ms = lane.to_texture_ms.summary();
    const auto map_ms = lane.map_host_ms.summary();
    to.map_host_ms = map_ms ? std::optional(map_ms->median) : std::nullopt;
    to.generation = lane.generation;
  }
  const bool comparable = lanes_[1].active && lanes_[0].on_cpu == lanes_[1].on_cpu && lanes_[0].settled &&
                          lanes_[1].settled && lanes_[0].exhibit.empty() && lanes_[1].exhibit.empty() &&
                          lanes_[0].plan && lanes_[1].plan &&
                          lanes_[0].plan->transfers() == lanes_[1].plan->transfers();
  status.comparison =
      comparable ? compare_lanes(lanes_[0].kernel_ms.values(), lanes_[1].kernel_ms.values()) : Comparison{};
}

bool Pipeline::times_are_of(const Status& status) const {
  return std::equal(lanes_.begin(), lanes_.end(), status.lanes.begin(), [](const Lane& lane, const LaneStatus& shown) {
    if (!lane.active || !shown.active) return lane.active == shown.active;
    return lane.generation == shown.generation && shown.kernel_ms && shown.kernel_ms->count >= 8;
  });
}

void Pipeline::fill(Status& status) const {
  status.no_gpu = no_gpu_;
  status.device = fmt::format("CPU executor, {} threads", cpu_.threads());
  status.limits = limits();
#if defined(CONV_WITH_CUDA)
  if (gpu_) {
    const DeviceInfo& device = gpu_->device();
    status.device = device.name;
    status.architecture = gpu_->compiler().architecture();
    status.device_detail = fmt::format(
        "sm_{} · {} multiprocessors · CUDA driver {}.{}, runtime {}.{} · NVRTC {}", device.limits.compute_capability,
        device.limits.multiprocessors, device.driver_version / 1000, device.driver_version % 1000 / 10,
        device.runtime_version / 1000, device.runtime_version % 1000 / 10, nvrtc_version());
  }
#endif
  if (picture_) {
    status.source_name = picture_->name;
    status.source_note = picture_->note;
    status.source_size = picture_->size;
    status.source_channels = picture_->channels;
  }
  status.kernels = sources_.texts();
  status.kernels_from = kernels_from_;
  status.filter_error = filter_error_;
  status.reference_progress = reference_.progress();
  if (taps_) {
    status.taps = taps_;
    status.rank = taps_->rank;
    status.rank_1_error = rank_1_error_;
    status.bell = taps_->row;
  }
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    LaneStatus& to = status.lanes[i];
    to.active = lane.active;
    to.has_picture = lane.has_picture;
    to.shown = lane.shown;
    to.note = lane.note;
    to.refusal = lane.refusal;
    to.log = lane.log;
    to.exhibit = lane.exhibit;
    to.on_cpu = lane.on_cpu;
    to.max_radius = lane.max_radius;
    to.settled = lane.settled && lane.refusal.empty();
    to.history.assign(lane.kernel_ms.values().begin(), lane.kernel_ms.values().end());
    to.interop = lane.texture->interop();
    to.interop_reason = lane.texture->interop_reason();
    to.plan = lane.plan;
    to.occupancy = lane.occupancy;
    to.picture = lane.generation;
    to.frame = lane.shown_frame;
  }
}
