// What of a frame is the GPU's; in a build without CUDA there is nothing of it.
#include <fmt/format.h>

#include <algorithm>

#include "app/pipeline/pipeline.h"
#include "kernels/core/registry.h"
#include "kernels/ops/whole_images.h"
#include "kernels/variants/support/plan_job.h"

#if defined(CONV_WITH_CUDA)
static std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

static TracedStage gpu_stage(std::string title, int lane = -1) {
  return {.title = std::move(title), .by = TracedBy::processor, .lane = lane};
}

std::function<std::shared_ptr<void>(void*, std::size_t)> Pipeline::page_locking() const {
  if (!gpu_) return {};
  return page_locked;
}

std::optional<double> Pipeline::link_rate() {
  if (!gpu_ || link_rate_) return link_rate_;
  if (const Result<double> measured = gpu_->link_rate()) link_rate_ = *measured;
  return link_rate_;
}

// A new frame is copied to the device before all that is timed there: meanwhile the GPU goes back to OpenGL's work, and
// the first kernel after it would pay for the change of contexts.
void Pipeline::bring_frame() {
  if (!gpu_) return;
  for (const Lane& lane : lanes_)
    if (lane.active && lane.plan && !lane.on_cpu) static_cast<void>(sent(lane.plan->format));  // the lane says why not
  while (const auto spans = upload_timer_.poll()) {
    if (!*spans) break;
    if (uploading_.front().bytes == upload_bytes_) upload_ms_.add((*spans)->front().ms());
    if (const auto began = upload_timer_.began()) trace_->came(gpu_stage("upload"), *began, (*spans)->front());
    uploading_.pop_front();
  }
}

void Pipeline::wake_gpu() {
  if (!gpu_) return;
  // Without interop nothing else orders OpenGL's work before the kernels, and times would hold both. Where copies come
  // first the GPU would go back to OpenGL's work meanwhile, and the kernels would wait for it.
  const bool copies =
      std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.plan && lane.plan->transfers(); });
  if (copies || (lanes_[0].has_picture && !lanes_[0].texture->interop())) glFinish();
  if (const Result<void> woken = gpu_->wake(); !woken) options_.log(woken.error().text);
}

void Pipeline::join_clocks() {
  if (!gpu_ || !tracing_) return;
  const FrameTrace::Time from = std::chrono::steady_clock::now();
  if (const Result<void> joined = gpu_->join_clocks(); !joined) options_.log(joined.error().text);
  trace_->add({.title = "join clocks", .waits = true}, from, std::chrono::steady_clock::now());
}

void Pipeline::part_clocks() {
  if (gpu_) gpu_->part_clocks();
}

void Pipeline::note(std::optional<ClockAnchor::Time> began, const LaunchPlan* plan, int lane,
                    const std::vector<StepSpan>& spans) {
  if (began) trace_->came(plan, lane, *began, spans);
}

// Frames of a moving source go to the device as they came, which brings them to other types; a picture in each.
Result<void> Pipeline::sent(PixelType type) {
  if (picture_->yuv) {
    const Size2 rows = yuv_rows(picture_->yuv->order, picture_->size);
    return send(yuv_, yuv_frame_, PixelType::gray8, rows, picture_->levels.data());
  }
  const bool as_it_is = picture_->channels == 4 && !picture_->is_float;
  return as_it_is ? sent_as(PixelType::rgba8, picture_->levels.data()) : sent_as(type, nullptr);
}

// rows: of the picture; null: those the host makes of it.
Result<void> Pipeline::sent_as(PixelType type, const void* rows) {
  Uploaded& to = uploads_[static_cast<std::size_t>(type)];
  if (to.frame == frame_) return {};
  to.way_in.reset();
  return send(to.image, to.frame, type, picture_->size, rows ? rows : source_in(type)->bytes.data());
}

