#include "kernels/cpu/reference.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace conv {

namespace {

// The index inside 0..n-1 that replaces i; -1: the border's value. Computed step by step.
int inside_for(int i, int n, Border border) {
  while (i < 0 || i >= n) {
    const bool before = i < 0;
    switch (border) {
      case Border::replicate: i = before ? 0 : n - 1; break;
      case Border::mirror: i = n == 1 ? 0 : before ? -i : 2 * (n - 1) - i; break;
      case Border::symmetric: i = before ? -1 - i : 2 * n - 1 - i; break;
      case Border::wrap: i += before ? n : -n; break;
      case Border::blog_mirror: i = before ? -i : 2 * n - 1 - i; break;
      default: return -1;
    }
  }
  return i;
}

struct DoubleImage {
  Size2 size;
  int channels;
  std::vector<double> values;
  std::vector<int> places;  // position of each row in `values`, -1 if it is missing; empty: all rows are there
  double at(int x, int y, int c) const {
    const std::size_t row = places.empty() ? y : places[y];
    return values[(row * size.width + x) * channels + c];
  }
};

// Calls work(i) for i in 0..count-1, with the pool if there is one.
void for_each(ThreadPool* pool, int count, const std::function<void(int)>& work) {
  if (pool) return pool->for_each(count, work);
  for (int i = 0; i < count; ++i) work(i);
}

// rows: only these; empty: all.
DoubleImage widened(const HostImage& image, const std::set<int>& rows, ThreadPool* pool) {
  DoubleImage wide{image.size, info(image.type).channels, {}, {}};
  const std::vector<int> some(rows.begin(), rows.end());
  if (!some.empty()) wide.places.resize(image.size.height, -1);
  for (std::size_t i = 0; i < some.size(); ++i) wide.places[some[i]] = static_cast<int>(i);
  const int count = some.empty() ? image.size.height : static_cast<int>(some.size());
  wide.values.resize(static_cast<std::size_t>(count) * image.size.width * wide.channels);
  for_pixel(image.type, [&]<class Storage> {
    const Pixels<Storage> pixels(image.buffer(), 0);
    for_each(pool, count, [&](int number) {
      const int y = some.empty() ? number : some[number];
      double* to = &wide.values[static_cast<std::size_t>(number) * image.size.width * wide.channels];
      for (int i = y * image.size.width; i < (y + 1) * image.size.width; ++i)
        for (int c = 0; c < wide.channels; ++c) *to++ = pixels.read_channel(i, c);
    });
  });
  return wide;
}

// The source rows that some rows of the result depend on.
std::set<int> rows_below(const std::vector<int>& rows, int height, int radius, Border border) {
  std::set<int> below;
  for (const int y : rows)
    for (int dy = -radius; dy <= radius; ++dy)
      if (const int row = inside_for(y + (border == Border::valid ? radius : 0) + dy, height, border); row >= 0)
        below.insert(row);
  return below;
}

// Convolves or correlates one image with one matrix, row by row.
class ReferenceFilter {
 public:
  ReferenceFilter(const DoubleImage& in, const FilterSpec& filter, Border border, double outside)
      : in_(in),
        kernel_(*matrix_of(filter)),
        turn_(filter.mode == FilterMode::convolution ? -1 : 1),
        border_(border),
        outside_(outside) {
    for (int x = left_ - rx_; x < left_ + size().width + rx_; ++x)
      columns_.push_back(inside_for(x, in.size.width, border));
  }

  Size2 size() const { return {std::max(0, in_.size.width - 2 * left_), std::max(0, in_.size.height - 2 * top_)}; }

  // Row y of the result.
  void row(int y, double* to) const {
    const int width = size().width * in_.channels;
    std::vector<double> line(columns_.size() * in_.channels);
    for (int j = -ry_; j <= ry_; ++j) {
      load_line(inside_for(y + top_ + turn_ * j, in_.size.height, border_), line);
      for (int i = -rx_; i <= rx_; ++i) {
        const double tap = kernel_.values[static_cast<std::size_t>(j + ry_) * kernel_.size.width + (i + rx_)];
        const double* const from = &line[static_cast<std::size_t>(rx_ + turn_ * i) * in_.channels];
        for (int k = 0; k < width; ++k) to[k] += tap * from[k];
      }
    }
    if (in_.channels == 4)
      for (int x = 0; x < size().width; ++x) to[4 * x + 3] = in_.at(x + left_, y + top_, 3);
  }

 private:
  // Loads row sy of the source with the columns beside it; a negative row is outside the image.
  void load_line(int sy, std::vector<double>& line) const {
    for (std::size_t k = 0; k < columns_.size(); ++k)
      for (int c = 0; c < in_.channels; ++c)
        line[k * in_.channels + c] = columns_[k] < 0 || sy < 0 ? outside_ : in_.at(columns_[k], sy, c);
  }

