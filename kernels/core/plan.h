// The plan of one convolution is the only description of its launches. Executors run it, overlays draw it, the cost
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
#include "kernels/core/kernel_instance.h"
#include "kernels/core/ranking.h"
#include "kernels/core/switches.h"

namespace conv {

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
    BorderInfo{Border::blog_mirror, "blog_mirror", "Blog mirror"},
};
// Looks up the table; Border::any and Border::inside are not in it.
const BorderInfo& info(Border border);

// What a variant is asked to do. Values are in the unit of the controls: 1 is full scale.
struct ConvSettings {
  std::shared_ptr<const Taps> taps;
  PixelType format = PixelType::rgba8;
  Border border = Border::replicate;
  float border_value = 0.0f;
  Size2 block{16, 16};
  int iterations = 1;  // how often the filter is applied, each time to its own result
  float largest = 0;   // magnitude of a value of the picture, if it is floats; 0: unknown, taken for 1
  float unit = 0;      // what 1.0 of a control means in pixel values; 0: as the format defines it
  SwitchValues switches;
};

// Whether products of 16-bit floats keep their digits in a picture with this largest magnitude: smaller numbers have
// fewer digits, filtered rows of larger ones overflow.
constexpr bool suits_half(float largest) {
  return largest == 0 || (largest >= 1.0f / 256 && largest <= 2047);
}

// Limits of the processor that the plan is for. Shared memory: the most a block may request.
struct DeviceLimits {
  std::string name = "CPU executor";
  int max_threads_per_block = 1024;
  int max_shared_bytes = 227 * 1024;
  int max_constant_bytes = 64 * 1024;
  int max_grid_rows = 65535;
  int warp_size = 32;
  int multiprocessors = 4;
  int compute_capability = 0;                        // 90 for 9.0; 0: the CPU executor, which supports everything
  int devices = 1;                                   // identical devices that a plan may use
  std::string no_fft = {};                           // why there is no FFT; empty if there is one
  std::string no_npp = "NPP runs on an NVIDIA GPU";  // the same for NPP
  // The rankings measured on this processor, for the variant "auto"; may be null.
  std::shared_ptr<const std::vector<Ranking>> rankings = {};
};

// Source and target are in the memory of the processor that runs the kernels. Plans that also time the transfers use
// their copies in host memory.
enum class ImageRole { source, target, scratch, host_source, host_target };
struct ImageRef {
  ImageRole role = ImageRole::source;
  int index = 0;  // the number of the scratch image
  friend bool operator==(ImageRef, ImageRef) = default;
};

struct ScratchImage {
  PixelType type;
  Size2 size;
  int device = 0;
};

struct TapsTable {
  std::vector<float> values;
  Size2 radius;
  friend bool operator==(const TapsTable&, const TapsTable&) = default;
};

// Counts over the whole grid. A thread writes a pixel, or only helps to load, or is idle.
struct ThreadCounts {
  long long writing = 0, loading_only = 0, idle = 0;
  long long total() const { return writing + loading_only + idle; }
  friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;
};

