// The sweeps of the documents, with their parameters.
#pragma once
#include "app/measure/bench_rows.h"

namespace conv {

struct BenchPreset {
  std::vector<BenchGroup> (*groups)();  // what is measured on a GPU; null if that depends on the processor
  std::string_view id, title;
  std::string_view source;  // the document and the place in it; [ext]: in its authors' public material
  std::string_view notice;  // what to look at
  BenchValue value;         // what the document plots
  bool copies;              // some of its numbers include the copies to the device and back
  bool published = true;    // from a document; presets of our own come after those
  bool peers = false;       // also measures copies and libraries, on a GPU
  std::string plot_title() const;
};
// In the order of the documents.
std::span<const BenchPreset> bench_presets();
const BenchPreset* find_preset(std::string_view id);

// on_gpu false: host variants instead of those for the GPU, whose kernels would run on an executor made for checking.
BenchJob job_of(const BenchPreset& preset, bool on_gpu);

// All combinations. If the list of a dimension is empty, there is no sweep.
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
// Points that become equal because the variant lacks a switch are measured once.
BenchJob job_of(const FreeSweep& sweep);

}  // namespace conv
