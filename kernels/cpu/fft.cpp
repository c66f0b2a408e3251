#include "kernels/cpu/fft.h"

#include <atomic>
#include <complex>
#include <unsupported/Eigen/FFT>

namespace conv {

namespace {

using Complex = std::complex<float>;

// Eigen's transform, without scaling and without the half of a spectrum that real numbers make redundant.
struct Line : Eigen::FFT<float> {
  Line() {
    SetFlag(Unscaled);
    SetFlag(HalfSpectrum);
  }
};

float* row_of(const PixelBuffer& image, int y) {
  return static_cast<float*>(image.data) + static_cast<std::ptrdiff_t>(y) * image.stride_px;
}
Complex* spectrum_row(const PixelBuffer& image, int y) {
  return reinterpret_cast<Complex*>(row_of(image, y));
}

// Calls work(i, line) once for each i in [0, count). Each thread has its own `line`, which keeps what it has computed
// for a length.
template <class Work>
void share(ThreadPool& pool, const std::stop_token& stop, int count, const Work& work) {
  std::atomic<int> next = 0;
  pool.for_each(pool.threads(), [&](int) {
    Line line;
    for (int i = next++; i < count && !stop.stop_requested(); i = next++) work(i, line);
  });
}

// Transforms the columns in place. A cache line holds 8 complex numbers, one of each of 8 columns, so 8
// columns are copied together.
void transform_columns(const FftStep& step, const PixelBuffer& spectrum, ThreadPool& pool,
                       const std::stop_token& stop) {
  constexpr int together = 8;
  const int width = step.transform.width / 2 + 1, height = step.transform.height;
  const int groups = ceil_div(width, together);
  share(pool, stop, groups * step.planes, [&](int i, Line& line) {
    const int plane = i / groups * height, left = i % groups * together, columns = std::min(together, width - left);
    std::vector<Complex> from(static_cast<std::size_t>(height) * together), to(from.size());
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < columns; ++x) from[x * height + y] = spectrum_row(spectrum, plane + y)[left + x];
    for (int x = 0; x < columns; ++x) {
      Complex* column = to.data() + static_cast<std::ptrdiff_t>(x) * height;
      const Complex* source = from.data() + static_cast<std::ptrdiff_t>(x) * height;
      step.forward ? line.fwd(column, source, height) : line.inv(column, source, height);
    }
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < columns; ++x) spectrum_row(spectrum, plane + y)[left + x] = to[x * height + y];
  });
}

}  // namespace

void transform_planes(const FftStep& step, const PixelBuffer& from, const PixelBuffer& to, ThreadPool& pool,
                      const std::stop_token& stop) {
  const auto [width, height] = step.transform;
  if (!step.forward) transform_columns(step, from, pool, stop);
  share(pool, stop, height * step.planes, [&](int y, Line& line) {
    if (step.forward)
      line.fwd(spectrum_row(to, y), row_of(from, y), width);
    else
      line.inv(row_of(to, y), spectrum_row(from, y), width);
  });
  if (step.forward) transform_columns(step, to, pool, stop);
}

}  // namespace conv
