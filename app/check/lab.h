// The correctness lab: which variant computes which filter correctly, on which image. The panel and selftest show the
// same matrix.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/headless/processor.h"
#include "kernels/cpu/reference.h"

namespace conv {

// Images on which errors show (checklist rows 70, 97 to 108).
struct LabImage {
  std::string_view id, title;
  Size2 size;
};
inline constexpr std::array lab_images{
    LabImage{"checkerboard", "Checkerboard 64×64", {64, 64}},
    LabImage{"noise", "Noise 64×64, seed 42", {64, 64}},
    LabImage{"impulse", "Impulse 33×33", {33, 33}},
    LabImage{"picture", "Harbour 240×135", {240, 135}},
    LabImage{"1x1", "Noise 1×1", {1, 1}},
    LabImage{"3x1", "Noise 3×1", {3, 1}},
    LabImage{"17x31", "Noise 17×31", {17, 31}},
    LabImage{"1023x767", "Noise 1023×767", {1023, 767}},
};

// The job of a lab run. The matrix has all filters and all variants except exhibits.
struct LabJob {
  std::size_t image = 1;  // of lab_images
  PixelType format = PixelType::f32;
  Border border = Border::replicate;
  bool fma = true;         // off: two roundings per product, on a GPU only
  bool half_sums = false;  // for formats and variants that support it
  friend bool operator==(const LabJob&, const LabJob&) = default;
};

enum class CellState { waiting, passed, failed, refused };
struct LabCell {
  CellState state = CellState::waiting;
  std::string text;       // why it was refused, or what failed
  double max_error = 0;   // 1 is full scale
  long long max_ulp = 0;  // f32 formats: floats between result and reference
  Point2 where;           // position of the largest error
};

std::vector<const Variant*> lab_variants();
// One row per filter of the table, with a radius that suits small images.
std::vector<FilterSpec> lab_filters();

// Keeps the source and, for each filter, the reference of one job.
class Lab {
 public:
  Lab(Processor& processor, const LabJob& job);
  // The cell of a run that was stopped has failed.
  LabCell run(const FilterSpec& filter, const Variant& variant, const std::stop_token& stop = {});

 private:
  Processor& processor_;
  LabJob job_;
  HostImage source_;
  std::optional<FilterSpec> filter_;
  Reference reference_;
};

}  // namespace conv
