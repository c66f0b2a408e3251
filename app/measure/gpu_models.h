// GPUs as their data sheets describe them: what a kernel could do on a GPU that is not in this computer.
#pragma once
#include <span>
#include <string_view>

#include "kernels/core/cost.h"
#include "kernels/core/occupancy.h"

namespace conv {

struct GpuModel {
  std::string_view name;       // "NVIDIA A100 SXM 40 GB"
  int compute_capability = 0;  // 80 for 8.0
  int multiprocessors = 0;
  double memory_gb_per_s = 0;    // 10^9 bytes per second
  double gflop_per_s = 0;        // of 32-bit floats at the boost clock; a multiply-add counts as two
  long long cache_bytes = 0;     // of the L2 cache
  std::string_view source = {};  // the document with these numbers
};
// From the oldest architecture to the newest.
std::span<const GpuModel> gpu_models();
const GpuModel& gpu_model_h200();  // the GPU of the shipped results

// By compute capability, from the table of technical specifications in the CUDA C++ Programming Guide.
DeviceLimits limits_of(const GpuModel& gpu);
MultiprocessorLimits multiprocessor_of(const GpuModel& gpu);

// A bound on the time for a plan's work, in ms, by the rates of the data sheet. Kernels take longer.
struct LeastTime {
  double memory_ms = 0;        // for the bytes that cannot be in the L2 cache
  double multiply_add_ms = 0;  // for the multiply-adds of 32-bit floats
  double ms() const;           // the longer one; 0: neither says anything
};
// Steps run one after the other. At most the size of the L2 cache is still there when a step begins.
LeastTime least_time(std::span<const Cost> steps, const GpuModel& gpu);
// "At least 0.120 ms: multiply-adds take 0.120 ms, the bytes that do not fit into the L2 cache take 0.042 ms."
std::string least_time_text(const LeastTime& least, const GpuModel& gpu);

}  // namespace conv
