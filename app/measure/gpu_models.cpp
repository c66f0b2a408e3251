#include "app/measure/gpu_models.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/number_text.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

constexpr long long kib = 1024;
constexpr std::string_view turing = "NVIDIA Turing GPU Architecture, 2018", tesla_t4 = "NVIDIA T4 data sheet, 2019",
                           a100 = "NVIDIA A100 Tensor Core GPU Architecture, 2020",
                           ga102 = "NVIDIA Ampere GA102 GPU Architecture, 2021",
                           ada = "NVIDIA Ada GPU Architecture, 2022",
                           h100 = "NVIDIA H100 Tensor Core GPU Architecture, 2022",
                           h200 = "NVIDIA H200 data sheet, 2023; the L2 cache as CUDA reports it",
                           blackwell = "NVIDIA RTX Blackwell GPU Architecture, 2025";

constexpr GpuModel models[] = {
    {"NVIDIA T4", 75, 40, 320, 8'100, 4096 * kib, tesla_t4},
    {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 616, 14'200, 5632 * kib, turing},
    {"NVIDIA A100 SXM 40 GB", 80, 108, 1555, 19'500, 40960 * kib, a100},
    {"NVIDIA GeForce RTX 3080", 86, 68, 760, 29'800, 5120 * kib, ga102},
    {"NVIDIA GeForce RTX 3090", 86, 82, 936, 35'600, 6144 * kib, ga102},
    {"NVIDIA GeForce RTX 4090", 89, 128, 1008, 82'600, 73728 * kib, ada},
    {"NVIDIA H100 SXM", 90, 132, 3352, 66'900, 51200 * kib, h100},
    {"NVIDIA H200", 90, 132, 4800, 66'900, 61440 * kib, h200},
    {"NVIDIA GeForce RTX 5090", 120, 170, 1792, 104'800, 98304 * kib, blackwell},
};

// Of one multiprocessor.
struct Capability {
  int number, shared_kib, threads, blocks;
};
constexpr Capability capabilities[] = {{75, 64, 1024, 16},  {80, 164, 2048, 32}, {86, 100, 1536, 16},
                                       {89, 100, 1536, 24}, {90, 228, 2048, 32}, {120, 100, 1536, 24}};

const Capability& capability_of(const GpuModel& gpu) {
  return *std::ranges::find(capabilities, gpu.compute_capability, &Capability::number);
}
// From 8.0 on, the system uses 1 KiB of shared memory for each block.
int reserved_kib(const GpuModel& gpu) {
  return gpu.compute_capability >= 80 ? 1 : 0;
}

}  // namespace

std::span<const GpuModel> gpu_models() {
  return models;
}
const GpuModel& gpu_model_h200() {
  return *std::ranges::find(models, std::string_view("NVIDIA H200"), &GpuModel::name);
}

DeviceLimits limits_of(const GpuModel& gpu) {
  return {.name = std::string(gpu.name),
          .max_shared_bytes = (capability_of(gpu).shared_kib - reserved_kib(gpu)) * 1024,
          .multiprocessors = gpu.multiprocessors,
          .compute_capability = gpu.compute_capability,
          .no_npp = ""};
}

MultiprocessorLimits multiprocessor_of(const GpuModel& gpu) {
  const Capability& capability = capability_of(gpu);
  return {.registers = 65536,
          .shared_bytes = capability.shared_kib * 1024,
          .threads = capability.threads,
          .blocks = capability.blocks,
          .reserved_shared_bytes = reserved_kib(gpu) * 1024,
          .count = gpu.multiprocessors};
}

double LeastTime::ms() const {
  return std::max(memory_ms, multiply_add_ms);
}

LeastTime least_time(std::span<const Cost> steps, const GpuModel& gpu) {
  LeastTime least;
  for (const Cost& step : steps) {
    const long long from_memory = std::max(0ll, step.compulsory_bytes - gpu.cache_bytes);
    least.memory_ms += static_cast<double>(from_memory) / gpu.memory_gb_per_s / 1e6;
    least.multiply_add_ms +=
        2 * static_cast<double>(step.multiply_adds - step.tensor_multiply_adds) / gpu.gflop_per_s / 1e6;
  }
  return least;
}

std::string least_time_text(const LeastTime& least, const GpuModel& gpu) {
  const std::string memory = least.memory_ms > 0 ? fmt::format("the bytes that do not fit into the L2 cache take {} ms",
                                                               three_digits(least.memory_ms))
                                                 : fmt::format("the images of each kernel fit into the L2 cache ({})",
                                                               bytes_text(static_cast<double>(gpu.cache_bytes)));
  const std::string arithmetic = least.multiply_add_ms > 0
                                     ? fmt::format("multiply-adds take {} ms", three_digits(least.multiply_add_ms))
                                     : "the multiply-adds run on tensor cores";
  const std::string head = least.ms() > 0 ? fmt::format("At least {} ms", three_digits(least.ms()))
                                          : "No least time follows from the data sheet";
  return fmt::format("{}: {}, {}.", head, arithmetic, memory);
}

}  // namespace conv
