// The sweeps of the documents, with their parameters.
#pragma once
#include "app/measure/bench.h"

namespace conv {

struct BenchPreset {
  std::vector<BenchGroup> (*groups)();  // what is measured on a GPU; null where that depends on the processor
  std::string_view id, title;
  std::string_view source;  // which document and where; [ext]: of the authors' public material beside it
  std::string_view notice;  // what to look at
  BenchValue value;         // what the document plots
  bool copies;              // some of its numbers hold the copies to the device and back
  bool published = true;    // one of the documents'; the others follow them
  bool peers = false;       // copies and libraries stand beside: a GPU's
  std::string plot_title() const;
};
// In the order of SEEDS A5.
std::span<const BenchPreset> bench_presets();
const BenchPreset* find_preset(std::string_view id);

// on_gpu false: variants for the host in place of those for the GPU, whose kernels would be timed on an executor that
// is made for checking.
BenchJob job_of(const BenchPreset& preset, bool on_gpu);

// Every combination. An empty list of a dimension is no sweep at all.
struct FreeSweep {
  std::vector<std::string> variants{"global", "constant", "tile_linear", "tile_unrolled"};
  std::vector<FilterSpec> filters{FilterSpec{}};
  std::vector<Size2> sizes{{1920, 1080}};
  std::vector<Border> borders{Border::replicate};
  std::vector<PixelType> formats{PixelType::f32};
  std::vector<Size2> blocks{{16, 16}};
  std::vector<SwitchValues> switches{SwitchValues{}};
  bool cold = false;
};
// Points that become the same, since a variant lacks the switch, are measured once.
BenchJob job_of(const FreeSweep& sweep);

}  // namespace conv
