#include "kernels/ops/whole_images.h"

#include <fmt/format.h>

#define CONV_KERNEL_FILE "kernels/ops/whole_images.cu"
#include "kernels/cpu/twins.h"

namespace conv {

namespace {

// The CPU twins for a pair of pixel types; null for pairs that no plan has.
CpuTwins twins_of(WholeImageOp op, PixelType from, PixelType to) {
  CpuTwins twins;
  if (op == WholeImageOp::from_levels)
    return for_pixel(to,
                     []<class To> { return CONV_TWINS(from_levels<SourceView<Rgba8, Border::any>, TargetView<To>>); });
  for_pixel(from, [&]<class From> {
    for_pixel(to, [&]<class To> {
      constexpr bool same = std::is_same_v<From, To>;
      constexpr bool single = std::is_same_v<ScratchOf<From>, float>;
      if constexpr (single == std::is_same_v<ScratchOf<To>, float>) {
        if constexpr (same)
          if (op == WholeImageOp::pre_pad) twins = CONV_TWINS(pre_pad<SourceView<From, Border::any>, TargetView<To>>);
        if constexpr (std::is_same_v<To, ScratchOf<From>> || std::is_same_v<From, ScratchOf<To>>) {
          if (op == WholeImageOp::convert) twins = CONV_TWINS(convert<SourceView<From, Border::any>, TargetView<To>>);
        }
        if constexpr (std::is_same_v<From, ScratchOf<From>>) {
          if (op == WholeImageOp::magnitude)
            twins = CONV_TWINS(magnitude<SourceView<From, Border::any>, TargetView<To>>);
          if (op == WholeImageOp::sum) twins = CONV_TWINS(sum<SourceView<From, Border::any>, TargetView<To>>);
        }
      }
    });
  });
  return twins;
}

constexpr std::string_view names[] = {"pre_pad", "convert", "magnitude", "sum", "from_levels"};

// To is the texture type of From: four interleaved channels of the same type.
template <class From, class To>
constexpr bool is_display_of = std::is_same_v<typename PixelTraits<To>::Channel, typename PixelTraits<From>::Channel>&&
                                       PixelTraits<To>::channels == 4 &&
                               !requires {
  Pixels<To>::channels;
};

// The same on the host, row by row.
template <WholeImageOp op>
void on_host(const ConvArgs& args, PixelType from, PixelType to, int first, int last) {
  for_pixel(from, [&]<class From> {
    for_pixel(to, [&]<class To> {
      constexpr bool same_colours = std::is_same_v<ScratchOf<From>, ScratchOf<To>>;
      constexpr bool used =
          op == WholeImageOp::convert
              ? std::is_same_v<To, ScratchOf<From>> || std::is_same_v<From, ScratchOf<To>> || is_display_of<From, To>
              : std::is_same_v<From, ScratchOf<From>>;
      if constexpr (used && same_colours) {
        for (int y = first; y < last; ++y) {
          const auto row = [&]<class Storage>(const PixelBuffer& image, Storage*) {
            return Pixels<Storage>(image, y * image.stride_px);
          };
          From* from_type = nullptr;
          To* to_type = nullptr;
          const auto a = row(args.source, from_type);
          const auto b = op == WholeImageOp::convert ? a : row(args.second, from_type);
          const auto target = row(args.target, to_type);
          for (int x = 0; x < args.target.width; ++x) {
            auto value = weighted(1.0f, a.read(x));
            if constexpr (op == WholeImageOp::magnitude) value = length(value, weighted(1.0f, b.read(x)));
            if constexpr (op == WholeImageOp::sum) value += weighted(1.0f, b.read(x));
            target.write(x, PixelTraits<To>::finished(value, args.offset, a.read(x)));
          }
        }
      }
    });
  });
}

// One thread per pixel.
KernelStep kernel_step(std::string title, const TemplateInstance& instance, CpuTwins twins, Size2 size) {
  KernelStep step;
  step.title = std::move(title);
  step.kernel = {.file = CONV_KERNEL_FILE, .exact = instance, .general = instance, .cpu = twins};
  step.block = {32, 8};
  cover(step, size);
  return step;
}

HostKernel host_kernel(WholeImageOp op) {
  switch (op) {
    case WholeImageOp::magnitude: return on_host<WholeImageOp::magnitude>;
    case WholeImageOp::sum: return on_host<WholeImageOp::sum>;
    default: return on_host<WholeImageOp::convert>;
  }
}

}  // namespace

Step whole_image_step(WholeImageOp op, PixelType from, PixelType to, Size2 size, bool host) {
  const std::string_view name = names[static_cast<std::size_t>(op)];
  if (host) {
    HostStep step;
    step.title = name;
    step.run = host_kernel(op);
    return step;
  }
  return kernel_step(std::string(name), template_instance(name, from, Border::any, to), twins_of(op, from, to), size);
}

void convert_on_host(const HostImage& from, HostImage& to) {
  const ConvArgs args{.source = from.buffer(), .target = to.buffer()};
  on_host<WholeImageOp::convert>(args, from.type, to.type, 0, to.size.height);
}

static LaunchPlan plan_of(WholeImageOp op, PixelType from, PixelType to, Size2 size) {
  Step step = whole_image_step(op, from, to, size, false);
  std::get<KernelStep>(step).writes = {ImageRole::target};
  return {
      .format = from, .source = size, .image = size, .target_format = to, .tables = {{}}, .steps = {std::move(step)}};
}

LaunchPlan display_plan(PixelType from, Size2 size) {
  return plan_of(WholeImageOp::convert, from, info(from).display, size);
}

LaunchPlan frame_plan(PixelType to, Size2 size) {
  LaunchPlan plan = plan_of(WholeImageOp::from_levels, PixelType::rgba8, to, size);
  std::get<KernelStep>(plan.steps.front()).title = fmt::format("to {}", info(to).title);
  return plan;
}

LaunchPlan yuv_plan(const YuvFormat& from, Size2 size) {
  const CpuTwins twins = for_order(from.order, [&]<YuvOrder order> {
    return from.mirrored ? CONV_TWINS(from_yuv<order, true>) : CONV_TWINS(from_yuv<order, false>);
  });
  KernelStep step = kernel_step("from YUV", {"from_yuv", {from.order, from.mirrored ? 1 : 0}}, twins, size);
  step.writes = {ImageRole::target};
  const YuvMatrix& m = from.matrix;
  return {.format = PixelType::gray8,
          .source = yuv_rows(from.order, size),
          .image = size,
          .target_format = PixelType::rgba8,
          .tables = {{.values = {m.luma_zero, m.luma, m.red_v, m.green_u, m.green_v, m.blue_u}, .radius = {}}},
          .steps = {std::move(step)}};
}

}  // namespace conv
