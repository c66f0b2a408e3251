// Measurements of an NVIDIA H200 that come with the program, to compare with. Where there is no GPU, they are what the
// panels about a GPU show.
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
// f32, and the nearest size of the window.
struct NearestShipped {
  std::span<const BenchRow> rows;
  std::string what;   // "NVIDIA H200, 2026-11-25, 1920×1080 RGBA8, Gaussian, radius 5, Replicate, block 16×16"
  bool same = false;  // it is the wanted setting; otherwise `what` says so
};
// iterations: how often the filter is applied; it was measured once.
NearestShipped nearest_shipped(const ShippedResults& shipped, const BenchPoint& wanted, int iterations);
// The shipped times of the shown lanes of A and B, in two lines: "global 0.0640 ms · tile_linear 0.0521 ms", and
// NearestShipped::what. Empty if they differ in more than the variant, or if one of them was not measured.
std::string shipped_times_text(const ShippedResults& shipped, const Settings& settings, Size2 image);

}  // namespace conv
