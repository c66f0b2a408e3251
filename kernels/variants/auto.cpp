#include "kernels/variants/auto.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/registry.h"
#include "kernels/variants/fast/row_stream.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

// The largest radius at which warps with shuffles are faster for interleaved colours: small images have too few blocks
// for the larger tiles of tensor cores. Measured at 0.9, 2.1, 3.7, 5.8, 8.3 and 33 Mpx.
int largest_radius_of_shuffles(Size2 image, bool packed_colours) {
  if (!packed_colours) return 8;
  return image.area() <= 1'400'000 ? 6 : image.area() <= 16'000'000 ? 4 : 3;
}

// The same for matrices that are not separable, compared with sums in registers (direct_paired). Measured at 0.9, 2.1,
// 3.7, 8.3 and 33 Mpx.
int largest_radius_of_direct_shuffles(Size2 image, PixelType format, bool packed_colours) {
  const auto area = image.area();
  if (packed_colours) return area <= 1'400'000 ? 4 : area <= 2'800'000 ? 3 : 2;
  if (streamed_bytes(format) >= 4) return area <= 5'000'000 ? 5 : 3;
  return area <= 2'800'000 ? 5 : area <= 5'000'000 ? 4 : area <= 16'000'000 ? 3 : 2;
}

// The largest radius at which sums in registers (direct_paired) are faster for such matrices than the FFT, which takes
// the same time for every radius. Measured at the same sizes; colours with RGBA8.
int largest_radius_of_paired(Size2 image, bool colours) {
  const auto area = image.area();
  if (colours) return area <= 1'400'000 ? 8 : area <= 2'800'000 ? 9 : 10;
  return area <= 1'400'000 ? 10 : area <= 2'800'000 ? 12 : area <= 5'000'000 ? 13 : 16;
}

// The ranking measured for this job or, otherwise, the nearest of the same format and filter shape. Distances are
// ratios; beyond a factor of 4 in pixels, or 2 in the window's sides, nothing is near. The variant that would be chosen
// without measurements must be in the ranking: otherwise a job where it cannot run, for example with too large a
// radius, would decide for a job where it can.
const Ranking* nearest(const DeviceLimits& limits, Size2 image, PixelType format, const Taps& taps,
                       std::string_view standing) {
  const Ranking* best = nullptr;
  double least = 2.001;
  if (!limits.rankings) return best;
  for (const Ranking& ranking : *limits.rankings) {
    if (ranking.format != format || ranking.shape != shape_of(taps)) continue;
    if (std::none_of(ranking.lanes.begin(), ranking.lanes.end(),
                     [&](const Ranking::Lane& lane) { return lane.variant == standing; }))
      continue;
    if (ranking.image == image && ranking.window == taps.size) return &ranking;
    const auto apart = [](Size2 a, Size2 b) {
      return std::abs(std::log2(static_cast<double>(a.width) / b.width)) +
             std::abs(std::log2(static_cast<double>(a.height) / b.height));
    };
    const double away = apart(ranking.image, image) + apart(ranking.window, taps.size);
    if (away >= least) continue;
    least = away;
    best = &ranking;
  }
  return best;
}

// Why this variant was chosen from a ranking.
std::string reason(const Ranking& ranking, std::size_t at, Size2 image, const Taps& taps) {
  const auto& lanes = ranking.lanes;
  std::string text = fmt::format("{}: {:.3g} ms", lanes[at].variant, lanes[at].ms);
  if (at > 0) text += fmt::format(", because {} cannot", lanes.front().variant);
  if (at + 1 < lanes.size())
    text += fmt::format("; {} takes {:.2f} times that", lanes[at + 1].variant, lanes[at + 1].ms / lanes[at].ms);
  const std::string place =
      ranking.image == image && ranking.window == taps.size
          ? "here"
          : fmt::format("at {}, {} taps, which is nearest", size_text(ranking.image), size_text(ranking.window));
  return fmt::format("{}. The fastest of {} measured {}.", text, lanes.size(), place);
}

