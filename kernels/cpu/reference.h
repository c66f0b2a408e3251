// The double-precision reference that every kernel is compared with. It is written from the definition and shares no
// code with the kernels.
#pragma once
#include <atomic>
#include <stop_token>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/thread_pool.h"

namespace conv {

// Channel values in the pixel type's unit, row-major, interleaved, not rounded to 8 bits.
struct Reference {
  PixelType type;
  Size2 size;
  std::vector<double> values;
  double tap_magnitude = 1;  // sum of |taps|: how much an error of the input can grow
  std::vector<int> rows{};   // the rows that `values` holds, in rising order; empty: all
};

// Options for long computations.
struct ReferenceWork {
  int iterations = 1;                     // how often the filter is applied, each time to its own unrounded result
  ThreadPool* pool = nullptr;             // null: compute on the calling thread
  std::stop_token stop = {};              // after a stop the result is undefined
  std::atomic<int>* rows_done = nullptr;  // incremented per row, over all stages: stages_of(filter) or the iterations
  std::vector<int> rows = {};  // only these rows of the result, in rising order; empty: all. For one stage only
};
// border_value: 1 is full scale. The filter has been checked by matrix_of. The result is empty if valid padding leaves
// no pixel.
Reference reference_of(const HostImage& source, const FilterSpec& filter, Border border, float border_value,
                       const ReferenceWork& work = {});

struct Verdict {
  bool pass = false;
  double max_error = 0;  // 1 is full scale
  Point2 where;          // of the largest error, and what the channel there is and should be, in its format
  double actual = 0, expected = 0;
  long long rounded_apart =
      0;  // 8-bit channels that differ by one level because the exact value is close to a rounding boundary
};

// Float formats pass if error <= tolerance * max(1, sum of |taps|); for 16-bit floats the tolerance is at least 1e-3,
// half a step of the last bit, which the source has too. 8-bit formats must equal the rounded reference; one level of
// difference is accepted if the exact value is closer to the boundary between the two levels than the tolerance.
Verdict compare(const HostImage& result, const Reference& reference, float tolerance = 1e-5f, bool with_alpha = true);

}  // namespace conv
