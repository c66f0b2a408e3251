#include "app/pipeline/lanes.h"

#include <fmt/format.h>

#include <utility>

namespace conv {

namespace {

// CPU lanes measure this long after a change, and until two lanes can be compared. Then they pause, because the machine
// is also drawing the window.
constexpr float cpu_measuring_ms = 3000;

// A job of less than this may end while a slider is dragged: the picture follows.
constexpr float quick_ms = 200;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
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

// The plan does not run any more; the picture before it remains.
void refuse(Lane& lane, std::string why) {
  lane.planned->refusal = std::move(why);
  lane.planned->plan.reset();
  lane.settled = false;
}

}  // namespace

Lanes::Lanes(Processors& on, bool interop, long long kept_bytes) : on_(on), interop_(interop), kept_bytes_(kept_bytes) {
  reset();
}

void Lanes::reset() {
  for (Lane& lane : lanes_) {
    lane = {};
    lane.texture = std::make_unique<DisplayTexture>(textures_, interop_);
  }
  textures_.clear();
}

void Lanes::plan_anew() {
  for (Lane& lane : lanes_) lane.planned.reset();
}

void Lanes::cancel() {
  for (int i = 0; i < max_lanes; ++i) on_.cpu.cancel(i);
}

std::vector<std::string> Lanes::variants_on_gpu() const {
  std::vector<std::string> names;
  for (const Lane& lane : lanes_)
    if (lane.active && lane.plan() && !lane.on_cpu)
      names.push_back(lane.plan()->chosen.empty() ? lane.planned->inputs.lane.variant
                                                  : std::string(lane.plan()->chosen));
  return names;
}

void Lanes::plan(std::vector<PlanInputs> shown, const PlanContext& context) {
  for (int i = 0; i < max_lanes; ++i) {
    Lane& lane = lanes_[i];
    lane.active = i < static_cast<int>(shown.size());
    if (!lane.active) {
      hide(i);
      continue;
    }
    plan(lane, std::move(shown[i]), context);
    if (!lane.plan()) continue;
    if (!lane.on_cpu) on_.cpu.cancel(i);
    collect(i);
  }
  first_ = (first_ + 1) % static_cast<int>(shown.size());  // lanes take turns being first
}

void Lanes::run(const PlanContext& context, bool every_frame, bool waits_for_uploads,
                const std::shared_ptr<FrameTrace>& trace) {
  FrameJob job{.waits_for_uploads = waits_for_uploads,
               .without_interop = lanes_[0].has_picture && !lanes_[0].texture->interop(),
               .trace = trace};
  add_gpu_lanes(job, every_frame);
  if (on_.gpu) on_.gpu->begin_frame(job);
  on_.cpu.begin_frame(job);
  for (int n = 0; n < max_lanes; ++n)
    if (const int i = (first_ + n) % max_lanes; will_run(i, every_frame)) run(i, context);
}

// The plans of lanes on the GPU, and the textures that this frame writes.
void Lanes::add_gpu_lanes(FrameJob& job, bool every_frame) {
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.active || !lane.plan() || lane.on_cpu || !prepare(lane).value_or(false)) continue;
    job.plans.push_back(lane.planned->plan);
    if (!will_run(i, every_frame)) continue;
    if (auto texture = lane.texture->registration_for(info(lane.plan()->format).display, lane.plan()->image))
      job.textures.push_back(std::move(texture));
  }
}

// Both lanes' kernels run before either picture is drawn: OpenGL's work for one must not overlap the other's kernel.
void Lanes::present() {
  for (int i = 0; i < max_lanes; ++i)
    if (lanes_[i].fresh) present(i);
  if (!on_.gpu) return;
  on_.gpu->end_frame();
  if (const auto ms = on_.gpu->map_host_ms()) map_host_ms_.add(*ms);
}

// A small picture is kept, so that it is there at once when its lane is shown again.
void Lanes::hide(int index) {
  Lane& lane = lanes_[index];
  on_.cpu.cancel(index);
  if (!lane.settled) lane.planned.reset();  // a cancelled job starts again when the lane is shown again
  const DisplayTexture& texture = *lane.texture;
  if (lane.has_picture && texture.size().area() * info(texture.type()).bytes > kept_bytes_) give_back(index);
}

void Lanes::give_back(int index) {
  Lane& lane = lanes_[index];
  lane.texture->release();
  lane.has_picture = false;
  lane.shown = {};
  lane.planned.reset();
  if (on_.gpu) on_.gpu->release(index);
}

// When a processor or the graphics driver may be out of memory.
void Lanes::give_back_what_is_hidden() {
  for (int i = 0; i < max_lanes; ++i)
    if (!lanes_[i].active) give_back(i);
  textures_.clear();
}

bool Lanes::wants_samples(const Lane& lane) const {
  if (!lane.on_cpu) return true;
  const std::size_t samples = lane.times.kernel_ms.values().size();
  return (lanes_[1].active && samples < compared_samples) ||
         (samples < Samples::capacity && lane.times.spent_ms < cpu_measuring_ms);
}

bool Lanes::idle(bool every_frame) const {
  for (int i = 0; i < max_lanes; ++i) {
    const Lane& lane = lanes_[i];
    if (!lane.active || !lane.plan()) continue;  // not shown, or refused
    if (!lane.settled || (every_frame && wants_samples(lane)) || (lane.on_cpu && !on_.cpu.ready(i, false)))
      return false;
  }
  return true;
}