Result<LaunchPlan> plan_auto(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const bool on_gpu = limits.compute_capability > 0;
  const auto planned = [&](std::string_view id) {
    Result<LaunchPlan> plan = plan_filter(*find_variant(id), image, settings, limits);
    if (plan) plan->chosen = id;
    return plan;
  };
  std::vector<std::string_view> order = auto_candidates(image, taps, settings.format, on_gpu);
  order.push_back("global");  // runs every job
  Result<LaunchPlan> standing;
  for (const std::string_view id : order)
    if (standing = planned(id); standing) break;
  if (!standing) return standing;
  if (const Ranking* ranking = nearest(limits, image, settings.format, taps, standing->chosen))
    for (std::size_t i = 0; i < ranking->lanes.size(); ++i)
      if (Result<LaunchPlan> plan = planned(ranking->lanes[i].variant)) {
        plan->reason = reason(*ranking, i, image, taps);
        return plan;
      }
  standing->reason = fmt::format("{}: {}. Nothing similar was measured here.", standing->chosen,
                                 on_gpu ? "ranked first on an NVIDIA H200" : "the usual order on a CPU");
  return standing;
}

}  // namespace

std::vector<std::string_view> auto_candidates(Size2 image, const Taps& taps, PixelType format, bool on_gpu) {
  const FilterShape shape = shape_of(taps);
  const int radius = std::max(taps.radius().width, taps.radius().height);
  if (!on_gpu) {
    // The numbers are where two variants take the same time at 2.1 Mpx on two threads with AVX-512. `fft` needs much
    // memory, so it is not even the second choice for small matrices.
    const int fft_taps = info(format).channels > 1 ? 1900 : 3200;
    if (shape == FilterShape::full && taps.size.area() > fft_taps) return {"fft", "cpu_direct"};
    if (shape == FilterShape::full && taps.size.area() > fft_taps / 3) return {"cpu_direct", "fft"};
    if (shape == FilterShape::full) return {"cpu_direct"};
    if (shape == FilterShape::separable) return {"cpu_separable", "cpu_direct"};
    const bool levels = info(format).bytes == info(format).channels;
    const int largest_separable = !levels ? 12 : info(format).channels == 1 ? 7 : 3;
    if (radius > largest_separable) return {"cpu_box", "cpu_separable"};
    return {"cpu_separable", "cpu_box"};
  }
  const bool packed_colours = streams_colours(format) && streamed_bytes(format) <= 4;
  if (shape == FilterShape::full) {
    const bool colours = streams_colours(format);
    // Beyond radius 12, too many unfinished sums of colours are in local memory.
    if (radius > (colours ? 12 : 16)) return {"fft", "tile_unrolled"};
    if (radius > largest_radius_of_paired(image, colours)) return {"fft", "direct_paired", "tile_unrolled"};
    std::vector<std::string_view> list{"direct_paired", "direct_stream", "tile_unrolled", "fft"};
    if (radius <= largest_radius_of_direct_shuffles(image, format, packed_colours))
      list.insert(list.begin(), "direct_shuffle");
    return list;
  }
  std::vector<std::string_view> list{"separable_tensor", "separable_stream", "separable_tiles", "separable_whitepaper"};
  if (radius < (info(format).channels > 1 ? 3 : 6)) std::swap(list[0], list[1]);
  if (radius <= 8)
    list.insert(list.begin() + (radius > largest_radius_of_shuffles(image, packed_colours) ? 1 : 0),
                "separable_shuffle");
  if (shape == FilterShape::box) list.insert(radius > 32 ? list.begin() : list.begin() + 2, "box_running");
  if (radius <= 2) list.insert(list.begin() + 2, "direct_shuffle");
  return list;
}

CONV_DEFINE_VARIANT(auto){
    .id = "auto",
    .title = "Fastest for this job",
    .idea =
        "Runs the variant that was measured to be fastest for this GPU, image, format and filter. It says which one "
        "and why.",
    .group = VariantGroup::other,
    .chooses = true,
    .tolerance = 2e-5f,
    .same_bits_anywhere = false,
    .plan = plan_auto,
};

}  // namespace conv
