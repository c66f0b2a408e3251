// What a GPU can do at most, over what a plan counts: which of its limits binds a kernel, and the time it predicts.
#pragma once
#include "app/measure/bench.h"
#include "kernels/core/cost.h"

namespace conv {

// Device memory; the L2 cache; the units that serve loads from L1 and shared memory; the arithmetic.
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

// The least time that roof allows this work, ms.
double least_ms(Roof roof, const Cost& cost, const Ceilings& ceilings);
// GFLOP/s under it at so many operations a byte of memory; load_bytes: loaded for each multiply-add.
double roof_at(Roof roof, double intensity, double load_bytes, const Ceilings& ceilings);
// The one that asks for most time: of the cache, not of memory, where the images stay in it.
Roof binding_roof(const Cost& cost, const Ceilings& ceilings);

// The cost model: each step takes what its binding roof asks for, and a launch. ms.
double predicted_ms(std::span<const Cost> steps, const Ceilings& ceilings);
// Of a configuration; nothing where it cannot run, or where not all of its work is kernels on one stream of a GPU.
std::optional<double> predicted_ms(const BenchPoint& point, const DeviceLimits& limits, const Ceilings& ceilings);
// "0.0721 ms, 11 % less": against the measured time.
std::string prediction_text(double predicted_ms, double measured_ms);

}  // namespace conv
