// The roofline model: a GPU's highest rates and a plan's counts give each kernel's bottleneck and a predicted time.
#pragma once
#include "app/measure/bench_rows.h"
#include "kernels/core/cost.h"

namespace conv {

// Device memory; the L2 cache; the units that serve loads from L1 and shared memory; arithmetic.
enum class Roof { memory, cache, loads, multiply_add };
struct RoofInfo {
  Roof roof;
  const char* title;
};
inline constexpr std::array roofs{
    RoofInfo{Roof::memory, "memory"},
    RoofInfo{Roof::cache, "L2 cache"},
    RoofInfo{Roof::loads, "loads from L1 and shared memory"},
    RoofInfo{Roof::multiply_add, "multiply-adds"},
};

// The shortest time for this work under that roof, in ms. The roof of multiply-adds does not count those on tensor
// cores.
double least_ms(Roof roof, const Cost& cost, const Ceilings& ceilings);
// GFLOP/s under that roof at this many operations per byte of memory; load_bytes: bytes loaded per multiply-add.
double roof_at(Roof roof, double intensity, double load_bytes, const Ceilings& ceilings);
// The roof with the longest time. If the images stay in the cache, its roof replaces that of memory.
Roof binding_roof(const Cost& cost, const Ceilings& ceilings);

// The predicted time in ms: each step takes the time of its bottleneck, plus a launch.
double predicted_ms(std::span<const Cost> steps, const Ceilings& ceilings);
// The plan of a configuration; nothing if it cannot run, or if not all of it is kernels in one stream of a GPU.
std::optional<LaunchPlan> kernel_plan_of(const BenchPoint& point, const DeviceLimits& limits);
// The work of each step of that plan.
std::vector<Cost> costs_of(const BenchPoint& point, const DeviceLimits& limits);
// The same for that work.
std::optional<double> predicted_ms(const BenchPoint& point, const DeviceLimits& limits, const Ceilings& ceilings);
// "0.0721 ms, 11 % less": compared with the measured time.
std::string prediction_text(double predicted_ms, double measured_ms);

}  // namespace conv
