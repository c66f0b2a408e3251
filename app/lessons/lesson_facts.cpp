#include "app/lessons/lesson_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/cost.h"
#include "kernels/core/number_text.h"

namespace conv {

const KernelStep* first_kernel(const LaunchPlan& plan) {
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step)) return kernel;
  return nullptr;
}

Size2 staged_by(const KernelStep& step) {
  return {step.tile.width + 2 * step.apron.width, step.tile.height + 2 * step.apron.height};
}

std::optional<int> resident_blocks(const LessonFacts& facts, std::size_t lane) {
  const KernelStep* step = facts.plans[lane] ? first_kernel(*facts.plans[lane]) : nullptr;
  if (!step || !facts.multiprocessor) return std::nullopt;
  const KernelResources resources{.shared_bytes = step->shared_bytes, .block = step->block};
  return occupancy_of(resources, *facts.multiprocessor).blocks;
}

namespace {

std::optional<LessonValue> number(double value) {
  return LessonValue{value, three_digits(value)};
}
std::optional<LessonValue> whole(long long value) {
  return LessonValue{static_cast<double>(value), std::to_string(value)};
}
std::optional<LessonValue> word(std::string text) {
  return LessonValue{0, std::move(text)};
}
std::string by(Size2 size) {
  return fmt::format("{}×{}", size.width, size.height);
}

Size2 window_of(const LessonFacts& facts) {
  const int side = 2 * facts.settings.filter.radius + 1;
  return {side, side};
}

struct SharedValue {
  std::string_view name;
  std::optional<LessonValue> (*of)(const LessonFacts& facts);
  ValueSource source = ValueSource::plan;
};
constexpr SharedValue shared_values[] = {
    {"radius", [](const LessonFacts& f) { return whole(f.settings.filter.radius); }},
    {"sigma",
     [](const LessonFacts& f) {
       return std::optional(LessonValue{f.settings.filter.sigma, fmt::format("{:.4g}", f.settings.filter.sigma)});
     }},
    {"side", [](const LessonFacts& f) { return whole(2 * f.settings.filter.radius + 1); }},
    {"side_taps", [](const LessonFacts& f) { return whole(2 * (2 * f.settings.filter.radius + 1)); }},
    {"taps", [](const LessonFacts& f) { return whole(window_of(f).area()); }},
    {"image", [](const LessonFacts& f) { return word(by(f.image)); }, ValueSource::word},
    {"pixels", [](const LessonFacts& f) { return whole(f.image.area()); }},
    {"padding", [](const LessonFacts& f) { return word(std::string(info(f.settings.border).title)); },
     ValueSource::word},
    {"ratio",
     [](const LessonFacts& f) -> std::optional<LessonValue> {
       if (f.ms[0].value_or(0) <= 0 || f.ms[1].value_or(0) <= 0) return std::nullopt;
       return number(std::max(*f.ms[0], *f.ms[1]) / std::min(*f.ms[0], *f.ms[1]));
     },
     ValueSource::times},
    // How much faster a program becomes if amdahl_share of it becomes `ratio` times as fast.
    {"whole",
     [](const LessonFacts& f) -> std::optional<LessonValue> {
       const auto ratio = lesson_value("ratio", f);
       return ratio ? number(1 / (1 - amdahl_share + amdahl_share / ratio->number)) : std::nullopt;
     },
     ValueSource::times},
    {"gpu", [](const LessonFacts& f) { return f.gpu.empty() ? std::nullopt : word(f.gpu); }, ValueSource::word},
    // The lane that is faster, or the number behind both: a tie.
    {"faster",
     [](const LessonFacts& f) -> std::optional<LessonValue> {
       if (!f.faster) return std::nullopt;
       const bool tie = *f.faster < 0;
       return LessonValue{tie ? 2.0 : *f.faster, tie ? "=" : f.settings.lanes[*f.faster].variant};
     },
     ValueSource::times},
};

struct LaneValue {
  std::string_view name;  // behind "a." or "b."
  std::optional<LessonValue> (*of)(const LessonFacts& facts, std::size_t lane);
  ValueSource source = ValueSource::plan;
};

// The steps of a lane, each counted in one block; null: not counted.
const std::vector<StepCounts>* counted_steps(const LessonFacts& facts, std::size_t lane) {
  return facts.counts && facts.counts->plans == facts.plans && facts.plans[lane] ? &facts.counts->lanes[lane] : nullptr;
}

// A ratio over all steps of a lane; nothing if it is not counted or has no such access.
template <class Above, class Below>
std::optional<LessonValue> share(const LessonFacts& facts, std::size_t lane, Above above, Below below) {
  const std::vector<StepCounts>* steps = counted_steps(facts, lane);
  if (!steps) return std::nullopt;
  double sum = 0, of = 0;
  for (const StepCounts& step : *steps) sum += above(step), of += below(step);
  return of > 0 ? number(sum / of) : std::nullopt;
}

template <class Get>
std::optional<LessonValue> of_kernel(const LessonFacts& facts, std::size_t lane, Get get) {
  const KernelStep* step = facts.plans[lane] ? first_kernel(*facts.plans[lane]) : nullptr;
  return step ? get(*step) : std::nullopt;
}

constexpr LaneValue lane_values[] = {
    {"variant", [](const LessonFacts& f, std::size_t i) { return word(f.settings.lanes[i].variant); },
     ValueSource::word},
    {"ms",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       return f.ms[i] ? number(*f.ms[i]) : std::nullopt;
     },
     ValueSource::times},
    // Of the first launch.
    {"first",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       return f.first_ms[i] ? number(*f.first_ms[i]) : std::nullopt;
     },
     ValueSource::times},
    // Global reads of all passes for one pixel of the result.
    {"reads",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       return f.plans[i] ? number(cost_of(*f.plans[i]).loads_per_pixel) : std::nullopt;
     }},
    {"sectors",
     [](const LessonFacts& f, std::size_t i) {
       return share(
           f, i, [](const StepCounts& s) { return s.totals.global_read.sectors; },
           [](const StepCounts& s) { return s.totals.global_read.requests; });
     },
     ValueSource::counts},
    {"wavefronts",
     [](const LessonFacts& f, std::size_t i) {
       return share(
           f, i, [](const StepCounts& s) { return s.shared_wavefronts(); },
           [](const StepCounts& s) { return s.shared_requests(); });
     },
     ValueSource::counts},
    // Multiply-adds for one pixel.
    {"adds",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       if (!f.plans[i]) return std::nullopt;
       return number(static_cast<double>(cost_of(*f.plans[i]).multiply_adds) / static_cast<double>(f.image.area()));
     }},
    {"block", [](const LessonFacts& f,
                 std::size_t i) { return word(by(lane_settings(f.settings, static_cast<int>(i)).block)); },
     ValueSource::word},
    {"format",
     [](const LessonFacts& f, std::size_t i) {
       return word(std::string(info(lane_settings(f.settings, static_cast<int>(i)).format).title));
     },
     ValueSource::word},
    // The picture in this lane's format, in millions of bytes.
    {"megabytes",
     [](const LessonFacts& f, std::size_t i) {
       const int bytes = info(lane_settings(f.settings, static_cast<int>(i)).format).bytes;
       return number(static_cast<double>(f.image.area()) * bytes / 1e6);
     }},
    {"threads",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& step) { return whole(step.block.area()); });
     }},
    {"warps",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& step) { return whole((step.block.area() + 31) / 32); });
     }},
    {"grid", [](const LessonFacts& f,
                std::size_t i) { return of_kernel(f, i, [](const KernelStep& step) { return word(by(step.grid)); }); },
     ValueSource::word},
    {"width",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       return f.plans[i] ? whole(f.plans[i]->image.width) : std::nullopt;
     }},
    {"blocks",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& step) { return whole(step.grid.area()); });
     }},
    // Of the threads of the whole launch, those that write no pixel, in percent.
    {"idle",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) -> std::optional<LessonValue> {
         if (s.threads.total() == 0) return std::nullopt;
         return number(100 - 100.0 * static_cast<double>(s.threads.writing) / static_cast<double>(s.threads.total()));
       });
     }},
    // The same as a number of threads.
    {"outside",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) { return whole(s.threads.total() - s.threads.writing); });
     }},
    // How often each pixel of the tile with its apron is read, on average.
    {"reuse",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [&f](const KernelStep& s) {
         return number(static_cast<double>(s.tile.area() * window_of(f).area()) /
                       static_cast<double>(staged_by(s).area()));
       });
     }},
    // The tile with its apron: its columns, its rows, its pixels. And without the apron.
    {"row",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) { return whole(staged_by(s).width); });
     }},
    {"rows",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) { return whole(staged_by(s).height); });
     }},
    {"staged",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) { return whole(staged_by(s).area()); });
     }},
    // How many times as many pixels the tile with its apron has.
    {"overhead",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [](const KernelStep& s) {
         return number(static_cast<double>(staged_by(s).area()) / static_cast<double>(s.tile.area()));
       });
     }},
    // Blocks that a multiprocessor holds at once, and how often all of them hold that many.
    {"resident",
     [](const LessonFacts& f, std::size_t i) -> std::optional<LessonValue> {
       const auto blocks = resident_blocks(f, i);
       return blocks ? whole(*blocks) : std::nullopt;
     }},
    {"waves",
     [](const LessonFacts& f, std::size_t i) {
       return of_kernel(f, i, [&](const KernelStep& s) -> std::optional<LessonValue> {
         const auto blocks = resident_blocks(f, i);
         if (!blocks || *blocks == 0) return std::nullopt;
         return number(static_cast<double>(s.grid.area()) / (*blocks * f.multiprocessor->count));
       });
     }},
    {"tile", [](const LessonFacts& f,
                std::size_t i) { return of_kernel(f, i, [](const KernelStep& s) { return whole(s.tile.area()); }); }},
};