void Lanes::plan(Lane& lane, PlanInputs inputs, const PlanContext& context) {
  if (lane.planned && lane.planned->inputs == inputs) return;
  lane.planned = plan_lane(std::move(inputs), context, lane.planned ? &*lane.planned : nullptr);
  ++lane.number;
  lane.settled = false;
  lane.changed = true;
  lane.note.clear();
  lane.log.clear();
  if (!lane.plan()) return;
  lane.on_cpu = !on_.gpu || lane.plan()->on_host();
  lane.running = Running::nothing;
  lane.occupancy.clear();
  lane.times.begin_anew(lane.plan());
  map_host_ms_ = {};
}

void Lanes::collect(int index) {
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

LaneJob Lanes::job_of(const Lane& lane, const PlanContext& context) const {
  LaneJob job{
      .plan = lane.planned->plan, .number = lane.number, .frame = on_.frames.frame(), .label = lane.planned->label()};
  const std::string_view fast = fast_variant(*context.taps);
  job.is_quick = lane.planned->inputs.lane.variant == fast || lane.times.expected_ms().value_or(1e9f) < quick_ms;
  job.repeats = lane.settled && !lane.changed && lane.frame == on_.frames.frame();
  if (!lane.on_cpu || job.is_quick || !lane.changed) return job;
  PlanInputs inputs = lane.planned->inputs;
  inputs.lane.variant = fast;
  if (auto preview = plan_with(inputs, inputs.filter, context))
    job.preview = std::make_shared<const LaunchPlan>(std::move(*preview));
  job.preview_label = {fmt::format("preview by {}", fast), job.label.radius};
  return job;
}

// Whether its source can be had without a long conversion. A GPU converts pictures of four channels itself.
Result<bool> Lanes::prepare(const Lane& lane) {
  const Picture& picture = *on_.frames.picture();
  const bool by_gpu = !lane.on_cpu && picture.channels == 4 && !picture.is_float && !lane.plan()->transfers();
  return by_gpu ? true : on_.frames.prepare(lane.plan()->format);
}

// On the CPU the newest frame is taken when the one before is finished; another plan replaces it immediately.
bool Lanes::will_run(int index, bool every_frame) {
  const Lane& lane = lanes_[index];
  if (!lane.active || !lane.plan()) return false;
  const bool wanted = lane.changed || lane.frame != on_.frames.frame() || (every_frame && wants_samples(lane)) ||
                      (!lane.on_cpu && !lane.settled);
  return wanted && backend_of(lane).ready(index, lane.changed);
}

void Lanes::run(int index, const PlanContext& context) {
  Lane& lane = lanes_[index];
  const Result<bool> prepared = prepare(lane);
  if (!prepared) return refuse(lane, prepared.error().text);
  if (!*prepared) {
    lane.note = fmt::format("converting the picture to {}", info(lane.plan()->format).title);
    return;
  }
  const Result<Submitted> submitted = backend_of(lane).submit(index, job_of(lane, context));
  if (submitted) return take(lane, *submitted, context);
  lane.note = first_line(submitted.error().text);
  if (std::exchange(lane.gave_back_for, lane.number) != lane.number) give_back_what_is_hidden();
}

void Lanes::take(Lane& lane, const Submitted& submitted, const PlanContext& context) {
  lane.log = submitted.error;
  const bool runs = submitted.running != Running::nothing;
  if (runs && lane.running != submitted.running) {
    lane.running = submitted.running;
    lane.times.begin_anew(lane.plan());
    map_host_ms_ = {};
  }
  if (submitted.later) {
    lane.changed = false;
    lane.frame = on_.frames.frame();
    if (!lane.settled) lane.note = note_of(submitted, lane);
    return;
  }
  lane.settled = submitted.running == Running::exact || (!submitted.error.empty() && runs);
  lane.note = note_of(submitted, lane);
  if (!runs) return;
  lane.changed = false;
  lane.frame = on_.frames.frame();
  lane.fresh = lane.frame;
  lane.fresh_label = lane.planned->label();
  if (lane.running == Running::exact && lane.occupancy.empty())
    lane.occupancy = occupancy_of(*lane.planned, context, on_.gpu->footprints(*lane.plan()), on_.gpu->multiprocessor());
}

void Lanes::present(int index) {
  Lane& lane = lanes_[index];
  const long long frame = *std::exchange(lane.fresh, {});
  Result<bool> presented = backend_of(lane).write_texture(index, *lane.texture);
  // After a kernel's fault every call of CUDA fails. The next frame recovers, and marks the variant.
  if (!presented && !lane.on_cpu && !on_.gpu->fault().empty()) {
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

bool Lanes::has_free_lane() const {
  for (int i = 0; i < max_lanes; ++i)
    if (lanes_[i].active && !(lanes_[i].on_cpu && !on_.cpu.ready(i, false))) return true;
  return false;
}

void Lanes::retry_interop() {
  for (Lane& lane : lanes_) lane.texture->retry_interop();
}

std::optional<HostImage> Lanes::result(int index) {
  return lanes_[index].has_picture ? std::optional(lanes_[index].texture->download()) : std::nullopt;
}

}  // namespace conv
