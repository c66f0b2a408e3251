// The plan of one convolution: the single truth about what is launched. Executors run it, overlays draw it, the cost
// model counts it, tests check it.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/filter.h"
#include "kernels/core/geometry.h"
#include "kernels/core/image.h"

struct BorderInfo {
  Border border;
  std::string_view id, title;
};
inline constexpr std::array borders{
    BorderInfo{Border::zero, "zero", "Zero"},
    BorderInfo{Border::constant, "constant", "Constant"},
    BorderInfo{Border::replicate, "replicate", "Replicate"},
    BorderInfo{Border::mirror, "mirror", "Mirror (101)"},
};

// What a variant is asked to do. Values are in the unit of the controls: 1 is full scale.
struct ConvSettings {
  std::shared_ptr<const Taps> taps;
  PixelType format = PixelType::rgba8;
  Border border = Border::replicate;
  float border_value = 0.0f;
  Size2 block{16, 16};
};

// Of the processor the plan is for. Shared memory is the largest a block may opt in to.
struct DeviceLimits {
  std::string name = "CPU executor";
  int max_threads_per_block = 1024;
  int max_shared_bytes = 227 * 1024;
  int max_constant_bytes = 64 * 1024;
  int warp_size = 32;
};

namespace conv_cpu {
using Kernel = void (*)(ConvArgs);
}

// One kernel built for the CPU executor: as it is, and reporting every access.
struct CpuTwins {
  conv_cpu::Kernel plain = nullptr, traced = nullptr;
};

// A kernel template with its arguments filled in. `name` fits this job exactly; `general` takes radius and border from
// ConvArgs, is compiled once per format, and runs while `name` is being compiled.
struct KernelInstance {
  std::string_view file;  // in kernels/variants
  std::string name, general;
  CpuTwins cpu;
  std::string_view constant_symbol;  // empty: no taps in constant memory
  float* cpu_constant = nullptr;     // the same array, of the plain and of the traced twin
  float* cpu_traced_constant = nullptr;
};

enum class ImageRole { source, target, scratch };
struct ImageRef {
  ImageRole role = ImageRole::source;
  int index = 0;  // which scratch image
  friend bool operator==(ImageRef, ImageRef) = default;
};

struct ScratchImage {
  PixelType type;
  Size2 size;
};

struct TapsTable {
  std::vector<float> values;
  Size2 radius;
};

// Of the whole grid. A thread writes a pixel, or only helps loading, or does neither.
struct ThreadCounts {
  long long writing = 0, loading_only = 0, idle = 0;
  long long total() const { return writing + loading_only + idle; }
  friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;
};

struct KernelStep {
  std::string_view title;  // "pass 1 rows"
  KernelInstance kernel;
  ImageRef reads, writes;
  int taps = 0;  // which table
  Border border;
  float outside, offset;  // in the unit of the pixels read
  Size2 grid, block;      // as launched
  Size2 tile, apron;      // pixels one block writes; source pixels it reads beyond, per side
  int shared_bytes = 0;
  ThreadCounts threads;
};

// A host function over rows [first, last) of the target, run on all cores.
using HostKernel = void (*)(const ConvArgs&, PixelType source, PixelType target, int first, int last);
struct HostStep {
  std::string_view title;
  HostKernel run;
  ImageRef reads, writes;
  int taps = 0;
  Border border;
  float outside, offset;
};

using Step = std::variant<KernelStep, HostStep>;

struct LaunchPlan {
  PixelType format;
  Size2 image;
  std::vector<ScratchImage> scratch;
  std::vector<TapsTable> tables;
  std::vector<Step> steps;

  bool on_host() const { return std::holds_alternative<HostStep>(steps.front()); }
  PixelType type_of(ImageRef image) const;
  std::string_view title_of(std::size_t step) const;
};

ConvArgs args_of(const KernelStep& step, const LaunchPlan& plan, PixelBuffer reads, PixelBuffer writes,
                 const float* taps);
ConvArgs args_of(const HostStep& step, const LaunchPlan& plan, PixelBuffer reads, PixelBuffer writes,
                 const float* taps);

// The value outside the image in the unit of the pixels: a whole level for 8-bit formats, 0 for Border::zero.
float outside_of(const ConvSettings& settings);

// "gpu::name<gpu::SourceView<Rgba8, Border::mirror>, gpu::TargetView<Rgba32f>, 5, 5>", as NVRTC wants it.
std::string instance_name(std::string_view name, PixelType source, Border border, PixelType target,
                          std::initializer_list<int> numbers = {});

// Refuses blocks of the wrong size, then shared memory beyond the limit, in words that say what would fit.
Result<LaunchPlan> within(const DeviceLimits& limits, std::string_view variant, LaunchPlan plan);

// One pass over the whole matrix, from source to target, without shared memory. Variants adjust what differs.
LaunchPlan direct_plan(Size2 image, const ConvSettings& settings, KernelInstance kernel);
// A step whose block stages its tile and `apron` in shared memory.
KernelStep tiled(KernelStep step, Size2 image, Size2 apron, PixelType staged);

// The float type that holds sums of this format between two passes.
PixelType scratch_type(PixelType format);
// A row pass into scratch and a column pass to the target: reads, writes, taps, borders; the caller fills the rest.
template <class StepType>
LaunchPlan two_pass_plan(Size2 image, const ConvSettings& settings, StepType rows, StepType columns);

std::string border_name(Border border);
