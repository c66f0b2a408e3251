#include "kernels/ops/peers.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/rows.h"

namespace conv {

namespace {

LaunchPlan plan_of(Size2 image, const ConvSettings& settings, Step step) {
  std::visit(
      [](StepBase& s) {
        s.reads = {ImageRole::source};
        s.writes = {ImageRole::target};
      },
      step);
  return {.format = settings.format,
          .source = image,
          .image = image,
          .scratch = {},
          .tables = {{settings.taps->values, settings.taps->radius()}},
          .steps = {std::move(step)}};
}

Result<LaunchPlan> plan_copy(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  CopyStep step;
  step.title = "copy";
  step.rows = RowRange{0, image.height};
  return plan_of(image, settings, step);
}

Result<LaunchPlan> plan_copy_kernel(Size2 image, const ConvSettings& settings, const DeviceLimits&) {
  const PixelTypeInfo& format = info(settings.format);
  const int planes = planes_of(settings.format), words = ceil_div(image.width * format.bytes / planes, 16);
  KernelStep step;
  step.title = "copy";
  step.kernel.file = "kernels/ops/copy_words.cu";
  step.kernel.exact = step.kernel.general = {"copy_words", {format.bytes / planes}};
  step.block = {256, 1};
  step.tile = {ceil_div(256 * 16 * planes, format.bytes), 1};
  step.grid = {ceil_div(words, 256), image.height * planes};
  step.threads.writing = static_cast<long long>(words) * step.grid.height;
  step.threads.idle = step.grid.area() * 256 - step.threads.writing;
  return plan_of(image, settings, step);
}

template <bool separable>
Result<LaunchPlan> plan_npp(Size2 image, const ConvSettings& settings, const DeviceLimits& limits) {
  const auto refused = [&](std::string_view why) {
    return failure(fmt::format("{}: {}", separable ? "npp_separable" : "npp_direct", why));
  };
  if (!limits.no_npp.empty()) return refused(limits.no_npp);
  constexpr std::array formats{PixelType::f32,   PixelType::rgb32f, PixelType::rgba32f,
                               PixelType::gray8, PixelType::rgb8,   PixelType::rgba8};
  if (std::find(formats.begin(), formats.end(), settings.format) == formats.end())
    return refused(fmt::format("measured in F32, RGB32F, RGBA32F, U8 luma, RGB8 and RGBA8; not in {}",
                               info(settings.format).title));
  if (settings.border != Border::replicate) return refused("it supports only replicate padding");
  const Taps& taps = *settings.taps;
  if (taps.offset != 0 || !taps.chain.empty()) return refused("it supports neither an offset nor a chain of filters");
  if (separable && (!taps.separable() || taps.row != taps.column))
    return refused("it takes one row of taps for both directions");
  NppStep step;
  step.separable = separable;
  LaunchPlan plan = plan_of(image, settings, step);
  if (std::vector<float>& values = plan.tables.front().values; separable) {  // NPP gets the first half
    values = taps.row;
    values.insert(values.end(), taps.column.begin(), taps.column.end());
  } else {
    std::reverse(values.begin(), values.end());  // NPP reverses the taps; ours are reversed already
  }
  return plan;
}

Result<LaunchPlan> plan_elsewhere(Size2, const ConvSettings&, const DeviceLimits&) {
  return failure("measured by tests/bench/libraries.py");
}

template <bool separable>
constexpr Peer of_npp(std::string_view id, std::string_view title, std::string_view idea) {
  Peer peer{{.id = id, .title = title, .idea = idea, .group = VariantGroup::other, .plan = plan_npp<separable>}};
  peer.a_level_apart = peer.filters_alpha = true;
  return peer;
}

constexpr Peer of_python(std::string_view id, std::string_view title, std::string_view idea, bool filters = true) {
  return {
      {.id = id, .title = title, .idea = idea, .group = VariantGroup::other, .plan = plan_elsewhere}, filters, true};
}

constexpr Peer list[] = {
    {{.id = "copy",
      .title = "Copy of the image",
      .idea = "cudaMemcpyAsync within device memory.",
      .group = VariantGroup::other,
      .plan = plan_copy},
     false},
    {{.id = "copy_kernel",
      .title = "Copy by a kernel",
      .idea = "16 bytes per thread, read once and written once.",
      .group = VariantGroup::other,
      .plan = plan_copy_kernel},
     false},
    of_npp<true>("npp_separable", "NPP, separable", "NVIDIA's nppiFilterGaussAdvancedBorder."),
    of_npp<false>("npp_direct", "NPP, whole matrix", "NVIDIA's nppiFilterBorder."),
    of_python("torch_copy", "PyTorch, copy", "Tensor.clone.", false),
    of_python("cub_copy", "CUB, copy", "cub::DeviceTransform with the identity.", false),
    of_python("torch_conv2d", "PyTorch, conv2d", "Padded, then a row and a column by cuDNN."),
    of_python("cupy_convolve1d", "CuPy, convolve1d", "A row and a column by cupyx.scipy.ndimage."),
    of_python("cucim_gaussian", "cuCIM, gaussian", "A row and a column by cucim.skimage.filters."),
    of_python("cvcuda_gaussian", "CV-CUDA, gaussian", "A whole matrix, made on the GPU by each call."),
    of_python("cvcuda_box", "CV-CUDA, averageblur", "A whole matrix of equal taps."),
    of_python("dali_gaussian", "DALI, gaussian_blur", "A row and a column as band matrices. The edges are mirrored."),
    of_python("opencv_sepfilter2d", "OpenCV, sepFilter2D", "A row and a column on the host."),
    of_python("opencv_gaussianblur", "OpenCV, GaussianBlur", "8-bit levels with taps of 8 bits."),
    of_python("opencv_blur", "OpenCV, blur", "Moving sums: one pixel is added, one subtracted."),
    of_python("scipy_gaussian_filter", "SciPy, gaussian_filter",
              "A row and a column on one core, in double precision."),
    of_python("scipy_uniform_filter", "SciPy, uniform_filter", "Moving sums, on one core."),
    of_python("skimage_gaussian", "scikit-image, gaussian", "SciPy's filter, with floats as the result."),
    of_python("pillow_gaussianblur", "Pillow, GaussianBlur", "Several box filters approximate a Gaussian."),
    of_python("pillow_boxblur", "Pillow, BoxBlur", "Moving sums, on one core."),
};

}  // namespace

std::span<const Peer> peers() {
  return list;
}

const Peer* find_peer(std::string_view id) {
  const auto found = std::find_if(std::begin(list), std::end(list), [&](const Peer& peer) { return peer.id == id; });
  return found == std::end(list) ? nullptr : found;
}

bool is_copy(std::string_view id) {
  const Peer* peer = find_peer(id);
  return peer && !peer->filters;
}

}  // namespace conv
