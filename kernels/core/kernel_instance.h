// Which instance of which kernel template. Kept as a structure; the compiler gets it as text.
#pragma once
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/api/conv_args.h"
#include "kernels/core/image.h"

namespace conv_cpu {
using Kernel = void (*)(ConvArgs);
}

namespace conv {

// Template arguments of kernels: views of images, the order of a frame's bytes, and numbers.
struct SourceArgument {
  PixelType pixel = PixelType::f32;
  Border border = Border::any;
  bool through_texture = false;
  bool half_sums = false;  // the kernel that reads it uses a half accumulator
};
struct TargetArgument {
  PixelType pixel = PixelType::f32;
};

struct TemplateInstance {
  std::string_view function;  // "separable_rows"; the name must outlive the instance
  std::vector<std::variant<SourceArgument, TargetArgument, YuvOrder, int>> arguments;
  // The name as NVRTC needs it: "gpu::separable_rows<gpu::SourceView<Rgba8, Border::mirror>, gpu::TargetView<Rgba32f>,
  // 5>".
  std::string text() const;
};

// function<Source, Target, numbers...>: the form of most kernels.
TemplateInstance template_instance(std::string_view function, PixelType source, Border border, PixelType target,
                                   std::initializer_list<int> numbers = {});

// One kernel built for the CPU executor: plain, and reporting every access.
struct CpuTwins {
  conv_cpu::Kernel plain = nullptr, traced = nullptr;
};

class RemoteKernel;

// A kernel template with its arguments filled in. `exact` is compiled for this job. `general` reads radius and border
// from ConvArgs; it is compiled once per format and runs while `exact` is being compiled.
struct KernelInstance {
  std::string_view file;  // "kernels/variants/global.cu"
  TemplateInstance exact, general;
  std::string options;  // compiler options for `exact` alone, separated by spaces
  CpuTwins cpu;
  std::string_view constant_symbol;  // empty: no taps in constant memory
  float* cpu_constant = nullptr;     // the same array in the plain and in the traced twin
  float* cpu_traced_constant = nullptr;
  std::shared_ptr<const RemoteKernel> remote;  // the CPU executor runs this one in place of `cpu`; null: none
};

}  // namespace conv
