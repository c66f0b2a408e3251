#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/processor.h"
#include "kernels/core/cost.h"

namespace {

int complain(const std::string& text) {
  fmt::print(stderr, "convoscope: {}\n", text.substr(0, text.find('\n')));
  return 2;
}

nlohmann::json json_of(Size2 size) {
  return {size.width, size.height};
}

nlohmann::json json_of(const LaunchPlan& plan, const std::vector<StepSpan>& spans) {
  nlohmann::json steps = nlohmann::json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& base = base_of(plan.steps[i]);
    nlohmann::json step{{"title", base.title}, {"ms", spans[i].ms()}};
    if (plan.spread()) step.update({{"begin_ms", spans[i].begin_ms}, {"stream", base.stream}, {"device", base.device}});
    if (const auto* kernel = std::get_if<KernelStep>(&plan.steps[i]))
      step.update({{"kernel", kernel->kernel.name},
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

}  // namespace

int run_convolve(const Options& options) {
  const Settings& settings = options.settings;
  const LaneSettings& lane = settings.lanes[0];
  const Result<Picture> picture = load_picture(options.in);
  if (!picture) return complain(picture.error().text);
  const Result<Taps> taps = taps_of(settings.filter);
  if (!taps) return complain(taps.error().text);
  Result<Processor> processor = Processor::create(options.device);
  if (!processor) return complain(processor.error().text);
  const Result<LaunchPlan> plan =
      plan_of(lane, settings, std::make_shared<Taps>(*taps), picture->size, processor->limits());
  if (!plan) return complain(plan.error().text);

  HostImage result;
  const Result<std::vector<StepSpan>> times = processor->run(*plan, to_format(*picture, lane.format), result);
  if (!times) return complain(times.error().text);
  if (const Result<void> saved = save_picture(to_picture(result, picture->channels), options.out); !saved)
    return complain(saved.error().text);

  const Cost cost = cost_of(*plan);
  const bool gpu = processor->on_gpu() && !plan->on_host();
  if (options.json)
    fmt::print("{}\n", nlohmann::json{{"variant", lane.variant},
                                      {"device", gpu ? processor->name() : "cpu"},
                                      {"image", json_of(plan->image)},
                                      {"format", info(lane.format).id},
                                      {"taps", json_of(taps->size)},
                                      {"rank", taps->rank},
                                      {"kernel_ms", total_ms(*times)},
                                      {"clock", gpu ? "one cold launch, GPU events" : "one cold run, steady clock"},
                                      {"includes_transfers", plan->transfers()},
                                      {"transfer_bytes", cost.transfer_bytes},
                                      {"compulsory_bytes", cost.compulsory_bytes},
                                      {"multiply_adds", cost.multiply_adds},
                                      {"loads_per_pixel", cost.loads_per_pixel},
                                      {"steps", json_of(*plan, *times)}}
                           .dump(2));
  return 0;
}