// Rows [first, first + count) of an image.
struct RowRange {
  int first = 0, count = 0;
  int end() const { return first + count; }
  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// What all steps have.
struct StepBase {
  std::string title;  // "pass 1 rows"
  ImageRef reads, writes;
  std::optional<RowRange> rows;        // the rows of `writes` that this step produces; none: all
  std::optional<ImageRef> also_reads;  // for steps that combine two images
  Point2 origin;                       // the pixel of `reads` at pixel (0, 0) of `writes`
  int taps = 0;                        // index of its table
  Border border = Border::inside;
  float outside = 0, offset = 0;  // in the unit of the pixels it reads
  double multiply_adds = 0;       // per channel of a pixel; also counts single additions; 0: one per tap
  bool on_tensor_cores = false;   // that is where the multiply-adds are done
  // Steps in one stream of one device run in the order of the plan. `after`: earlier steps in other streams to wait
  // for.
  int stream = 0, device = 0;
  std::vector<int> after;
};

struct KernelStep : StepBase {
  KernelInstance kernel;
  Size2 grid, block;  // as launched
  Size2 tile, apron;  // pixels one block writes; source pixels it reads beyond them, per side
  int shared_bytes = 0;
  bool through_texture = false;  // reads a texture whose address mode matches the border
  int second_stage_bytes = 0;    // part of shared_bytes: behind the tile, for results of a first stage
  int rounds = 1;                // how often the tile is filled: once, or once per channel
  int times_loaded = 1;          // how often each pixel of the tile is loaded
  int reads_beside_tile = 0;     // source pixels read directly, per pixel written
  bool ring = false;             // the tile moves through shared memory a few rows at a time
  bool in_registers = false;     // no shared memory: threads keep their part of the tile in registers
  double tile_loads = 0;         // tile reads per pixel written; 0: one per tap
  // For variants that can compile the radius into the kernel: whether they do. Otherwise the kernel reads it at run
  // time, as a fallback.
  std::optional<bool> templated;
  // Numbers that some kernels read from ConvArgs.
  int results = 1, alignment_px = 0;
  float range = 0;
  ThreadCounts threads;

  bool staged() const { return in_registers || shared_bytes > 0; }  // tile and apron are loaded before use
};

// A host function for rows [first, last) of the target; runs on all cores.
using HostKernel = void (*)(const ConvArgs&, PixelType source, PixelType target, int first, int last);
struct HostStep : StepBase {
  HostKernel run;
  bool one_core = false;
};

// Copies rows between images of the same format: between host and device, or between two devices. Both may be the same
// image.
struct CopyStep : StepBase {
  int from_row = 0;  // first row of `reads` that is copied
};

// The Fourier transform of f32 planes, each of size `transform`, stacked vertically; or the inverse, without scaling. A
// row of a spectrum has width / 2 + 1 complex numbers, each as two adjacent floats of an f32 image.
struct FftStep : StepBase {
  bool forward = true;
  Size2 transform;
  int planes = 1;
};

// A filter of NVIDIA's NPP for the whole image, with replicate padding: separable with equal factors, or by a matrix.
struct NppStep : StepBase {
  bool separable = true;
};

using Step = std::variant<KernelStep, HostStep, CopyStep, FftStep, NppStep>;

// Which kernel instance a launch used: the one compiled for this job, the general one, or none yet.
enum class Running { exact, general, nothing };

// When a step ran, in ms since the start of its launch.
struct StepSpan {
  float begin_ms = 0, end_ms = 0;
  float ms() const { return end_ms - begin_ms; }
};
// From the start of the first step to the end of the last; steps may overlap.
float total_ms(const std::vector<StepSpan>& spans);

struct LaunchPlan {
  PixelType format;                             // of source and target
  Size2 source, image;                          // image: the target
  std::optional<PixelType> target_format = {};  // the target's format, if it differs
  std::vector<ScratchImage> scratch;
  std::vector<TapsTable> tables;
  std::vector<Step> steps;
  std::vector<Step> once = {};  // run once before the first launch; not timed
  bool pinned = false;          // the host images are in page-locked memory
  // If a variant chose another variant's plan: which one, and why, in one sentence.
  std::string chosen = {}, reason = {};

