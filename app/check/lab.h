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
    LabImage{"slide", "3×3 of the slides", {3, 3}},
    LabImage{"1023x767", "Noise 1023×767", {1023, 767}},
};

// Which filters and variants the lab runs.
enum class LabMatrix { all, s4 };
struct LabMatrixInfo {
  LabMatrix matrix;
  std::string_view id, title;
};
// S4: the seven filters of its table 5.4 with its kernels V1, V1c and V2.
inline constexpr std::array lab_matrices{
    LabMatrixInfo{LabMatrix::all, "all", "All filters and variants"},
    LabMatrixInfo{LabMatrix::s4, "s4", "S4, table 5.4"},
};

// The job of a lab run.
struct LabJob {
  LabMatrix matrix = LabMatrix::all;
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

// All: every variant except exhibits.
std::vector<const Variant*> lab_variants(LabMatrix matrix = LabMatrix::all);
// All: one row per filter of the table, with a radius that suits small images.
std::vector<FilterSpec> lab_filters(LabMatrix matrix = LabMatrix::all);
// "Box 5×5".
std::string lab_title(const FilterSpec& filter);

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