// Timed. frame: of which `to` is.
Result<void> Pipeline::send(DeviceImage& to, long long& frame, PixelType type, Size2 size, const void* rows) {
  if (frame == frame_) return {};
  const auto upload = [&] { return to.upload(type, size, rows, gpu_->stream()); };
  if (auto uploaded = upload_timer_.around(gpu_->stream(), upload, gpu_->anchor()); !uploaded) return uploaded;
  if (gpu_->anchor()) trace_->await();
  const long long bytes = size.area() * info(type).bytes;
  if (std::exchange(upload_bytes_, bytes) != bytes) upload_ms_.clear();
  uploading_.push_back({picture_, bytes});
  frame = frame_;
  return waits_for_uploads_ ? gpu_->finish() : Result<void>{};
}

// The source on the device as this type, brought there when it is another one than the last.
Result<const DeviceImage*> Pipeline::uploaded(PixelType type) {
  Uploaded& to = uploads_[static_cast<std::size_t>(type)];
  if (auto brought = sent(type); !brought) return tl::unexpected(brought.error());
  if (to.frame == frame_) return &to.image;
  const Result<bool> converted = type == PixelType::rgba8 ? convert_yuv(to) : convert_levels(to, type);
  if (!converted) return tl::unexpected(converted.error());
  if (*converted)
    to.frame = frame_;
  else if (auto brought = sent_as(type, nullptr); !brought)  // while the kernel is being compiled
    return tl::unexpected(brought.error());
  return &to.image;
}

void Pipeline::set_way_in(Uploaded& to, LaunchPlan plan) {
  to.way_in = std::make_shared<const LaunchPlan>(std::move(plan));
  to.workspace = {};  // with the times under way
  to.ms.clear();
}

// False where the kernel is not there yet.
Result<bool> Pipeline::convert_levels(Uploaded& to, PixelType type) {
  const Result<const DeviceImage*> levels = uploaded(PixelType::rgba8);
  if (!levels) return tl::unexpected(levels.error());
  if (!to.way_in || to.way_in->image != picture_->size) set_way_in(to, frame_plan(type, picture_->size));
  return enqueue_way_in(2 * max_lanes, to, **levels);
}

Result<bool> Pipeline::convert_yuv(Uploaded& to) {
  if (!to.way_in || to.way_in->image != picture_->size || to.from_yuv != picture_->yuv)
    set_way_in(to, yuv_plan(*picture_->yuv, picture_->size));
  to.from_yuv = picture_->yuv;
  return enqueue_way_in(2 * max_lanes + 1, to, yuv_);
}

Result<bool> Pipeline::enqueue_way_in(int compiler_lane, Uploaded& to, const DeviceImage& from) {
  const Result<Enqueued> enqueued = gpu_->enqueue(compiler_lane, to.way_in, to.workspace, from, to.image);
  if (!enqueued) return tl::unexpected(enqueued.error());
  while (const auto times = gpu_->poll(to.workspace)) {
    if (!*times) break;
    to.ms.add(total_ms(**times));
    note(to.workspace.began(), to.way_in.get(), -1, **times);
  }
  const bool runs = enqueued->running != Running::nothing;
  if (runs && gpu_->anchor()) trace_->await();
  if (!runs && !enqueued->error.empty() && !std::exchange(way_in_fails_, true))
    options_.log("Frames are converted on the host: " + first_line(enqueued->error));
  return runs;
}

bool Pipeline::takes_yuv() const {
  return gpu_ && !way_in_fails_ && std::none_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) {
           return lane.active && lane.plan && (lane.on_cpu || lane.plan->transfers());
         });
}