// The row of a lane's value, and the lane. Null: no such value.
std::pair<const LaneValue*, std::size_t> lane_value(std::string_view name) {
  if (!name.starts_with("a.") && !name.starts_with("b.")) return {nullptr, 0};
  const auto row = std::ranges::find(lane_values, name.substr(2), &LaneValue::name);
  return {row == std::end(lane_values) ? nullptr : row, name.front() == 'a' ? 0 : 1};
}
const SharedValue* shared_value(std::string_view name) {
  const auto row = std::ranges::find(shared_values, name, &SharedValue::name);
  return row == std::end(shared_values) ? nullptr : row;
}

}  // namespace

LessonCounts count_for_lesson(const LessonPlans& plans) {
  LessonCounts counts{.plans = plans};
  for (std::size_t lane = 0; lane < plans.size(); ++lane) {
    if (!plans[lane]) continue;
    for (const Step& step : plans[lane]->steps)
      if (const auto* kernel = std::get_if<KernelStep>(&step))
        counts.lanes[lane].push_back(counts_of(*plans[lane], *kernel, nullptr));
  }
  return counts;
}

std::optional<ValueSource> source_of_value(std::string_view name) {
  if (const SharedValue* row = shared_value(name)) return row->source;
  const LaneValue* row = lane_value(name).first;
  return row ? std::optional(row->source) : std::nullopt;
}

