#include "kernels/cpu/reference.h"

#include <algorithm>
#include <cmath>

namespace {

// -1: the border's value.
int reflected_or_clamped(int i, int n, Border border) {
  if (border == Border::replicate) return std::clamp(i, 0, n - 1);
  if (border == Border::mirror) {
    if (n == 1) return 0;
    while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
    return i;
  }
  return i < 0 || i >= n ? -1 : i;
}

double channel(const HostImage& image, std::size_t pixel, int c) {
  switch (image.type) {
    case PixelType::f32: return image.pixels<float>()[pixel];
    case PixelType::rgba8: return reinterpret_cast<const unsigned char*>(image.bytes.data())[pixel * 4 + c];
    case PixelType::rgba32f: return image.pixels<float>()[pixel * 4 + c];
  }
  return 0;
}

}  // namespace

Reference reference_of(const HostImage& source, const FilterSpec& filter, Border border, float border_value) {
  const Matrix kernel = *matrix_of(filter);
  const PixelTypeInfo& type = info(source.type);
  const int width = source.size.width, height = source.size.height;
  const int rx = kernel.size.width / 2, ry = kernel.size.height / 2;
  double outside = border == Border::constant ? static_cast<double>(border_value) * type.one : 0.0;
  if (source.type == PixelType::rgba8) outside = std::clamp(std::floor(outside + 0.5), 0.0, 255.0);
  const double offset = filter.kind == FilterKind::custom ? filter.offset * type.one : 0.0;
  const int turn = filter.mode == FilterMode::convolution ? -1 : 1;  // f(x - i, y - j) or f(x + i, y + j)

  Reference result{source.type, source.size, {}, 0};
  for (double k : kernel.values) result.tap_magnitude += std::fabs(k);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < type.channels; ++c) {
        if (c == 3) {
          result.values.push_back(channel(source, static_cast<std::size_t>(y) * width + x, 3));
          continue;
        }
        double sum = 0;
        for (int j = -ry; j <= ry; ++j)
          for (int i = -rx; i <= rx; ++i) {
            const double k = kernel.values[static_cast<std::size_t>(j + ry) * kernel.size.width + (i + rx)];
            const int sx = reflected_or_clamped(x + turn * i, width, border);
            const int sy = reflected_or_clamped(y + turn * j, height, border);
            sum += k * (sx < 0 || sy < 0 ? outside : channel(source, static_cast<std::size_t>(sy) * width + sx, c));
          }
        result.values.push_back(sum + offset);
      }
  return result;
}

Verdict compare(const HostImage& result, const Reference& reference) {
  const PixelTypeInfo& type = info(reference.type);
  Verdict verdict{.pass = result.type == reference.type && result.size == reference.size};
  if (!verdict.pass) return verdict;
  const double tolerance = 1e-5 * std::max(1.0, reference.tap_magnitude);
  for (std::size_t i = 0; i < reference.values.size(); ++i) {
    const std::size_t pixel = i / type.channels;
    const double actual = channel(result, pixel, static_cast<int>(i % type.channels));
    double exact = reference.values[i], error = std::fabs(actual - exact) / type.one;
    bool good = error <= tolerance;  // false for NaN
    if (reference.type == PixelType::rgba8) {
      exact = std::clamp(exact, 0.0, 255.0);
      const double level = std::floor(exact + 0.5);
      const double to_boundary = std::fabs(exact - std::floor(exact) - 0.5);
      error = std::fabs(actual - level) / type.one;
      good = actual == level;
      if (!good && std::fabs(actual - level) == 1 && to_boundary < 1e-3) {
        good = true;
        ++verdict.rounded_apart;
      }
    }
    if (!(error <= verdict.max_error)) {
      verdict.max_error = error;
      verdict.where = {static_cast<int>(pixel) % reference.size.width, static_cast<int>(pixel) / reference.size.width};
    }
    verdict.pass &= good;
  }
  return verdict;
}
