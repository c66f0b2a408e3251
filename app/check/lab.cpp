#include "app/check/lab.h"

#include <fmt/format.h>

#include <cmath>

#include "app/sources/pattern.h"
#include "app/sources/picture.h"
#include "app/sources/sample_pictures.h"

namespace conv {

namespace {

HostImage lab_source(const LabImage& image, PixelType format) {
  if (image.id == "checkerboard") {  // squares of one pixel: every edge that a filter can meet
    Picture picture{.size = image.size, .channels = 1};
    for (int y = 0; y < image.size.height; ++y)
      for (int x = 0; x < image.size.width; ++x) picture.levels.push_back((x / 8 + y / 8) % 2 ? 255 : 0);
    return to_format(picture, format);
  }
  if (image.id == "picture") {  // the sample picture, scaled down to an eighth
    const Result<Picture> whole = load_picture(shared_folder() / "assets" / "harbour.png", 50);
    return whole ? to_format(scaled(*whole, 25), format) : HostImage{};
  }
  PatternKind kind = PatternKind::noise;
  if (image.id == "impulse") kind = PatternKind::impulse;
  if (image.id == "slide") kind = PatternKind::slide;
  return to_format(make_pattern(kind, image.size, 42), format);
}

// The number of floats between two finite floats.
long long ulps_between(float a, float b) {
  const auto ordered = [](float v) {
    const auto bits = static_cast<long long>(__builtin_bit_cast(std::int32_t, v));
    return bits < 0 ? -(bits & 0x7fffffffll) : bits;
  };
  return std::llabs(ordered(a) - ordered(b));
}

}  // namespace

std::vector<const Variant*> lab_variants(LabMatrix matrix) {
  if (matrix == LabMatrix::s4) return {find_variant("global"), find_variant("constant"), find_variant("tile_nested")};
  std::vector<const Variant*> list;
  for (const Variant* variant : variants())
    if (variant->exhibit.empty() && variant->group != VariantGroup::mine) list.push_back(variant);
  return list;
}

std::vector<FilterSpec> lab_filters(LabMatrix matrix) {
  if (matrix == LabMatrix::s4)
    return {{.kind = FilterKind::gaussian_integer, .radius = 1},
            {.kind = FilterKind::gaussian_integer, .radius = 2},
            {.kind = FilterKind::gaussian_integer, .radius = 3},
            {.kind = FilterKind::sobel_x},
            {.kind = FilterKind::laplacian},
            {.kind = FilterKind::box, .radius = 1},
            {.kind = FilterKind::box, .radius = 2}};
  std::vector<FilterSpec> list;
  for (const FilterInfo& row : filters) list.push_back({.kind = row.kind, .sigma = 1.2, .radius = 3});
  return list;
}

std::string lab_title(const FilterSpec& filter) {
  const auto taps = taps_of(filter);
  return fmt::format("{} {}", info(filter.kind).title,
                     taps ? fmt::format("{}×{}", taps->size.width, taps->size.height) : "");
}

Lab::Lab(Processor& processor, const LabJob& job)
    : processor_(processor), job_(job), source_(lab_source(lab_images[job.image], job.format)) {}

LabCell Lab::run(const FilterSpec& filter, const Variant& variant, const std::stop_token& stop) {
  if (source_.bytes.empty()) return {.state = CellState::failed, .text = "assets/harbour.png is missing"};
  Settings settings{.filter = filter, .border = job_.border, .border_value = 0.3f};
  LaneSettings lane{.variant = std::string(variant.id), .format = job_.format};
  const auto taps = std::make_shared<Taps>(*taps_of(filter));
  lane.switches.set("rank_sum", 1);
  if (!job_.fma) lane.switches.set("fma", 0);
  lane.switches.set("accumulate", job_.half_sums);
  const ConvSettings wanted = applicable(variant, conv_settings(lane, settings, taps));
  const Result<LaunchPlan> plan = plan_job(variant, source_.size, wanted, processor_.limits());
  if (!plan) return {.state = CellState::refused, .text = plan.error().text};
  HostImage target;
  const auto times = processor_.run(*plan, source_, target, stop);
  if (!times) return {.state = CellState::failed, .text = times.error().text};
  if (filter_ != filter) {
    reference_ = reference_of(source_, filter, job_.border, settings.border_value, {.stop = stop});
    filter_ = filter;
    if (stop.stop_requested()) {
      filter_.reset();  // the reference is not complete
      return {.state = CellState::failed, .text = "stopped"};
    }
  }
  const Verdict verdict = compare(target, reference_, tolerance_of(variant, wanted));
  LabCell cell{.state = verdict.pass ? CellState::passed : CellState::failed,
               .max_error = verdict.max_error,
               .where = verdict.where};
  if (!verdict.pass)
    cell.text = fmt::format("off by {:.3g} at ({}, {})", verdict.max_error, verdict.where.x, verdict.where.y);
  const int channels = info(job_.format).channels;
  if (!is_8_bit(job_.format) && !is_half(job_.format))
    for (std::size_t i = 0; i < reference_.values.size(); ++i)
      cell.max_ulp = std::max(cell.max_ulp, ulps_between(target.channel(i / channels, static_cast<int>(i % channels)),
                                                         static_cast<float>(reference_.values[i])));
  return cell;
}

}  // namespace conv