std::vector<std::string> value_names() {
  std::vector<std::string> names;
  for (const SharedValue& row : shared_values) names.emplace_back(row.name);
  for (const char lane : {'a', 'b'})
    for (const LaneValue& row : lane_values) names.push_back(fmt::format("{}.{}", lane, row.name));
  return names;
}

std::optional<LessonValue> lesson_value(std::string_view name, const LessonFacts& facts) {
  if (const SharedValue* row = shared_value(name)) return row->of(facts);
  const auto [row, lane] = lane_value(name);
  return row ? row->of(facts, lane) : std::nullopt;
}

std::vector<std::string_view> values_named_in(std::string_view text) {
  std::vector<std::string_view> names;
  std::size_t from = text.find('{');
  while (from != std::string_view::npos) {
    const std::size_t next = text.find_first_of("{}", from + 1);
    if (next == std::string_view::npos) break;
    const std::string_view name = text.substr(from + 1, next - from - 1);
    if (text[next] == '}' && source_of_value(name)) names.push_back(name);
    from = text[next] == '{' ? next : text.find('{', next);
  }
  return names;
}

std::string with_values(std::string_view text, const LessonFacts& facts) {
  std::string filled;
  for (const std::string_view name : values_named_in(text)) {
    const std::size_t begin = static_cast<std::size_t>(name.data() - text.data()) - 1;
    filled += text.substr(0, begin);
    const auto value = lesson_value(name, facts);
    filled += value ? value->text : "…";
    text.remove_prefix(begin + name.size() + 2);
  }
  return filled + std::string(text);
}

std::optional<int> right_choice(const LessonQuestion& question, const LessonFacts& facts) {
  if (question.right >= 0) return question.right;
  const auto value = lesson_value(question.value, facts);
  return value ? std::optional(static_cast<int>(value->number)) : std::nullopt;
}

std::optional<bool> is_right_number(const LessonQuestion& question, double answer, const LessonFacts& facts) {
  const auto value = lesson_value(question.value, facts);
  if (!value) return std::nullopt;
  return std::fabs(answer - value->number) <= question.within * std::fabs(value->number);
}

}  // namespace conv
