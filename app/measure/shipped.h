// Measurements of an NVIDIA H200 that come with the program: something to see, and to compare with, where there is no
// GPU.
#pragma once
#include "app/measure/bench_rows.h"
#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"

namespace conv {

struct ShippedResults {
  BenchResults results;  // rows measured on the GPU; BenchRow::shipped says where and when
  Ceilings ceilings;
  DeviceLimits limits;
  MultiprocessorLimits multiprocessor;
};
// From the files of assets/results that are built in. Takes some 150 ms: for a background job.
ShippedResults load_shipped_results();

// The shipped times of every variant at the setting nearest to this one: its format if that was measured, otherwise
// f32, and the nearest radius.
struct NearestShipped {
  std::span<const BenchRow> rows;
  std::string what;   // "NVIDIA H200, 2026-11-21, 1920×1080 RGBA8, Gaussian, radius 5"
  bool same = false;  // image size, format and filter are the wanted ones
};
NearestShipped nearest_shipped(const ShippedResults& shipped, const BenchPoint& wanted);

}  // namespace conv
