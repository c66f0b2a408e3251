// Compiled once for each instruction set: foreach_target.h includes this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/variants/support/cpu_simd.cpp"
// Four steps matter on x86: SSE2, SSE4, AVX2 and AVX-512. Vectors whose size the compiler does not know cannot be in an
// array: ARM processors that have them also have NEON.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>  // before highway.h

#include <hwy/highway.h>

#include "kernels/api/conv_args.h"
#include "kernels/variants/support/cpu_simd.h"

HWY_BEFORE_NAMESPACE();
namespace conv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using cpu_rows::DoublingStep;

int width() {
  return static_cast<int>(hn::Lanes(Floats()));
}

// One vector of sums. With one lane it rounds as a wide one does, so a result has the same bits wherever it is.
template <class Lanes>
HWY_INLINE void row_sum(Lanes d, const float* row, int step, const float* taps, int terms, float* to, bool add) {
  auto sum = add ? hn::LoadU(d, to) : hn::Zero(d);
  for (int k = 0; k < terms; ++k, row += step) sum = hn::MulAdd(hn::Set(d, taps[k]), hn::LoadU(d, row), sum);
  hn::StoreU(sum, d, to);
}

void RowSums(const float* row, int step, const float* taps, int terms, float* to, int count, bool add) {
  const Floats d;
  const int n = width();
  const auto begin = [&](int at) HWY_ATTR { return add ? hn::LoadU(d, to + at) : hn::Zero(d); };
  int i = 0;
  // Four sums at a time hide the latency of an addition, and share a tap.
  for (; i + 4 * n <= count; i += 4 * n) {
    Vector a = begin(i), b = begin(i + n), c = begin(i + 2 * n), e = begin(i + 3 * n);
    const float* from = row + i;
    for (int k = 0; k < terms; ++k, from += step) {
      const Vector tap = hn::Set(d, taps[k]);
      a = hn::MulAdd(tap, hn::LoadU(d, from), a);
      b = hn::MulAdd(tap, hn::LoadU(d, from + n), b);
      c = hn::MulAdd(tap, hn::LoadU(d, from + 2 * n), c);
      e = hn::MulAdd(tap, hn::LoadU(d, from + 3 * n), e);
    }
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + i + n);
    hn::StoreU(c, d, to + i + 2 * n);
    hn::StoreU(e, d, to + i + 3 * n);
  }
  for (; i + n <= count; i += n) row_sum(d, row + i, step, taps, terms, to + i, add);
  for (; i < count; ++i) row_sum(hn::FixedTag<float, 1>(), row + i, step, taps, terms, to + i, add);
}

// `results` adjacent rows at columns [i, i + 2 vectors). A row outside the window of a result is not multiplied by 0:
// that would turn its infinities into NaN. There are at least `results` - 1 terms. All loops over results are unrolled,
// so that the sums are in registers.
template <int results>
HWY_INLINE void two_vectors(const float* const* rows, const float* taps, int terms, float* const* to, int i) {
  const Floats d;
  const int n = width();
  Vector low[results], high[results];
  HWY_UNROLL(4)
  for (int j = 0; j < results; ++j) low[j] = high[j] = hn::Zero(d);
  HWY_UNROLL(4)
  for (int row = 0; row < results - 1; ++row) {
    const Vector a = hn::LoadU(d, rows[row] + i), b = hn::LoadU(d, rows[row] + i + n);
    HWY_UNROLL(4)
    for (int j = 0; j <= row; ++j) {
      const Vector tap = hn::Set(d, taps[row - j]);
      low[j] = hn::MulAdd(tap, a, low[j]);
      high[j] = hn::MulAdd(tap, b, high[j]);
    }
  }
  for (int row = results - 1; row < terms; ++row) {
    const Vector a = hn::LoadU(d, rows[row] + i), b = hn::LoadU(d, rows[row] + i + n);
    HWY_UNROLL(4)
    for (int j = 0; j < results; ++j) {
      const Vector tap = hn::Set(d, taps[row - j]);
      low[j] = hn::MulAdd(tap, a, low[j]);
      high[j] = hn::MulAdd(tap, b, high[j]);
    }
  }
  HWY_UNROLL(4)
  for (int after = 0; after < results - 1; ++after) {
    const Vector a = hn::LoadU(d, rows[terms + after] + i), b = hn::LoadU(d, rows[terms + after] + i + n);
    HWY_UNROLL(4)
    for (int j = after + 1; j < results; ++j) {
      const Vector tap = hn::Set(d, taps[terms + after - j]);
      low[j] = hn::MulAdd(tap, a, low[j]);
      high[j] = hn::MulAdd(tap, b, high[j]);
    }
  }
  HWY_UNROLL(4)
  for (int j = 0; j < results; ++j) {
    hn::StoreU(low[j], d, to[j] + i);
    hn::StoreU(high[j], d, to[j] + i + n);
  }
}

