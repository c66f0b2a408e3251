#include "app/cli/convolver.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/measure/engine.h"
#include "app/measure/rankings.h"
#include "app/model/settings_json.h"
#include "kernels/core/cost.h"

namespace conv {

using nlohmann::json;

static json json_of(const LaunchPlan& plan, const std::vector<StepSpan>& spans) {
  json steps = nlohmann::json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& base = base_of(plan.steps[i]);
    json step{{"title", base.title}, {"ms", spans[i].ms()}};
    if (plan.spread()) step.update({{"begin_ms", spans[i].begin_ms}, {"stream", base.stream}, {"device", base.device}});
    if (const auto* kernel = std::get_if<KernelStep>(&plan.steps[i]))
      step.update({{"kernel", kernel->kernel.exact.text()},
                   {"grid", json_of(kernel->grid)},
                   {"block", json_of(kernel->block)},
                   {"tile", json_of(kernel->tile)},
                   {"apron", json_of(kernel->apron)},
                   {"shared_bytes", kernel->shared_bytes},
                   {"threads",
                    {{"writing", kernel->threads.writing},
                     {"loading_only", kernel->threads.loading_only},
                     {"idle", kernel->threads.idle}}}});
    steps.push_back(std::move(step));
  }
  return steps;
}

Result<Convolver> Convolver::create(const Options& options) {
  Taps taps = CONV_TRY(taps_of(options.settings.filter));
  Processor processor = CONV_TRY(Processor::create(options.device));
  if (find_variant(options.settings.lanes[0].variant)->chooses)
    use_kept_rankings(processor, BenchEngine(processor).environment());
  return Convolver(options, std::move(taps), std::move(processor));
}

Convolver::Convolver(const Options& options, Taps taps, Processor processor)
    : settings_(options.settings),
      chooses_format_(options.chooses_format),
      checks_(options.check),
      taps_(std::make_shared<const Taps>(std::move(taps))),
      processor_(std::move(processor)) {}

LaneSettings Convolver::lane_for(const Picture& picture) const {
  LaneSettings lane = settings_.lanes[0];
  if (!chooses_format_ || !picture.is_float) return lane;
  const bool one_channel = picture.channels == 1 || info(lane.format).channels == 1;
  lane.format = in_layout(one_channel ? PixelType::f32 : PixelType::rgba32f, is_planar(lane.format));
  return lane;
}

Result<Convolver::Done> Convolver::run(const Picture& picture) {
  return in_words([&] { return filtered(picture); });
}

Result<Convolver::Done> Convolver::filtered(const Picture& picture) {
  const LaneSettings lane = lane_for(picture);
  ConvSettings job = conv_settings(lane, settings_, taps_);
  job.largest = picture.largest;
  LaunchPlan plan = CONV_TRY(plan_job(*find_variant(lane.variant), picture.size, job, processor_.limits()));
  const HostImage source = to_format(picture, lane.format);
  HostImage result;
  Result<std::vector<StepSpan>> times;
  {
    const std::lock_guard lock(*turn_);
    if (checks_)
      if (const auto faults = CONV_TRY(processor_.watch(plan, source)); !faults.empty())
        return failure(faults.front().text);
    times = processor_.run(plan, source, result);
  }
  if (!times) return tl::unexpected(times.error());
  if (checks_) CONV_TRY(compared(job, lane, source, result));
  // A requested float format is saved as it is: 16-bit levels have no values below 0 or above 1.
  const bool keeps = chooses_format_ || picture.storage == FloatStorage::f16;
  return Done{to_picture(result, picture.channels, keeps ? picture.storage : FloatStorage::f32), std::move(plan),
              std::move(*times)};
}

// For --check, with the double-precision reference. That does not round between iterations as 8 and 16 bits do.
Result<void> Convolver::compared(const ConvSettings& job, const LaneSettings& lane, const HostImage& source,
                                 const HostImage& result) {
  if (job.iterations > 1 && (is_8_bit(job.format) || is_half(job.format))) return {};
  ThreadPool pool;
  const Reference reference = reference_of(source, settings_.filter, settings_.border, settings_.border_value,
                                           {.iterations = settings_.iterations, .pool = &pool});
  const Variant& variant = *find_variant(lane.variant);
  const Verdict verdict = compare(result, reference, tolerance_of(variant, job) * std::max(1.0f, job.largest));
  if (verdict.pass) return {};
  return failure(fmt::format("{} is wrong by {:.3g} at ({}, {}), compared with the double-precision reference",
                             lane.variant, verdict.max_error, verdict.where.x, verdict.where.y));
}

json Convolver::report(const Picture& picture, const Done& done) const {
  const LaneSettings lane = lane_for(picture);
  const Cost cost = cost_of(done.plan);
  const bool gpu = processor_.on_gpu() && !done.plan.on_host();
  return {{"variant", lane.variant},
          {"chosen", done.plan.chosen},
          {"reason", done.plan.reason},
          {"device", gpu ? processor_.name() : "cpu"},
          {"image", json_of(done.plan.image)},
          {"format", info(lane.format).id},
          {"filter", json_of(settings_.filter)},
          {"taps", json_of(taps_->size)},
          {"rank", taps_->rank},
          {"kernel_ms", total_ms(done.times)},
          {"clock", gpu ? "one cold launch, GPU events" : "one cold run, steady clock"},
          {"includes_transfers", done.plan.transfers()},
          {"transfer_bytes", cost.transfer_bytes},
          {"compulsory_bytes", cost.compulsory_bytes},
          {"multiply_adds", cost.multiply_adds},
          {"loads_per_pixel", cost.loads_per_pixel},
          {"steps", json_of(done.plan, done.times)}};
}

}  // namespace conv
