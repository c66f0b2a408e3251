#include "kernels/core/kernel_instance.h"

#include <fmt/format.h>

#include "kernels/core/plan.h"

namespace conv {

namespace {

struct ArgumentText {
  std::string operator()(const SourceArgument& source) const {
    const std::string_view pixel = info(source.pixel).cpp_name;
    return fmt::format("gpu::{}<{}, {}>", source.through_texture ? "TextureView" : "SourceView",
                       source.half_sums ? fmt::format("HalfSums<{}>", pixel) : pixel, border_name(source.border));
  }
  std::string operator()(const TargetArgument& target) const {
    return fmt::format("gpu::TargetView<{}>", info(target.pixel).cpp_name);
  }
  std::string operator()(YuvOrder order) const {
    return fmt::format("static_cast<YuvOrder>({})", static_cast<int>(order));
  }
  std::string operator()(int number) const { return fmt::to_string(number); }
};

}  // namespace

std::string TemplateInstance::text() const {
  std::string all;
  for (const auto& argument : arguments) all += (all.empty() ? "" : ", ") + std::visit(ArgumentText{}, argument);
  return fmt::format("gpu::{}<{}>", function, all);
}

TemplateInstance template_instance(std::string_view function, PixelType source, Border border, PixelType target,
                                   std::initializer_list<int> numbers) {
  TemplateInstance instance{function, {SourceArgument{.pixel = source, .border = border}, TargetArgument{target}}};
  instance.arguments.insert(instance.arguments.end(), numbers.begin(), numbers.end());
  return instance;
}

}  // namespace conv