template <int results>
void columns(const float* const* rows, const float* taps, int terms, float* const* to, int count) {
  const int n = width();
  int i = 0;
  for (; i + 2 * n <= count; i += 2 * n) two_vectors<results>(rows, taps, terms, to, i);
  const hn::FixedTag<float, 1> one;  // rounds as a wide vector does
  for (; i < count; ++i)
    for (int j = 0; j < results; ++j) {
      auto sum = hn::Zero(one);
      for (int k = 0; k < terms; ++k) sum = hn::MulAdd(hn::Set(one, taps[k]), hn::LoadU(one, rows[j + k] + i), sum);
      hn::StoreU(sum, one, to[j] + i);
    }
}

void ColumnSums(const float* const* rows, const float* taps, int terms, float* const* to, int results, int count) {
  if (results == 4 && terms >= 3) return columns<4>(rows, taps, terms, to, count);
  for (int j = 0; j < results; ++j) columns<1>(rows + j, taps, terms, to + j, count);
}

template <class Lanes>
HWY_INLINE void doubling_column(Lanes d, const float* row, std::span<const DoublingStep> steps, float* to, int i) {
  auto sum = hn::LoadU(d, row + i), total = sum;
  for (const DoublingStep& step : steps) {
    sum = hn::Add(sum, hn::LoadU(d, step.other + i));
    hn::StoreU(sum, d, step.sums + i);
    if (step.part) total = hn::Add(total, hn::LoadU(d, step.part + i));
  }
  hn::StoreU(total, d, to + i);
}

void DoublingColumns(const float* row, std::span<const DoublingStep> steps, float* to, int count) {
  const int n = width();
  int i = 0;
  for (; i + n <= count; i += n) doubling_column(Floats(), row, steps, to, i);
  for (; i < count; ++i) doubling_column(hn::FixedTag<float, 1>(), row, steps, to, i);
}

// to[i] = a[i] + b[i]. `to` may be `a`, and b may be further along the same row.
HWY_INLINE void add_rows(const float* a, const float* b, float* to, int count) {
  const Floats d;
  const int n = width();
  int i = 0;
  for (; i + n <= count; i += n) hn::StoreU(hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  for (; i < count; ++i) to[i] = a[i] + b[i];
}

void DoublingRow(const float* row, int step, int terms, float factor, float* scratch, float* to, int count) {
  std::copy(row, row + count, to);
  const float* sums = row;
  for (int length = 1; 2 * length <= terms; length *= 2) {
    add_rows(sums, sums + length * step, scratch, count + (terms - 2 * length) * step);
    sums = scratch;
    if (terms & (2 * length)) add_rows(to, sums + (terms & (2 * length - 1)) * step, to, count);
  }
  for (int i = 0; i < count; ++i) to[i] *= factor;
}

void MoveSums(const float* entering, const float* leaving, int* sums, int count) {
  const Floats d;
  const hn::Rebind<int, Floats> ints;
  const int n = width();
  int i = 0;
  for (; i + n <= count; i += n) {
    const auto change = hn::ConvertTo(ints, hn::Sub(hn::LoadU(d, entering + i), hn::LoadU(d, leaving + i)));
    hn::StoreU(hn::Add(hn::LoadU(ints, sums + i), change), ints, sums + i);
  }
  for (; i < count; ++i) sums[i] += static_cast<int>(entering[i] - leaving[i]);
}

template <int step>
void moving_windows(const int* row, int terms, float factor, float* to, int pixels) {
  int window[step] = {};
  for (int k = 0; k < terms - 1; ++k)
    for (int c = 0; c < step; ++c) window[c] += row[k * step + c];
  const int* entering = row + (terms - 1) * step;
  for (int x = 0; x < pixels; ++x, row += step, entering += step, to += step)
    for (int c = 0; c < step; ++c) {
      window[c] += entering[c];
      to[c] = factor * static_cast<float>(window[c]);
      window[c] -= row[c];
    }
}

void MovingRow(const int* row, int step, int terms, float factor, float* to, int count) {
  if (step == 1) return moving_windows<1>(row, terms, factor, to, count);
  if (step == 3) return moving_windows<3>(row, terms, factor, to, count / 3);
  moving_windows<4>(row, terms, factor, to, count / 4);
}

void LevelsToFloats(const unsigned char* from, float* to, int count) {
  const Floats d;
  const hn::Rebind<unsigned char, Floats> bytes;
  const hn::Rebind<int, Floats> ints;
  const int n = width();
  int i = 0;
  for (; i + n <= count; i += n)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(ints, hn::LoadU(bytes, from + i))), d, to + i);
  for (; i < count; ++i) to[i] = from[i];
}