void Pipeline::launch_on_gpu(int index, bool every_frame) {
  Lane& lane = lanes_[index];
  cpu_.cancel(index);
  while (true) {
    const auto times = gpu_->poll(lane.workspace);
    if (!times || !*times) break;
    const bool current = lane.in_flight.front() == lane.generation;
    lane.in_flight.pop_front();
    if (current) add_times(lane, **times);
    note(lane.workspace.began(), current ? lane.plan.get() : nullptr, index, **times);
  }
  if (const auto ms = lane.texture_timer.poll(); ms && *ms) {
    lane.to_texture_ms.add((*ms)->front().ms());
    if (const auto began = lane.texture_timer.began())
      trace_->came(gpu_stage("to texture", index), *began, (*ms)->front());
  }
  // Launches the GPU has not caught up with: more would only make the window wait.
  if (lane.in_flight.size() > 3) return;
  if (!every_frame && !lane.stale && lane.settled && lane.frame == frame_) return;

  const auto fail = [&](const Error& error) { lane.note = first_line(error.text); };
  const Result<const DeviceImage*> source = uploaded(lane.plan->format);
  if (!source) return fail(source.error());
  const Result<Enqueued> enqueued = gpu_->enqueue(index, lane.plan, lane.workspace, **source, lane.target,
                                                  lane.plan->transfers() ? source_in(lane.plan->format) : nullptr);
  if (!enqueued) return fail(enqueued.error());

  const std::string& radius = lane.radius;
  lane.log = enqueued->error;
  lane.settled =
      enqueued->running == Running::exact || (!enqueued->error.empty() && enqueued->running != Running::nothing);
  if (enqueued->running == Running::nothing) {
    lane.note = !enqueued->error.empty() ? first_line(enqueued->error)
                : lane.has_picture       ? fmt::format("compiling {} · picture is {}", radius, lane.shown_radius)
                                         : fmt::format("compiling {}", radius);
    return;
  }
  lane.note = !enqueued->error.empty()                ? first_line(enqueued->error) + ". Running the last good kernel."
              : enqueued->running == Running::general ? fmt::format("compiling {} · showing general kernel", radius)
                                                      : "";
  if (lane.running != enqueued->running) {
    lane.running = enqueued->running;
    restart_samples(lane);
  }
  if (lane.running == Running::exact && lane.occupancy.empty()) lane.occupancy = occupancy_of_lane(lane);
  lane.in_flight.push_back(lane.generation);
  if (gpu_->anchor()) trace_->await();
  lane.stale = false;
  lane.frame = frame_;
  lane.launched = true;
  lane.shown_radius = radius;
  lane.shown = fmt::format("{} · {}", name_of(lane), radius);
}

std::vector<StepOccupancy> Pipeline::occupancy_of_lane(const Lane& lane) {
  const MultiprocessorLimits& limits = gpu_->device().multiprocessor;
  std::vector<StepOccupancy> list;
  for (std::size_t s = 0; s < lane.plan->steps.size(); ++s) {
    const auto* step = std::get_if<KernelStep>(&lane.plan->steps[s]);
    const auto footprint = step ? gpu_->footprint(*step) : std::nullopt;
    if (!footprint || !*footprint) continue;
    const KernelResources& resources = (*footprint)->resources;
    StepOccupancy& to = list.emplace_back(StepOccupancy{.title = step->title,
                                                        .resources = resources,
                                                        .occupancy = occupancy_of(resources, limits),
                                                        .counted_blocks = (*footprint)->blocks});
    to.waves = static_cast<double>(step->grid.area()) / std::max(1, to.occupancy.blocks * limits.count);
    to.writing_share =
        static_cast<double>(step->threads.writing) / static_cast<double>(std::max(1ll, step->threads.total()));
    for (const Size2 block : block_presets) {
      StepOccupancy::Point& point = to.curve.emplace_back(StepOccupancy::Point{.block = block});
      ConvSettings job = conv_settings(*lane.inputs, taps_);
      job.block = block;
      const Variant& variant = *find_variant(lane.inputs->lane.variant);
      const auto plan = plan_job(variant, lane.plan->source, applicable(variant, job), this->limits());
      const auto* same = plan && s < plan->steps.size() ? std::get_if<KernelStep>(&plan->steps[s]) : nullptr;
      if (!same) continue;
      KernelResources others = resources;
      others.block = same->block;
      others.shared_bytes += same->shared_bytes - step->shared_bytes;
      point.share = occupancy_of(others, limits).share();
    }
  }
  return list;
}