  bool on_host() const;    // all steps run on the host
  bool transfers() const;  // begins and ends in host memory, so times include both transfers
  bool spread() const;     // uses more than one stream or device
  PixelType type_of(ImageRef image) const;
  Size2 size_of(ImageRef image) const;
  // What a step writes: an image or some rows of it.
  Size2 written_by(const StepBase& step) const;
  std::string_view title_of(std::size_t step) const;
  // Constant memory holds all tables one after the other; the offset of this one, in floats.
  int first_constant(int table) const;
  std::vector<float> constants() const;
};

// Some rows of an image, as an image.
PixelBuffer rows_of(PixelBuffer image, PixelType type, RowRange rows);

// The arguments of a step's kernel. buffer(ImageRef) returns an image's memory; taps is the step's table there.
template <class Buffer>
ConvArgs args_of(const StepBase& step, const LaunchPlan& plan, const Buffer& buffer, const float* taps) {
  const Size2 radius = plan.tables[step.taps].radius;
  const PixelBuffer target = buffer(step.writes);
  return {.source = buffer(step.reads),
          .target = step.rows ? rows_of(target, plan.type_of(step.writes), *step.rows) : target,
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
  ConvArgs args = args_of(static_cast<const StepBase&>(step), plan, buffer, taps);
  args.results = step.results;
  args.alignment_px = step.alignment_px;
  args.range = step.range;
  return args;
}

const StepBase& base_of(const Step& step);
// The steps that run once, then those of every launch.
std::vector<const Step*> all_steps(const LaunchPlan& plan);

// Whether a half accumulator is requested.
bool sums_in_half(const ConvSettings& settings);
// Calls make.operator()<Source, Target>() with the C++ pixel types of the settings, as kernels read and write them.
template <class Make>
auto for_sums(const ConvSettings& settings, Make make) {
  if (sums_in_half(settings))
    return settings.format == PixelType::f16 ? make.template operator()<HalfSums<Half>, Half>()
                                             : make.template operator()<HalfSums<Rgba16f>, Rgba16f>();
  return for_pixel(settings.format, [&]<class Pixel> { return make.template operator()<Pixel, Pixel>(); });
}
// The instance with a half accumulator, if the settings request it.
TemplateInstance with_sums(TemplateInstance instance, const ConvSettings& settings);

float unit_of(const ConvSettings& settings);
// The value outside the image in the pixel type's unit: a whole level for 8-bit formats, 0 for Border::zero.
float outside_of(const ConvSettings& settings);

// An instance of kernel<Source, Target> that reads and writes the settings' format.
KernelInstance instance_of(std::string_view file, std::string_view name, const ConvSettings& settings, CpuTwins cpu);

// The size of the result: the source's size, except with valid padding, where it may be empty.
Size2 target_size(Size2 source, Size2 radius, Border border);
// The source position of pixel (0, 0) of a result: valid padding removes the edge.
constexpr Point2 corner_in_source(Size2 result, Size2 source) {
  return {(source.width - result.width) / 2, (source.height - result.height) / 2};
}

// One pass with the whole matrix, from source to target, without shared memory. Variants change what differs.
LaunchPlan direct_plan(Size2 source, const ConvSettings& settings, KernelInstance kernel);
// The same with a host function.
LaunchPlan host_plan(Size2 source, const ConvSettings& settings, HostKernel run, bool one_core = false);
// Grid and thread counts of a step whose threads write one pixel each, for an image of this size.
void cover(KernelStep& step, Size2 image);
// The shared memory of a tile with its apron.
int staged_bytes(Size2 tile, Size2 apron, int bytes_per_pixel);
// How a block uses shared memory: it stages `tile` with `apron` around it as pixels of type `staged`. `writers` of its
// threads write the tile; each writes every writers-th pixel.
struct Staging {
  Size2 tile, apron, writers;
  PixelType staged;
};
// Makes a step work this way on an image of this size; its block is set before.
KernelStep tiled(KernelStep step, Size2 image, const Staging& staging);
// The plain case: the tile is as large as the block, and each thread writes one pixel of it.
KernelStep tiled(KernelStep step, Size2 image, Size2 apron, PixelType staged);

// The float type of the intermediate image between two passes.
PixelType scratch_type(PixelType format);
// A row pass into scratch and a column pass to the target: reads, writes, taps and borders. The caller sets the rest.
LaunchPlan two_pass_plan(Size2 source, const ConvSettings& settings, KernelStep rows, KernelStep columns);
// The sizes that these passes write: rows keep the source's height.
Size2 row_pass_size(Size2 source, const ConvSettings& settings);

std::string border_name(Border border);

}  // namespace conv