// The levels of one vector.
HWY_INLINE hn::Vec<hn::Rebind<unsigned char, Floats>> levels_of(const float* from, Vector offset) {
  const Floats d;
  const Vector value = hn::Add(hn::LoadU(d, from), offset);
  const Vector positive = hn::IfThenElseZero(hn::Gt(value, hn::Zero(d)), value);  // no comparison holds for NaN
  const Vector rounded = hn::Add(hn::Min(positive, hn::Set(d, 255.0f)), hn::Set(d, 0.5f));
  return hn::U8FromU32(hn::BitCast(hn::Rebind<unsigned, Floats>(), hn::ConvertTo(hn::Rebind<int, Floats>(), rounded)));
}
void FloatsToLevels(const float* from, float offset, unsigned char* to, int count) {
  const hn::Rebind<unsigned char, Floats> bytes;
  const Vector add = hn::Set(Floats(), offset);
  const int n = width();
  int i = 0;
  for (; i + n <= count; i += n) hn::StoreU(levels_of(from + i, add), bytes, to + i);
  for (; i < count; ++i) to[i] = to_level(from[i] + offset);
}

void FloatsToRgba(const float* from, float offset, const unsigned char* alpha, unsigned char* to, int count) {
  const hn::Rebind<unsigned char, Floats> bytes;
  const Vector add = hn::Set(Floats(), offset);
  const int n = width();
  alignas(64) unsigned char of_alpha[64];
  for (int i = 0; i < n; ++i) of_alpha[i] = i % 4 == 3 ? 255 : 0;
  const auto mask = hn::Load(bytes, of_alpha);
  int i = 0;
  for (; n >= 4 && i + n <= count; i += n) {  // a vector has whole pixels
    const auto colours = hn::AndNot(mask, levels_of(from + i, add));
    hn::StoreU(hn::Or(colours, hn::And(mask, hn::LoadU(bytes, alpha + i))), bytes, to + i);
  }
  for (; i < count; ++i) to[i] = i % 4 == 3 ? alpha[i] : to_level(from[i] + offset);
}

}  // namespace HWY_NAMESPACE
}  // namespace conv
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace conv {

HWY_EXPORT(RowSums);
HWY_EXPORT(ColumnSums);
HWY_EXPORT(DoublingColumns);
HWY_EXPORT(DoublingRow);
HWY_EXPORT(MoveSums);
HWY_EXPORT(MovingRow);
HWY_EXPORT(LevelsToFloats);
HWY_EXPORT(FloatsToLevels);
HWY_EXPORT(FloatsToRgba);

namespace cpu_rows {

void row_sums(const float* row, int step, const float* taps, int terms, float* to, int count, bool add) {
  HWY_DYNAMIC_DISPATCH(RowSums)(row, step, taps, terms, to, count, add);
}
void column_sums(const float* const* rows, const float* taps, int terms, float* const* to, int results, int count) {
  HWY_DYNAMIC_DISPATCH(ColumnSums)(rows, taps, terms, to, results, count);
}
void doubling_columns(const float* row, std::span<const DoublingStep> steps, float* to, int count) {
  HWY_DYNAMIC_DISPATCH(DoublingColumns)(row, steps, to, count);
}
void doubling_row(const float* row, int step, int terms, float factor, float* scratch, float* to, int count) {
  HWY_DYNAMIC_DISPATCH(DoublingRow)(row, step, terms, factor, scratch, to, count);
}
void move_sums(const float* entering, const float* leaving, int* sums, int count) {
  HWY_DYNAMIC_DISPATCH(MoveSums)(entering, leaving, sums, count);
}
void moving_row(const int* row, int step, int terms, float factor, float* to, int count) {
  HWY_DYNAMIC_DISPATCH(MovingRow)(row, step, terms, factor, to, count);
}
void levels_to_floats(const unsigned char* from, float* to, int count) {
  HWY_DYNAMIC_DISPATCH(LevelsToFloats)(from, to, count);
}
void floats_to_levels(const float* from, float offset, unsigned char* to, int count) {
  HWY_DYNAMIC_DISPATCH(FloatsToLevels)(from, offset, to, count);
}
void floats_to_rgba(const float* from, float offset, const unsigned char* alpha, unsigned char* to, int count) {
  HWY_DYNAMIC_DISPATCH(FloatsToRgba)(from, offset, alpha, to, count);
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void use_instruction_set(const std::string& name) {
  hwy::GetChosenTarget().DeInit();  // the next call chooses the widest
  for (const auto target : hwy::SupportedAndGeneratedTargets())
    if (name == hwy::TargetName(target)) hwy::GetChosenTarget().Update(target);
}

}  // namespace cpu_rows

}  // namespace conv
#endif
