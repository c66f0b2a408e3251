// The sweeps of the documents, with their parameters.
#pragma once
#include "app/measure/bench_rows.h"

namespace conv {

// The documents, by the short names that rows and tables have.
struct DocumentInfo {
  std::string_view id, title;
};
inline constexpr DocumentInfo documents[] = {{"S0", "NVIDIA, Image Convolution with CUDA"},
                                             {"S1", "Efficient image convolution in CUDA"},
                                             {"S2", "Kernel Image Processing with CUDA"},
                                             {"S3", "Blurring at the Speed of Light"},
                                             {"S4", "CUDA-Optimized 2D Convolution"}};
// "S4 tables 5.5": the same with the document's title instead of its short name at the start.
std::string with_title(std::string_view source);

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
