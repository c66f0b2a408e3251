#include "kernels/gpu/npp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/core/rows.h"
#include "kernels/gpu/cuda_check.h"
#include "kernels/gpu/cuda_library.h"

namespace conv {

namespace {

// As NPP's manual declares them, in CUDA 12 and 13; 0 is success.
struct NppSize {
  int width, height;
};
struct NppPoint {
  int x, y;
};
struct NppContext {
  cudaStream_t stream;
  int device, multiprocessors, threads_per_multiprocessor, threads_per_block;
  std::size_t shared_per_block;
  int major, minor;
  unsigned int stream_flags;
  int reserved;
};
constexpr int pad_replicate = 2;

// One row of taps for both directions, then a matrix.
using Separable = int(const void* from, int from_step, NppSize from_size, NppPoint offset, void* to, int to_step,
                      NppSize size, int taps, const float* kernel, int border, NppContext context);
using Whole = int(const void* from, int from_step, NppSize from_size, NppPoint offset, void* to, int to_step,
                  NppSize size, const float* kernel, NppSize kernel_size, NppPoint anchor, int border,
                  NppContext context);

struct Filters {
  PixelType type;
  const char *separable_name, *whole_name;
  Separable* separable = nullptr;
  Whole* whole = nullptr;
};

struct Npp : CudaLibrary {
  std::array<Filters, 6> filters{
      Filters{PixelType::f32, "nppiFilterGaussAdvancedBorder_32f_C1R_Ctx", "nppiFilterBorder_32f_C1R_Ctx"},
      Filters{PixelType::rgb32f, "nppiFilterGaussAdvancedBorder_32f_C3R_Ctx", "nppiFilterBorder_32f_C3R_Ctx"},
      Filters{PixelType::rgba32f, "nppiFilterGaussAdvancedBorder_32f_C4R_Ctx", "nppiFilterBorder_32f_C4R_Ctx"},
      Filters{PixelType::gray8, "nppiFilterGaussAdvancedBorder_8u_C1R_Ctx", "nppiFilterBorder32f_8u_C1R_Ctx"},
      Filters{PixelType::rgb8, "nppiFilterGaussAdvancedBorder_8u_C3R_Ctx", "nppiFilterBorder32f_8u_C3R_Ctx"},
      Filters{PixelType::rgba8, "nppiFilterGaussAdvancedBorder_8u_C4R_Ctx", "nppiFilterBorder32f_8u_C4R_Ctx"},
  };
  Npp() : CudaLibrary("libnppif", {"libnppif.so.13", "libnppif.so.12", "libnppif.so"}) {
    for (Filters& row : filters) {
      find(row.separable_name, row.separable);
      find(row.whole_name, row.whole);
    }
  }
};

const Npp& library() {
  static const Npp loaded;
  return loaded;
}

// Queried once: it takes longer than some filters.
Result<NppContext> context_of(cudaStream_t stream) {
  thread_local NppContext known{};
  if (known.stream == stream) return known;
  NppContext context{.stream = stream};
  CONV_TRY_CUDA(cudaGetDevice(&context.device));
  int shared = 0;
  const std::pair<int*, cudaDeviceAttr> wanted[] = {
      {&context.multiprocessors, cudaDevAttrMultiProcessorCount},
      {&context.threads_per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor},
      {&context.threads_per_block, cudaDevAttrMaxThreadsPerBlock},
      {&shared, cudaDevAttrMaxSharedMemoryPerBlock},
      {&context.major, cudaDevAttrComputeCapabilityMajor},
      {&context.minor, cudaDevAttrComputeCapabilityMinor},
  };
  for (const auto& [value, attribute] : wanted) CONV_TRY_CUDA(cudaDeviceGetAttribute(value, attribute, context.device));
  context.shared_per_block = static_cast<std::size_t>(shared);
  CONV_TRY_CUDA(cudaStreamGetFlags(stream, &context.stream_flags));
  return known = context;
}

}  // namespace

std::string why_no_npp() {
  return library().error();
}

Result<void> run_npp(const NppStep& step, const LaunchPlan& plan, const PixelBuffer& from, const PixelBuffer& to,
                     const float* taps, cudaStream_t stream) {
  const PixelType type = plan.type_of(step.reads);
  const auto& known = library().filters;
  const auto row = std::find_if(known.begin(), known.end(), [&](const Filters& f) { return f.type == type; });
  if (row == known.end()) return failure(fmt::format("NPP has no such filter for {}", info(type).title));
  const NppContext context = CONV_TRY(context_of(stream));
  const Size2 radius = plan.tables[step.taps].radius;
  const auto from_step = static_cast<int>(pitch_of(from, type)), to_step = static_cast<int>(pitch_of(to, type));
  const NppSize size{from.width, from.height};
  const int status = step.separable ? row->separable(from.data, from_step, size, {0, 0}, to.data, to_step, size,
                                                     2 * radius.width + 1, taps, pad_replicate, context)
                                    : row->whole(from.data, from_step, size, {0, 0}, to.data, to_step, size, taps,
                                                 {2 * radius.width + 1, 2 * radius.height + 1},
                                                 {radius.width, radius.height}, pad_replicate, context);
  if (status == 0) return {};
  return failure(
      fmt::format("{} failed with NPP's error {}", step.separable ? row->separable_name : row->whole_name, status));
}

}  // namespace conv