  const DoubleImage& in_;
  const Matrix kernel_;
  const int turn_;
  const Border border_;
  const double outside_;
  const int rx_ = kernel_.size.width / 2, ry_ = kernel_.size.height / 2;
  const int left_ = border_ == Border::valid ? rx_ : 0, top_ = border_ == Border::valid ? ry_ : 0;
  std::vector<int> columns_;  // source columns, from rx_ before the first pixel of the result
};

DoubleImage filtered(const DoubleImage& in, const FilterSpec& filter, Border border, double outside,
                     const ReferenceWork& work) {
  const ReferenceFilter reference(in, filter, border, outside);
  DoubleImage out{reference.size(), in.channels, {}, {}};
  const int rows = work.rows.empty() ? out.size.height : static_cast<int>(work.rows.size());
  const std::size_t row_values = static_cast<std::size_t>(out.size.width) * in.channels;
  out.values.resize(rows * row_values);
  for_each(work.pool, rows, [&](int number) {
    if (work.stop.stop_requested()) return;
    reference.row(work.rows.empty() ? number : work.rows[number], out.values.data() + number * row_values);
    if (work.rows_done) ++*work.rows_done;
  });
  return out;
}

}  // namespace

Reference reference_of(const HostImage& source, const FilterSpec& filter, Border border, float border_value,
                       const ReferenceWork& work) {
  const PixelTypeInfo& type = info(source.type);
  double outside = border == Border::constant ? static_cast<double>(border_value) * type.one : 0.0;
  if (is_8_bit(source.type)) outside = std::clamp(std::floor(outside + 0.5), 0.0, 255.0);
  std::set<int> needed;
  if (!work.rows.empty())
    needed = rows_below(work.rows, source.size.height, matrix_of(filter)->size.height / 2, border);
  DoubleImage result = widened(source, needed, work.pool);
  double magnitude = 1;
  const auto add_offset = [&] {
    for (std::size_t i = 0; i < result.values.size(); ++i)
      if (i % result.channels != 3) result.values[i] += filter.offset * type.one;
  };
  for (int iteration = 0; iteration < work.iterations; ++iteration) {
    if (filter.kind == FilterKind::edges) {
      const std::vector<FilterSpec> stages = stages_of(filter);
      const DoubleImage blurred = filtered(result, stages[0], border, outside, work);
      const DoubleImage x = filtered(blurred, stages[1], border, outside, work);
      result = filtered(blurred, stages[2], border, outside, work);
      for (std::size_t i = 0; i < result.values.size(); ++i)
        if (i % result.channels != 3) result.values[i] = std::hypot(result.values[i], x.values[i]);
      magnitude *= 8;  // a Sobel matrix can multiply by 8; the blur sums to 1
    } else {
      result = filtered(result, filter, border, outside, work);
      const Matrix matrix = *matrix_of(filter);
      double sum = 0;
      for (const double k : matrix.values) sum += std::fabs(k);
      magnitude *= sum;
    }
    add_offset();
  }
  return {source.type, result.size, std::move(result.values), magnitude, work.rows};
}

Verdict compare(const HostImage& result, const Reference& reference, float tolerance, bool with_alpha) {
  const PixelTypeInfo& type = info(reference.type);
  Verdict verdict{.pass = result.type == reference.type && result.size == reference.size};
  if (!verdict.pass) return verdict;
  const double tolerated = tolerance * std::max(1.0, reference.tap_magnitude);
  const double allowed =
      std::max(tolerated, is_half(reference.type) ? 1e-3 * std::max(1.0, reference.tap_magnitude) : 0);
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    if (!with_alpha && i % type.channels == 3) continue;
    std::size_t pixel = i / type.channels;
    if (!reference.rows.empty()) {
      const std::size_t width = reference.size.width;
      pixel = static_cast<std::size_t>(reference.rows[pixel / width]) * width + pixel % width;
    }
    const double actual = result.channel(pixel, static_cast<int>(i % type.channels));
    double exact = reference.values[i];
    if (actual == exact || (std::isnan(actual) && std::isnan(exact))) continue;
    double error = std::fabs(actual - exact) / type.one;
    bool good = error <= allowed;  // false for NaN
    if (is_8_bit(reference.type)) {
      exact = std::clamp(exact, 0.0, 255.0);
      const double level = std::floor(exact + 0.5);
      error = std::fabs(actual - level) / type.one;
      good = actual == level;
      if (!good && std::fabs(actual - level) == 1 && std::fabs(actual - exact) < 0.5 + type.one * tolerated) {
        good = true;
        ++verdict.rounded_apart;
      }
    }
    if (!(error <= verdict.max_error)) {
      verdict.max_error = error;
      verdict.actual = actual;
      verdict.expected = exact;
      verdict.where = {static_cast<int>(pixel) % reference.size.width, static_cast<int>(pixel) / reference.size.width};
    }
    verdict.pass &= good;
  }
  return verdict;
}

}  // namespace conv
