#include "app/sources/picture.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace conv {

namespace {

float sample(const Picture& picture, std::size_t i) {
  return picture.is_float ? picture.values[i] : picture.levels[i] / 255.0f;
}

unsigned char level(const Picture& picture, std::size_t i) {
  return picture.is_float ? to_level(picture.values[i] * 255.0f) : picture.levels[i];
}

// The sample of pixel p that holds channel c; -1 for an alpha that the picture lacks.
std::ptrdiff_t index_of(const Picture& picture, std::size_t p, int c) {
  if (c == 3 && picture.channels != 4) return -1;
  return static_cast<std::ptrdiff_t>(p * picture.channels + (picture.channels == 1 ? 0 : c));
}

}  // namespace

namespace {

template <class Sample>
std::vector<Sample> scaled_samples(const std::vector<Sample>& from, Size2 size, int channels, Size2 to, int percent) {
  std::vector<Sample> samples(static_cast<std::size_t>(to.area()) * channels);
  const int side = percent < 100 ? 100 / percent : 1, repeat = percent > 100 ? percent / 100 : 1;
  auto out = samples.begin();
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x)
      for (int c = 0; c < channels; ++c) {
        float sum = 0;
        for (int dy = 0; dy < side; ++dy)
          for (int dx = 0; dx < side; ++dx) {
            const int sx = std::min(x / repeat * side + dx, size.width - 1);
            const int sy = std::min(y / repeat * side + dy, size.height - 1);
            sum += static_cast<float>(from[(static_cast<std::size_t>(sy) * size.width + sx) * channels + c]);
          }
        const float mean = sum / static_cast<float>(side * side);
        *out++ = std::is_same_v<Sample, float> ? static_cast<Sample>(mean) : static_cast<Sample>(to_level(mean));
      }
  return samples;
}

}  // namespace

namespace {

template <class Sample>
void turn_upright(const Sample* from, Size2 size, int channels, int orientation, Sample* upright) {
  const bool turned = orientation >= 5;  // rows become columns
  const Size2 to = upright_size(size, orientation);
  // The source position of the result's first row and column, by the table of EXIF 2.3 (4.6.4 A).
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  // Square by square: a row of the result is a column of the source, and each of its pixels is on another cache line.
  constexpr int side = 16;
  for (int top = 0; top < to.height; top += side)
    for (int left = 0; left < to.width; left += side)
      for (int y = top; y < std::min(top + side, to.height); ++y)
        for (int x = left; x < std::min(left + side, to.width); ++x) {
          const int column = turned ? y : x, row = turned ? x : y;
          const int sx = from_right ? size.width - 1 - column : column, sy = from_bottom ? size.height - 1 - row : row;
          std::copy_n(from + (static_cast<std::ptrdiff_t>(sy) * size.width + sx) * channels, channels,
                      upright + (static_cast<std::ptrdiff_t>(y) * to.width + x) * channels);
        }
}

template <class Samples>
Samples upright_samples(const Samples& from, Size2 size, int channels, int orientation) {
  Samples samples(from.size());
  turn_upright(from.data(), size, channels, orientation, samples.data());
  return samples;
}

}  // namespace

void turn_upright(const Rgba8* from, Size2 size, int orientation, Rgba8* upright) {
  turn_upright(from, size, 1, orientation, upright);
}

Picture upright(Picture picture, int orientation) {
  if (orientation < 2 || orientation > 8) return picture;
  const Size2 from = picture.size;
  if (picture.is_float)
    picture.values = upright_samples(picture.values, from, picture.channels, orientation);
  else
    picture.levels = upright_samples(picture.levels, from, picture.channels, orientation);
  picture.size = upright_size(from, orientation);
  picture.note += (picture.note.empty() ? "" : " · ") + std::string("rotated upright");
  return picture;
}

Picture scaled(Picture picture, int percent) {
  if (percent == 100) return picture;
  const Size2 from = picture.size;
  picture.size = {std::max(1, from.width * percent / 100), std::max(1, from.height * percent / 100)};
  if (picture.is_float)
    picture.values = scaled_samples(picture.values, from, picture.channels, picture.size, percent);
  else
    picture.levels = scaled_samples(picture.levels, from, picture.channels, picture.size, percent);
  picture.note += (picture.note.empty() ? "" : " · ") + std::string("scaled to ") + std::to_string(percent) + " %";
  return picture;
}

YuvMatrix yuv_matrix(bool high_definition, bool full) {
  const double red = high_definition ? 0.2126 : 0.299, blue = high_definition ? 0.0722 : 0.114;
  const double green = 1 - red - blue, of_luma = full ? 1 : 255.0 / 219, of_colour = full ? 1 : 255.0 / 224;
  const auto fixed = [](double v) { return static_cast<float>(std::round(v * 2048) / 2048); };
  return {.luma_zero = full ? 0.0f : 16.0f,
          .luma = fixed(of_luma),
          .red_v = fixed(of_colour * 2 * (1 - red)),
          .green_u = fixed(-of_colour * 2 * blue * (1 - blue) / green),
          .green_v = fixed(-of_colour * 2 * red * (1 - red) / green),
          .blue_u = fixed(of_colour * 2 * (1 - blue))};
}

