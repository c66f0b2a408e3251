#include "app/check/check_cases.h"

#include <fmt/format.h>

#include <random>

namespace conv {

namespace {

std::vector<FilterSpec> checked_filters() {
  std::vector<FilterSpec> list;
  for (const int radius : {0, 1, 2, 5, 17}) list.push_back({.sigma = sigma_for(radius), .radius = radius});
  list.push_back({.kind = FilterKind::custom,
                  .matrix = {{3, 5}, {1, -2, 3, 4, 5, -6, 7, 8, 9, 1, 0, 2, -3, 1, 4}},
                  .divisor = 34,
                  .offset = 0.125});
  list.push_back({.kind = FilterKind::custom,
                  .matrix = {{7, 1}, {1, 2, 3, -4, 5, 6, 7}},
                  .divisor = 20,
                  .mode = FilterMode::correlation});
  for (const FilterInfo& row : filters)
    if (row.kind != FilterKind::gaussian && row.kind != FilterKind::custom)
      list.push_back(
          {.kind = row.kind, .sigma = 1.1, .radius = 2, .offset = row.kind == FilterKind::emboss ? 0.25 : 0});
  return list;
}

}  // namespace

std::vector<CheckCase> check_cases(int every) {
  constexpr Size2 blocks[] = {{16, 16}, {8, 8}, {32, 8}, {13, 7}, {1, 64}, {1024, 1}};
  std::vector<CheckCase> cases;
  std::mt19937 random(42);
  int block = 0;
  for (const Size2 image : {Size2{1, 1}, {1, 7}, {7, 1}, {17, 31}, {37, 41}, {640, 3}})
    for (const PixelTypeInfo& format : pixel_types)
      for (const BorderInfo& border : borders)
        for (const FilterSpec& filter : checked_filters()) {
          if (random() % static_cast<unsigned>(every) != 0) continue;
          cases.push_back({image, format.type, border.border, filter, blocks[block++ % std::size(blocks)]});
        }
  return cases;
}

std::string to_text(const CheckCase& c) {
  const Taps taps = *taps_of(c.filter);
  return fmt::format("{}x{} {} {} {} {}x{} taps, block {}x{}", c.image.width, c.image.height, info(c.format).id,
                     info(c.border).id, filters[static_cast<std::size_t>(c.filter.kind)].id, taps.size.width,
                     taps.size.height, c.block.width, c.block.height);
}

HostImage noise_image(Size2 size, PixelType format) {
  HostImage image(format, size);
  // One multiplication per number: 8K images need a hundred million numbers. Its low bits are poor and are not used.
  std::linear_congruential_engine<std::uint64_t, 6364136223846793005, 1442695040888963407, 0> random(
      static_cast<unsigned>(size.width * 31 + size.height));
  random.discard(2);  // small seeds begin with similar numbers
  const auto value = [&](float one) { return one * static_cast<float>(random() >> 40) / static_cast<float>(1 << 24); };
  for_pixel(format, [&]<class Storage> {
    using Traits = PixelTraits<Storage>;
    const float one = info(format).one;
    const Pixels<Storage> out(image.buffer(), 0);
    for (int i = 0; i < size.area(); ++i) {
      if constexpr (Traits::channels == 1)
        out.write(i, narrowed<typename Traits::Channel>(value(one)));
      else
        out.write(i, Traits::with_alpha({value(one), value(one), value(one)},
                                        narrowed<typename Traits::Channel>(value(one))));
    }
  });
  return image;
}

const HostImage& Checker::source(Size2 size, PixelType format) {
  const std::string key = fmt::format("{}x{} {}", size.width, size.height, info(format).id);
  const auto found = sources_.find(key);
  return found != sources_.end() ? found->second : sources_.emplace(key, noise_image(size, format)).first->second;
}

// Constant padding with a value that 8 bits cannot represent.
constexpr float padding_value = 0.3f;

const Reference& Checker::reference(const CheckCase& c) {
  CheckCase same = c;
  same.block = {};
  const std::string key = to_text(same) + fmt::format(" {}", c.filter.sigma);
  const auto found = references_.find(key);
  if (found != references_.end()) return found->second;
  return references_.emplace(key, reference_of(source(c.image, c.format), c.filter, c.border, padding_value))
      .first->second;
}

Result<LaunchPlan> plan_case(const Variant& variant, const CheckCase& c, const DeviceLimits& limits) {
  const Settings settings{.filter = c.filter, .border = c.border, .border_value = padding_value};
  const LaneSettings lane{.variant = std::string(variant.id), .format = c.format, .block = c.block};
  return plan_job(variant, c.image, conv_settings(lane, settings, std::make_shared<Taps>(*taps_of(c.filter))), limits);
}

Result<LaunchPlan> Checker::plan_of_case(const Variant& variant, const CheckCase& c) const {
  Result<LaunchPlan> plan = plan_case(variant, c, processor_.limits());
  if (plan && change_) change_(*plan);
  return plan;
}

CheckOutcome Checker::check(const Variant& variant, const CheckCase& c) {
  const Result<LaunchPlan> plan = plan_of_case(variant, c);
  if (!plan) return {.refused = true, .text = plan.error().text};
  HostImage target;
  const auto times = processor_.run(*plan, source(c.image, c.format), target);
  if (!times) return {.text = times.error().text};
  CheckOutcome outcome{.verdict = compare(target, reference(c), variant.tolerance)};
  if (outcome.verdict.pass) return outcome;
  if (c.format == PixelType::f32 && target.size == reference(c).size)
    outcome.wrong = wrong_pixels(target, reference(c), c.block, plan->tables.back().radius);
  const Verdict& v = outcome.verdict;
  outcome.text = fmt::format("off by {:.3g} of full scale at ({}, {}): {:.4g} where {:.4g} is right", v.max_error,
                             v.where.x, v.where.y, v.actual, v.expected);
  return outcome;
}

std::vector<conv_cpu::AccessFault> Checker::watch(const Variant& variant, const CheckCase& c) {
  const Result<LaunchPlan> plan = plan_of_case(variant, c);
  if (!plan || plan->on_host()) return {};
  return processor_.watch(*plan, source(c.image, c.format)).value_or(std::vector<conv_cpu::AccessFault>());
}

}  // namespace conv
