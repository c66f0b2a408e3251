#define CONV_KERNEL_FILE "kernels/variants/fast/separable_tensor.cu"
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/variant.h"
#include "kernels/cpu/twins.h"
#include "kernels/variants/fast/row_stream.h"

namespace conv {

namespace {

constexpr float largest_half = 65504;

template <class Pixel>
CpuTwins twins_of(int products) {
  return products == 1 ? CONV_TWINS(separable_tensor<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args,
                                                     from_args, side_by_side, 1>)
                       : CONV_TWINS(separable_tensor<SourceView<Pixel, Border::any>, TargetView<Pixel>, from_args,
                                                     from_args, side_by_side, 3>);
}

// Rounds scaled taps to FP16 so that their sum is as close as possible to the exact sum; otherwise uniform areas would
// become darker or brighter. Repeatedly moves the tap whose step to the next FP16 number leaves the smallest
// difference.
std::vector<float> rounded(const std::vector<float>& taps, float scale) {
  const auto as_half = [](float value) { return to_float(narrowed<Half>(value)); };
  std::vector<float> halves;
  double missing = 0;
  for (const float tap : taps) {
    halves.push_back(as_half(tap * scale));
    missing += static_cast<double>(tap) * scale - halves.back();
  }
  for (bool moved = true; moved;) {
    moved = false;
    double least = std::abs(missing);
    std::size_t which = 0;
    float best = 0;
    for (std::size_t i = 0; i < halves.size(); ++i) {
      if (halves[i] == 0) continue;
      const float step = std::ldexp(1.0f, std::max(std::ilogb(halves[i]), -14) - 10);
      const float next = as_half(halves[i] + std::copysign(step, static_cast<float>(missing)));
      if (const double left = std::abs(missing - (next - halves[i])); left < least) {
        least = left;
        which = i;
        best = next;
        moved = true;
      }
    }
    if (!moved) break;
    missing -= best - halves[which];
    halves[which] = best;
  }
  for (float& half : halves) half /= scale;
  return halves;
}

float sum_of_magnitudes(const std::vector<float>& taps) {
  float sum = 0;
  for (const float tap : taps) sum += std::abs(tap);
  return sum;
}

// Writing lanes of all warps, by the first of their columns and rows in a block.
long long writing_threads(const KernelStep& step, Size2 image) {
  constexpr int warp_width = cpu::side_by_side * cpu::side;
  long long columns = 0, rows = 0;
  for (int x = 0; x < image.width; x += warp_width) columns += std::min(4, ceil_div(image.width - x, 4));
  for (int y = 0; y < image.height; y += step.tile.height)
    for (int g = 0; g < 8; ++g) rows += cpu::neighbour_of(g) < image.height - y;
  return columns * rows;
}

// Balances row and column by a power of two, so that the magnitudes of the row add up to between 1 and 2: filtered rows
// are then hardly larger than pixels, and no tap is so small that FP16 has few digits for it.
std::pair<std::vector<float>, std::vector<float>> balanced(const Taps& taps) {
  std::pair both(taps.row, taps.column);
  const float sum = sum_of_magnitudes(taps.row);
  const int power = sum > 0 ? std::ilogb(sum) : 0;
  for (float& tap : both.first) tap = std::ldexp(tap, -power);
  for (float& tap : both.second) tap = std::ldexp(tap, power);
  return both;
}

Result<LaunchPlan> plan_separable_tensor(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const Taps& taps = *settings.taps;
  const Size2 radius = taps.radius();
  if (0 < limits.compute_capability && limits.compute_capability < 75)
    return failure(
        fmt::format("separable_tensor needs tensor cores, sm_75 or newer; this GPU is sm_{}. Use separable_stream",
                    limits.compute_capability));
  if (!is_8_bit(settings.format) && !suits_half(settings.largest))
    return failure(
        "separable_tensor multiplies 16-bit floats. The largest value of the picture may be 1/256 to 2047, and this "
        "one "
        "is outside. Use separable_stream");
  const auto [row, column] = balanced(taps);
  const float most = largest_half / cpu::column_scale;
  if (const float sum = sum_of_magnitudes(column); sum > most)
    return failure(
        fmt::format("separable_tensor multiplies 16-bit floats. The magnitudes of the taps may add up to {:.0f}; these "
                    "add up to {:.0f}. Use a divisor, or separable_stream",
                    most, sum * sum_of_magnitudes(row)));
  const int products = settings.switches["products"] == 1 ? 1 : 3;
  Taps halves{.row = row, .column = column};
  if (products == 1)
    halves = {.row = rounded(row, cpu::row_scale(is_8_bit(settings.format))),
              .column = rounded(column, cpu::column_scale)};
  const int across = cpu::squares_of(radius.width), down = cpu::squares_of(radius.height);
  constexpr int warp_width = cpu::side_by_side * cpu::side;
  int warps = 32;
  if (products == 1 && down <= 2 && !streams_colours(settings.format)) warps = 40;
  if (products == 3 && streams_colours(settings.format)) warps = 24;
  Result<LaunchPlan> plan =
      row_stream_plan({.name = "separable_tensor",
                       .file = CONV_KERNEL_FILE,
                       .numbers = {across, down, cpu::side_by_side, products},
                       // Each multiprocessor runs two to five blocks at a time; this gives it that many, twice or more.
                       .shape = {.warp_width = warp_width, .step_rows = cpu::side, .warps = warps},
                       .run = warp_width,
                       .reach = {8 * (across - 1), 8 * (down - 1)},
                       .shared_before = cpu::BandMatrix::bytes(across + down),
                       .cpu = for_pixel(settings.format, [&]<class Pixel> { return twins_of<Pixel>(products); }),
                       .taps = row_and_column(halves),
                       .ring = {cpu::stream_apron, cpu::tensor_pitch, cpu::stream_ahead, cpu::stream_head}},
                      image, settings, limits);
  if (!plan) return plan;
  auto& step = std::get<KernelStep>(plan->steps.front());
  step.on_tensor_cores = true;
  step.threads.writing = writing_threads(step, plan->image);
  step.threads.loading_only = step.grid.area() * step.block.area() - step.threads.writing;
  // Two pixels at a time; bytes one at a time.
  step.tile_loads = (warp_width + 16.0 * (across - 1)) / warp_width * (streamed_bytes(settings.format) == 2 ? 0.5 : 1);
  return plan;
}

constexpr std::string_view own_switches[] = {"products"};

}  // namespace

CONV_DEFINE_VARIANT(separable_tensor){
    .id = "separable_tensor",
    .title = "Separable on tensor cores",
    .idea =
        "Filtering a line is a product with a band matrix. Tensor cores multiply 16-bit floats; the FP16 rounding "
        "residual is multiplied too.",
    .group = VariantGroup::separable,
    .notice =
        "Sixteen filtered neighbours of a line are a matrix of 16 rows times the pixels: the taps are along its "
        "diagonal, and the rest is zero. At radius 16 a third of the products are with zeros, but it is still faster, "
        "because tensor cores do 2048 multiply-adds per instruction. The result of the first product is already in the "
        "registers where the second product needs its input, so nothing goes through memory in between. A 16-bit float "
        "holds 11 binary digits. Each number is therefore split into its rounded value and the residual, and three of "
        "the four products are computed. This leaves errors below 2e-6. On an H200 at 7680×4320 in f32, radius 16 "
        "takes 1.38 times a copy of the image; separable_stream takes 1.96 times. With Precision: fast, one product is "
        "computed: errors of 2e-4, and 1.26 times a copy.",
    .needs_rank_1 = true,
    .same_bits_anywhere = false,
    .switches = own_switches,
    .max_radius = cpu::tensor_reach,
    .beyond_radius = "keeps partial sums in registers",
    .instead = "separable_tiles",
    .plan = plan_separable_tensor,
};

}  // namespace conv