namespace {

// Calls use(i, pixel) for the pixels from `from` to `to`.
template <class Use>
void each_of_yuv(const Picture& picture, Point2 from, Point2 to, Use use) {
  const YuvFormat& format = *picture.yuv;
  const Size2 rows = yuv_rows(format.order, picture.size);
  const PixelBuffer bytes{const_cast<unsigned char*>(picture.levels.data()), rows.width, rows.height, rows.width,
                          rows.height};
  for_order(format.order, [&]<YuvOrder order> {
    for (int y = from.y; y < to.y; ++y)
      for (int x = from.x; x < to.x; ++x)
        use(y * picture.size.width + x,
            yuv_pixel<order>(bytes, picture.size.height, format.mirrored ? picture.size.width - 1 - x : x, y,
                             format.matrix));
  });
}

}  // namespace

std::array<unsigned char, 3> levels_at(const Picture& picture, Point2 at) {
  const std::size_t pixel = static_cast<std::size_t>(at.y) * picture.size.width + at.x;
  std::array<unsigned char, 3> levels{};
  if (picture.yuv) {
    each_of_yuv(picture, at, {at.x + 1, at.y + 1}, [&](int, Rgba8 p) { levels = {p.r, p.g, p.b}; });
    return levels;
  }
  for (int c = 0; c < 3; ++c) levels[c] = level(picture, static_cast<std::size_t>(index_of(picture, pixel, c)));
  return levels;
}

HostImage to_format(const Picture& picture, PixelType type) {
  HostImage image(type, picture.size);
  if (picture.yuv || (picture.channels == 4 && !picture.is_float)) {
    const auto* levels = reinterpret_cast<const Rgba8*>(picture.levels.data());
    for_pixel(type, [&]<class Storage> {
      const Pixels<Storage> out(image.buffer(), 0);
      const auto write = [out](int i, Rgba8 pixel) {
        if constexpr (std::is_same_v<Storage, Rgba8>)
          out.write(i, pixel);
        else
          out.write(i, of_levels<Storage>(pixel));
      };
      if (picture.yuv)
        each_of_yuv(picture, {}, {picture.size.width, picture.size.height}, write);
      else
        for (int i = 0; i < picture.size.area(); ++i) write(i, levels[i]);
    });
    return image;
  }
  const auto pixels = picture.size.area();
  const bool is_8_bit_copy = is_8_bit(type) && !picture.is_float;
  for_pixel(type, [&]<class Storage> {
    using Traits = PixelTraits<Storage>;
    using Channel = typename Traits::Channel;
    const Pixels<Storage> out(image.buffer(), 0);
    // In the type's unit; 8-bit pictures keep their levels.
    const float one = info(type).one;
    const auto value = [&](std::ptrdiff_t at) {
      return is_8_bit_copy ? static_cast<float>(picture.levels[at]) : sample(picture, at) * one;
    };
    for (int p = 0; p < pixels; ++p) {
      const auto at = [&](int c) { return index_of(picture, static_cast<std::size_t>(p), c); };
      if constexpr (Traits::channels == 1) {
        const bool grey = picture.channels == 1;
        out.write(p, narrowed<Channel>(grey ? value(at(0)) : luma(value(at(0)), value(at(1)), value(at(2)))));
      } else {
        const std::ptrdiff_t alpha = at(3);
        out.write(p, Traits::with_alpha({value(at(0)), value(at(1)), value(at(2))},
                                        narrowed<Channel>(alpha < 0 ? one : value(alpha))));
      }
    }
  });
  return image;
}

Picture to_picture(const HostImage& image, int source_channels, FloatStorage storage) {
  const PixelTypeInfo& type = info(image.type);
  Picture picture{.size = image.size,
                  .channels = std::min(type.channels, source_channels),
                  .is_float = !is_8_bit(image.type),
                  .storage = storage};
  for_pixel(image.type, [&]<class Storage> {
    const Pixels<Storage> in(image.buffer(), 0);
    for (int p = 0; p < image.size.area(); ++p)
      for (int c = 0; c < picture.channels; ++c) {
        if (picture.is_float)
          picture.values.push_back(in.read_channel(p, c));
        else
          picture.levels.push_back(static_cast<unsigned char>(in.read_channel(p, c)));
      }
  });
  return picture;
}

std::vector<unsigned short> levels_16(const Picture& picture) {
  std::vector<unsigned short> levels;
  levels.reserve(picture.values.size());
  for (const float value : picture.values) {
    const float scaled = value * 65535.0f;
    levels.push_back(scaled > 0 ? static_cast<unsigned short>(std::lround(std::min(scaled, 65535.0f))) : 0);
  }
  return levels;
}

}  // namespace conv
