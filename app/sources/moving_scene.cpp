#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "app/sources/frames.h"

namespace conv {

namespace {

using std::numbers::pi_v;
constexpr int square_px = 8, squares = 24;  // of the frame's number
constexpr int pan_px = 4;                   // per frame

void put(unsigned char* pixel, int r, int g, int b) {
  pixel[0] = static_cast<unsigned char>(std::clamp(r, 0, 255));
  pixel[1] = static_cast<unsigned char>(std::clamp(g, 0, 255));
  pixel[2] = static_cast<unsigned char>(std::clamp(b, 0, 255));
  pixel[3] = 255;
}

class MovingScene final : public FrameReader {
 public:
  MovingScene(Size2 size, double rate) : size_(size), rate_(rate), land_(size_t(size.area()) * 4) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) put(&land_[(size_t(y) * size.width + x) * 4], 0, 0, 0), paint(x, y);
  }

  StreamInfo info() const override { return {.name = "Moving scene", .note = "made by the program", .rate = rate_}; }

  Result<bool> next(Frame& frame, const std::stop_token&) override {
    const auto start = std::chrono::steady_clock::now();
    frame.resize(size_);
    frame.number = number_;
    frame.at_s = static_cast<double>(number_) / rate_;
    unsigned char* to = frame.picture.levels.data();
    const size_t row = size_t(size_.width) * 4;
    const size_t shift = static_cast<size_t>(number_ * pan_px % size_.width) * 4;
    for (int y = 0; y < size_.height; ++y) {
      const unsigned char* from = &land_[size_t(y) * row];
      std::memcpy(to + size_t(y) * row, from + shift, row - shift);
      std::memcpy(to + size_t(y) * row + row - shift, from, shift);
    }
    for (int disc = 0; disc < 3; ++disc) draw_disc(to, disc);
    draw_number(to);
    frame.wait_ms = 0;
    frame.decode_ms = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
    ++number_;
    return true;
  }

  Result<void> seek(double seconds) override {
    number_ = std::llround(seconds * rate_);
    return {};
  }

 private:
  // Hills made of sines whose periods divide the width, so that the landscape wraps around.
  void paint(int x, int y) {
    const float turn = 2 * pi_v<float> * static_cast<float>(x) / static_cast<float>(size_.width);
    const float height = static_cast<float>(y) / static_cast<float>(size_.height);
    unsigned char* pixel = &land_[(size_t(y) * size_.width + x) * 4];
    put(pixel, int(120 + 90 * height), int(160 + 60 * height), int(215 + 20 * height));
    for (int hill = 0; hill < 4; ++hill) {
      const float far = static_cast<float>(3 - hill) / 3, f = static_cast<float>(3 + 4 * hill);
      const float edge = 0.42f + 0.14f * static_cast<float>(hill) + 0.05f * std::sin(f * turn + 2 * far) +
                         0.02f * std::sin((2 * f + 3) * turn) + 0.006f * std::sin((11 * f + 5) * turn);
      if (height < edge) continue;
      const int grain = (x * 73 ^ y * 151 ^ (x * y) % 89) % 23 - 11;  // grass: detail that a filter can remove
      put(pixel, int(40 + 80 * far) + grain, int(90 + 50 * far) + grain, int(50 + 90 * far) + grain / 2);
    }
  }

  void draw_disc(unsigned char* to, int disc) const {
    const double t = static_cast<double>(number_) / 60, radius = size_.height * (0.06 + 0.02 * disc);
    const double cx = size_.width * (0.5 + 0.4 * std::sin(t * (0.7 + 0.3 * disc) + disc));
    const double cy = size_.height * (0.3 + 0.15 * disc + 0.1 * std::cos(t * (1.1 - 0.2 * disc)));
    static constexpr std::array<std::array<int, 3>, 3> colours{{{235, 90, 60}, {240, 200, 70}, {70, 110, 220}}};
    for (int y = std::max(0, int(cy - radius)); y < std::min(size_.height, int(cy + radius) + 1); ++y) {
      const double half = std::sqrt(std::max(0.0, radius * radius - (y - cy) * (y - cy)));
      for (int x = std::max(0, int(cx - half)); x < std::min(size_.width, int(cx + half)); ++x)
        put(to + (size_t(y) * size_.width + x) * 4, colours[disc][0], colours[disc][1], colours[disc][2]);
    }
  }

  void draw_number(unsigned char* to) const {
    for (int y = std::max(0, size_.height - square_px); y < size_.height; ++y)
      for (int x = 0; x < std::min(size_.width, squares * square_px); ++x) {
        const int level = number_ >> x / square_px & 1 ? 255 : 0;
        put(to + (size_t(y) * size_.width + x) * 4, level, level, level);
      }
  }

  Size2 size_;
  double rate_;
  long long number_ = 0;
  std::vector<unsigned char> land_;
};

}  // namespace

OpenReader moving_scene(Size2 size, double rate) {
  return [=](const std::stop_token&) -> Result<std::unique_ptr<FrameReader>> {
    return std::make_unique<MovingScene>(size, rate);
  };
}

long long scene_number(const Picture& picture) {
  long long number = 0;
  for (int bit = 0; bit < squares; ++bit)
    if (levels_at(picture, {bit * square_px + square_px / 2, picture.size.height - square_px / 2})[0] > 127)
      number |= 1ll << bit;
  return number;
}

}  // namespace conv
