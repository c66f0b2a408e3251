// The double-precision answer every kernel is held against, written from the definition and sharing no code with them.
#pragma once
#include <atomic>
#include <stop_token>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/thread_pool.h"

namespace conv {

// Channel values in the unit of the pixel type, row-major, channels interleaved, before rounding to 8 bits.
struct Reference {
  PixelType type;
  Size2 size;
  std::vector<double> values;
  double tap_magnitude = 1;  // sum of |taps|: how far an error of the input can grow
  std::vector<int> rows{};   // those that `values` holds, rising; empty: all
};

// How to work one out, where it takes long.
struct ReferenceWork {
  int iterations = 1;                     // the filter, applied to its own unrounded result
  ThreadPool* pool = nullptr;             // null: on the calling thread
  std::stop_token stop = {};              // the result is then of no use
  std::atomic<int>* rows_done = nullptr;  // counted up, over all stages: stages_of(filter) or the iterations
  std::vector<int> rows = {};             // of the result, rising: these alone; empty: all. Of one stage only
};
// border_value: 1 is full scale. The filter has been checked by matrix_of. Empty where valid padding leaves nothing.
Reference reference_of(const HostImage& source, const FilterSpec& filter, Border border, float border_value,
                       const ReferenceWork& work = {});

struct Verdict {
  bool pass = false;
  double max_error = 0;  // 1 is full scale
  Point2 where;
  long long rounded_apart = 0;  // 8-bit channels one level off because the exact value lies on a rounding boundary
};

// Float formats: error <= tolerance * max(1, sum of |taps|), in formats of 16-bit floats at least 1e-3 of that: half a
// step of the last bit, which the source has too. 8-bit: the rounded reference, or one level beside it where the
// exact value is nearer to the boundary between the two than the tolerance, which decides those either way.
Verdict compare(const HostImage& result, const Reference& reference, float tolerance = 1e-5f, bool with_alpha = true);

}  // namespace conv
