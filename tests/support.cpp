#include "support.h"

#include <unistd.h>

#include <complex>
#include <numbers>

namespace conv {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "convoscope-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

pid_t start(const std::string& command) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(1);
  }
  return child;
}

namespace {

using Complex = std::complex<double>;

// exp(sign 2 pi i k / count) for every k.
std::vector<Complex> roots_of_one(int count, double sign) {
  std::vector<Complex> roots;
  for (int k = 0; k < count; ++k) roots.push_back(std::polar(1.0, sign * 2 * std::numbers::pi * k / count));
  return roots;
}

// The transform of `count` numbers, `stride` apart. The number of roots is a multiple of `count`.
std::vector<Complex> transformed(const Complex* from, int count, std::ptrdiff_t stride,
                                 const std::vector<Complex>& roots) {
  if (count == 1) return {*from};
  int factor = 2;
  while (count % factor != 0) ++factor;
  const int part = count / factor, apart = static_cast<int>(roots.size()) / count;
  std::vector<std::vector<Complex>> parts;
  for (int i = 0; i < factor; ++i) parts.push_back(transformed(from + i * stride, part, stride * factor, roots));
  std::vector<Complex> result(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < factor; ++i) result[k] += parts[i][k % part] * roots[i * k % count * apart];
  return result;
}

}  // namespace

void plain_fft(const FftStep& step, const PixelBuffer& from, const PixelBuffer& to) {
  const auto [width, height] = step.transform;
  const double sign = step.forward ? -1 : 1;
  const std::vector<Complex> of_row = roots_of_one(width, sign), of_column = roots_of_one(height, sign);
  std::vector<Complex> plane(static_cast<std::size_t>(step.transform.area()));
  for (int p = 0; p < step.planes; ++p) {
    const auto row = [&](const PixelBuffer& image, int y) {
      return static_cast<float*>(image.data) + static_cast<std::ptrdiff_t>(p * height + y) * image.stride_px;
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        Complex& at = plane[y * width + x];
        if (step.forward)
          at = row(from, y)[x];
        else if (x <= width / 2)
          at = {row(from, y)[2 * x], row(from, y)[2 * x + 1]};
        else  // the other half of the spectrum of real data
          at = {row(from, (height - y) % height)[2 * (width - x)],
                -row(from, (height - y) % height)[2 * (width - x) + 1]};
      }
    for (int y = 0; y < height; ++y) {
      const auto line = transformed(&plane[y * width], width, 1, of_row);
      std::copy(line.begin(), line.end(), plane.begin() + y * width);
    }
    for (int x = 0; x < width; ++x) {
      const auto line = transformed(&plane[x], height, width, of_column);
      for (int y = 0; y < height; ++y) plane[y * width + x] = line[y];
    }
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < (step.forward ? width / 2 + 1 : width); ++x) {
        const Complex at = plane[y * width + x];
        if (step.forward) {
          row(to, y)[2 * x] = static_cast<float>(at.real());
          row(to, y)[2 * x + 1] = static_cast<float>(at.imag());
        } else {
          row(to, y)[x] = static_cast<float>(at.real());
        }
      }
  }
}

DeviceLimits limits_with_fft() {
  DeviceLimits limits = cpu_limits();
  limits.no_fft.clear();
  return limits;
}

HostImage convolved(const Variant& variant, const HostImage& source, const FilterSpec& filter, Border border,
                    float border_value, Size2 block) {
  static CpuExecutorWithFft executor;
  const Settings settings{.filter = filter, .border = border, .border_value = border_value};
  const LaneSettings lane{.variant = std::string(variant.id), .format = source.type, .block = block};
  const auto plan = plan_of(lane, settings, std::make_shared<Taps>(*taps_of(filter)), source.size, limits_with_fft());
  HostImage target(source.type, source.size);
  if (!plan) {
    ADD_FAILURE() << plan.error().text;
    return target;
  }
  EXPECT_TRUE(executor.run(*plan, source, target));
  return target;
}

std::string test_name(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace conv
