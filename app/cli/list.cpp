#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/trace_json.h"
#include "app/headless/processor.h"
#include "app/model/settings.h"
#include "kernels/core/blocks.h"

namespace conv {

using nlohmann::json;

static json devices(const Result<Processor>& processor) {
  json list = json::array();
  if (const DeviceInfo* device = processor->device())
    list.push_back({{"id", "gpu"},
                    {"title", device->name},
                    {"limits",
                     {{"compute_capability", device->limits.compute_capability},
                      {"multiprocessors", device->limits.multiprocessors},
                      {"memory_bytes", device->memory_bytes},
                      {"threads_per_block", device->limits.max_threads_per_block},
                      {"shared_bytes_per_block", device->limits.max_shared_bytes},
                      {"constant_bytes", device->limits.max_constant_bytes}}}});
  const CpuExecutor cpu;
  const DeviceLimits limits = cpu_limits();
  list.push_back({{"id", "cpu"},
                  {"title", fmt::format("CPU executor, {} threads", cpu.threads())},
                  {"limits",
                   {{"threads_per_block", limits.max_threads_per_block},
                    {"shared_bytes_per_block", limits.max_shared_bytes},
                    {"constant_bytes", limits.max_constant_bytes}}}});
  return list;
}

static json limits_of(const FilterInfo& f) {
  json limits = json::object();
  if (has_sigma(f.kind)) limits = {{"sigma", {min_sigma, max_sigma}}};
  if (f.kind == FilterKind::custom) limits = {{"max_side", 2 * max_radius + 1}};
  const auto [least, most] = radius_range(f.kind);
  if (f.size != FilterSize::fixed) limits["radius"] = {least, most};
  return limits;
}

static json limits_of(const Switch& s) {
  json values = json::array({s.low, s.high});
  if (!s.choices.empty()) values = s.choices;
  return {{"values", values}, {"standard", value_text(s, s.standard)}};
}

// What the block in the middle of 1920x1080 does to memory, all kernels together: f32, radius 5 and 16x16 threads.
// Nothing if the variant has no kernel.
static json memory_of(const Variant& variant) {
  const FilterKind kind = variant.needs_equal_taps ? FilterKind::box
                          : variant.fuses_edges    ? FilterKind::edges
                                                   : FilterKind::gaussian;
  const auto taps = std::make_shared<const Taps>(*taps_of({.kind = kind}));
  const Result<LaunchPlan> plan =
      plan_job(variant, {1920, 1080}, {.taps = taps, .format = PixelType::f32}, cpu_limits());
  json memory;
  if (!plan) return memory;
  MemoryTotals sum;
  for (const Step& step : plan->steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step)) {
      sum.add(sum_of(CpuExecutor::record_warps(*plan, *kernel, middle_block(*kernel)), Generation::today));
      memory = json_of(sum);
    }
  return memory;
}

// A list with what `row` returns for each item.
template <class Items, class Row>
static json rows(const Items& items, Row row) {
  json list = json::array();
  for (const auto& item : items) list.push_back(row(item));
  return list;
}

static json everything(const Result<Processor>& processor) {
  json all;
  all["variants"] = rows(variants(), [](const Variant* v) -> json {
    return {{"id", v->id},
            {"title", v->title},
            {"idea", v->idea},
            {"limits", {{"max_radius", v->max_radius}}},
            {"switches", v->switches},
            {"memory_of_a_block", memory_of(*v)}};
  });
  all["filters"] = rows(filters, [](const FilterInfo& f) -> json {
    return {{"id", f.id}, {"title", f.title}, {"limits", limits_of(f)}, {"source", f.source}, {"notice", f.notice}};
  });
  all["paddings"] = rows(borders, [](const BorderInfo& b) -> json {
    const json limits = b.border == Border::constant ? json{{"value", {0, 1}}} : json::object();
    return {{"id", b.id}, {"title", b.title}, {"limits", limits}};
  });
  all["formats"] = rows(pixel_types, [](const PixelTypeInfo& t) -> json {
    return {{"id", t.id}, {"title", t.title}, {"limits", {{"channels", t.channels}, {"bytes_per_pixel", t.bytes}}}};
  });
  all["switches"] = rows(switches, [](const Switch& s) -> json {
    return {{"id", s.id},
            {"title", s.title},
            {"limits", limits_of(s)},
            {"every_gpu_variant", s.of_compiler},
            {"what", s.tip}};
  });
  all["devices"] = devices(processor);
  return all;
}

int run_list(const Options& options) {
  const Result<Processor> processor = Processor::create(DeviceChoice::automatic);
  const json all = everything(processor);
  if (options.json) {
    fmt::print("{}\n", all.dump(2));
    return 0;
  }
  for (const auto& [section, rows_of_section] : all.items()) {
    fmt::print("{}\n", section);
    for (const json& row : rows_of_section) {
      const std::string more = row.value("source", row.value("idea", row.value("what", "")));
      fmt::print("  {:22} {}{}{}\n", row["id"].get<std::string>(), row["title"].get<std::string>(),
                 more.empty() ? "" : ": ", more);
    }
  }
  if (!processor->on_gpu()) fmt::print("no GPU: {}\n", processor->no_gpu_reason());
  return 0;
}

}  // namespace conv
