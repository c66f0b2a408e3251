// The plan of one convolution: the single truth about what is launched. Executors run it, overlays draw it, the cost
// model counts it, tests check it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/filter.h"
#include "kernels/core/geometry.h"
#include "kernels/core/image.h"
#include "kernels/core/switches.h"

struct BorderInfo {
  Border border;
  std::string_view id, title;
};
inline constexpr std::array borders{
    BorderInfo{Border::zero, "zero", "Zero"},
    BorderInfo{Border::constant, "constant", "Constant"},
    BorderInfo{Border::replicate, "replicate", "Replicate"},
    BorderInfo{Border::mirror, "mirror", "Mirror (101)"},
    BorderInfo{Border::symmetric, "symmetric", "Symmetric"},
    BorderInfo{Border::wrap, "wrap", "Wrap"},
    BorderInfo{Border::valid, "valid", "Valid (crop)"},
    BorderInfo{Border::blog_mirror, "blog_mirror", "Blog mirror (S1)"},
};

// What a variant is asked to do. Values are in the unit of the controls: 1 is full scale.
struct ConvSettings {
  std::shared_ptr<const Taps> taps;
  PixelType format = PixelType::rgba8;
  Border border = Border::replicate;
  float border_value = 0.0f;
  Size2 block{16, 16};
  int iterations = 1;  // the filter, applied to its own result
  float unit = 0;      // what 1.0 of a control means in the pixels; 0: as the format says
  SwitchValues switches;
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
  std::string_view file;  // "kernels/variants/global.cu"
  std::string name, general;
  std::string options;  // of the compiler, parted by blanks; of `name` alone
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
  friend bool operator==(const TapsTable&, const TapsTable&) = default;
};

// Of the whole grid. A thread writes a pixel, or only helps loading, or does neither.
struct ThreadCounts {
  long long writing = 0, loading_only = 0, idle = 0;
  long long total() const { return writing + loading_only + idle; }
  friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;
};

// What every step that computes has.
struct StepImages {
  ImageRef reads, writes;
  std::optional<ImageRef> also_reads;  // of steps that combine two images
  Point2 origin;                       // the pixel of `reads` under pixel (0, 0) of `writes`
  int taps = 0;                        // which table
  Border border = Border::inside;
  float outside = 0, offset = 0;  // in the unit of the pixels read
};

struct KernelStep : StepImages {
  std::string title;  // "pass 1 rows"
  KernelInstance kernel;
  Size2 grid, block;  // as launched
  Size2 tile, apron;  // pixels one block writes; source pixels it reads beyond, per side
  int shared_bytes = 0;
  bool through_texture = false;  // reads by a texture whose address mode is that of the border
  int second_stage_bytes = 0;    // of shared_bytes: behind the tile, for results of a first stage
  int rounds = 1;                // how often the tile is filled: once, or once per channel
  int reads_beside_tile = 0;     // of the source, per pixel written
  // What kernels with such a choice read from ConvArgs.
  int results = 1, alignment_px = 0;
  ThreadCounts threads;
};

// A host function over rows [first, last) of the target, run on all cores.
using HostKernel = void (*)(const ConvArgs&, PixelType source, PixelType target, int first, int last);
struct HostStep : StepImages {
  std::string title;
  HostKernel run;
  bool one_core = false;
};

using Step = std::variant<KernelStep, HostStep>;

struct LaunchPlan {
  PixelType format;                             // of source and target
  Size2 source, image;                          // image: the target
  std::optional<PixelType> target_format = {};  // where the target's is another
  std::vector<ScratchImage> scratch;
  std::vector<TapsTable> tables;
  std::vector<Step> steps;

  bool on_host() const;  // some step runs on the host, so all of it does
  PixelType type_of(ImageRef image) const;
  Size2 size_of(ImageRef image) const;
  std::string_view title_of(std::size_t step) const;
  // Constant memory holds all tables one after the other: where this one begins, in floats.
  int first_constant(int table) const;
  std::vector<float> constants() const;
};

// buffer(ImageRef) gives the memory of an image, taps the step's table there.
template <class Buffer>
ConvArgs args_of(const StepImages& step, const LaunchPlan& plan, const Buffer& buffer, const float* taps) {
  const Size2 radius = plan.tables[step.taps].radius;
  return {.source = buffer(step.reads),
          .target = buffer(step.writes),
          .second = step.also_reads ? buffer(*step.also_reads) : PixelBuffer{},
          .origin_x = step.origin.x,
          .origin_y = step.origin.y,
          .taps = taps,
          .radius_x = radius.width,
          .radius_y = radius.height,
          .border = step.border,
          .outside = step.outside,
          .offset = step.offset,
          .first_constant = plan.first_constant(step.taps)};
}

ConvArgs args_of(const KernelStep& step, const LaunchPlan& plan, const auto& buffer, const float* taps) {
  ConvArgs args = args_of(static_cast<const StepImages&>(step), plan, buffer, taps);
  args.results = step.results;
  args.alignment_px = step.alignment_px;
  return args;
}

const StepImages& images_of(const Step& step);

float unit_of(const ConvSettings& settings);
// The value outside the image in the unit of the pixels: a whole level for 8-bit formats, 0 for Border::zero.
float outside_of(const ConvSettings& settings);

// "gpu::name<gpu::SourceView<Rgba8, Border::mirror>, gpu::TargetView<Rgba32f>, 5, 5>", as NVRTC wants it.
std::string instance_name(std::string_view name, PixelType source, Border border, PixelType target,
                          std::initializer_list<int> numbers = {});

// An instance of kernel<Source, Target> from the settings' format to itself.
KernelInstance instance_of(std::string_view file, std::string_view name, const ConvSettings& settings, CpuTwins cpu);

// Refuses blocks of the wrong size, then shared memory beyond the limit, in words that say what would fit.
Result<LaunchPlan> within(const DeviceLimits& limits, std::string_view variant, LaunchPlan plan);

// The size of the result: the source's, but for valid padding. Nothing may be left of it.
Size2 target_size(Size2 source, Size2 radius, Border border);

// One pass over the whole matrix, from source to target, without shared memory. Variants adjust what differs.
LaunchPlan direct_plan(Size2 source, const ConvSettings& settings, KernelInstance kernel);
// The same by a host function.
LaunchPlan host_plan(Size2 source, const ConvSettings& settings, HostKernel run, bool one_core = false);
// Grid and thread counts of a step whose threads write one pixel each of an image of this size.
void cover(KernelStep& step, Size2 image);
// How a block uses shared memory: it stages `tile` and `apron` around it as pixels of `staged`, and `writers` of its
// threads write the tile, each every writers-th pixel.
struct Staging {
  Size2 tile, apron, writers;
  PixelType staged;
};
// A step that works so on an image of this size; its block is set.
KernelStep tiled(KernelStep step, Size2 image, const Staging& staging);
// The plain case: a tile is as large as the block, and every thread writes a pixel of it.
KernelStep tiled(KernelStep step, Size2 image, Size2 apron, PixelType staged);

// The float type that holds sums of this format between two passes.
PixelType scratch_type(PixelType format);
// A row pass into scratch and a column pass to the target: reads, writes, taps, borders; the caller fills the rest.
template <class StepType>
LaunchPlan two_pass_plan(Size2 source, const ConvSettings& settings, StepType rows, StepType columns);
// The sizes those passes write: rows keep the source's height.
Size2 row_pass_size(Size2 source, const ConvSettings& settings);

std::string border_name(Border border);