void Pipeline::present_from_gpu(Lane& lane) {
  const bool timed = static_cast<bool>(lane.texture_timer.begin(gpu_->stream(), gpu_->anchor()));
  const DeviceImage* drawn = &lane.target;
  if (const PixelType type = lane.target.type(); info(type).display != type) {
    if (!lane.display_plan || lane.display_plan->format != type || lane.display_plan->image != lane.target.size())
      lane.display_plan = std::make_shared<const LaunchPlan>(display_plan(type, lane.target.size()));
    const int compiler_lane = max_lanes + static_cast<int>(&lane - lanes_.data());
    const Result<Enqueued> converted =
        gpu_->enqueue(compiler_lane, lane.display_plan, lane.display_workspace, lane.target, lane.drawn);
    if (!converted || converted->running == Running::nothing) {
      lane.note = converted ? "compiling the way to the screen" : first_line(converted.error().text);
      lane.stale = true;
      lane.settled = false;
      return;
    }
    while (const auto times = gpu_->poll(lane.display_workspace))
      if (!*times) break;
    drawn = &lane.drawn;
  }
  if (auto presented = lane.texture->present(*drawn, gpu_->stream()); !presented) {
    lane.note = first_line(presented.error().text);
    return;
  }
  if (timed && lane.texture_timer.mark(gpu_->stream())) {
    lane.texture_timer.finish();
    if (gpu_->anchor()) trace_->await();
  }
  if (const auto ms = lane.texture->map_host_ms()) lane.map_host_ms.add(*ms);
  lane.has_picture = true;
  lane.shown_frame = lane.frame;
}

// The radii one step beside this one, so that a dragged slider finds its kernels compiled.
void Pipeline::prefetch_neighbours(const Settings& settings) {
  if (!gpu_ || !lanes_[0].settled || prefetched_ == settings.filter ||
      info(settings.filter.kind).size == FilterSize::fixed)
    return;
  prefetched_ = settings.filter;
  std::vector<LaunchPlan> plans;
  for (const int radius : {settings.filter.radius + 1, settings.filter.radius - 1}) {
    FilterSpec filter = settings.filter;
    filter.radius = radius;
    const Result<Taps> taps = taps_of(filter);
    if (!taps) continue;
    for (const Lane& lane : lanes_) {
      if (!lane.active || !lane.inputs) continue;
      const Variant& variant = *find_variant(lane.inputs->lane.variant);
      const ConvSettings job = conv_settings(lane.inputs->lane, settings, std::make_shared<const Taps>(*taps));
      auto plan = plan_job(variant, picture_->size, applicable(variant, job), this->limits());
      if (plan) plans.push_back(std::move(*plan));
    }
  }
  gpu_->prefetch(plans);
}

// After a fault nothing in the device context can be used: all of it is given up and made anew.
void Pipeline::recover(const std::string& fault) {
  for (const std::string& racer : race_.in_flight()) crashed_[racer] = fault;
  const bool raced = race_.running();
  race_.stop();
  for (Lane& lane : lanes_) {
    if (!raced && lane.active && lane.inputs && lane.plan && !lane.on_cpu)
      crashed_[lane.plan->chosen.empty() ? lane.inputs->lane.variant : lane.plan->chosen] = fault;
    lane = {};
    lane.texture = std::make_unique<DisplayTexture>(textures_, options_.interop);
  }
  textures_.clear();
  for (Uploaded& upload : uploads_) upload = {};
  yuv_ = {};
  yuv_frame_ = -1;
  race_upload_ = {};
  upload_timer_ = {};
  uploading_.clear();
  gpu_.reset();
  reset_device();
  ++device_generation_;
  if (const Result<void> started = start_gpu(); !started) {
    // Where OpenGL shares the device the driver refuses a new context for as long as the process lives.
    no_gpu_ = started.error().text;
    lost_gpu_ = true;
    options_.log("The GPU cannot be used until the program is started again; kernels run on the CPU. " + no_gpu_);
  }
}
#else
std::function<std::shared_ptr<void>(void*, std::size_t)> Pipeline::page_locking() const {
  return {};
}
std::optional<double> Pipeline::link_rate() {
  return std::nullopt;
}
bool Pipeline::takes_yuv() const {
  return false;
}
void Pipeline::bring_frame() {}
void Pipeline::wake_gpu() {}
void Pipeline::join_clocks() {}
void Pipeline::part_clocks() {}
void Pipeline::launch_on_gpu(int, bool) {}
void Pipeline::present_from_gpu(Lane&) {}
void Pipeline::prefetch_neighbours(const Settings&) {}
void Pipeline::recover(const std::string&) {}
#endif
