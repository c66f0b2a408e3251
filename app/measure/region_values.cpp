#include "app/measure/region_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace conv {

namespace {

// One channel, in parts of full scale.
std::vector<float> shares_of(const HostImage& image, int channel) {
  std::vector<float> shares(static_cast<std::size_t>(image.size.area()));
  const float one = info(image.type).one;
  for_pixel(image.type, [&]<class Storage> {
    const Pixels<Storage> pixels(image.buffer(), 0);
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] = pixels.read_channel(static_cast<int>(i), channel) / one;
  });
  return shares;
}

// Of the finite values.
struct Mean {
  double sum = 0;
  long long count = 0;
  void add(double value) { sum += value, ++count; }
  double value() const { return sum / static_cast<double>(count); }  // NaN if there are none
};

ChannelValues values_of(const HostImage& image, int channel) {
  const auto width = static_cast<std::size_t>(image.size.width);
  const std::vector<float> shares = shares_of(image, channel);
  std::vector<Mean> columns(width), rows(static_cast<std::size_t>(image.size.height));
  Mean all;
  ChannelValues values{.least = std::numeric_limits<double>::infinity(),
                       .most = -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double value = shares[i];
    if (!std::isfinite(value)) {
      ++values.not_finite;
      continue;
    }
    values.least = std::min(values.least, value);
    values.most = std::max(values.most, value);
    for (Mean* mean : {&all, &columns[i % width], &rows[i / width]}) mean->add(value);
  }
  for (const Mean& column : columns) values.along_x.push_back(column.value());
  for (const Mean& row : rows) values.along_y.push_back(row.value());
  values.mean = all.value();
  if (all.count == 0) values.least = values.most = values.mean;
  Mean squares;  // around the mean: a sum of squares alone would lose the digits of a small deviation
  for (const float value : shares)
    if (std::isfinite(value)) squares.add((value - values.mean) * (value - values.mean));
  values.deviation = std::sqrt(squares.value());
  return values;
}

}  // namespace

RegionValues region_values(ImagePart part) {
  RegionValues values{.part = std::move(part)};
  values.channels = std::min(3, info(values.part.image.type).channels);
  for (int c = 0; c < values.channels; ++c) values.of[c] = values_of(values.part.image, c);
  return values;
}

std::optional<RegionDifference> region_difference(const RegionValues& a, const RegionValues& b) {
  const HostImage &of_a = a.part.image, &of_b = b.part.image;
  if (a.part.at != b.part.at || of_a.size != of_b.size || a.channels != b.channels) return std::nullopt;
  RegionDifference difference;
  Mean squares;
  for (int c = 0; c < a.channels; ++c) {
    const std::vector<float> left = shares_of(of_a, c), right = shares_of(of_b, c);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double apart = double{left[i]} - right[i];
      if (!std::isfinite(apart)) continue;
      difference.largest = std::max(difference.largest, std::fabs(apart));
      squares.add(apart * apart);
    }
  }
  if (squares.count == 0) return std::nullopt;
  difference.root_mean_square = std::sqrt(squares.value());
  return difference;
}

std::optional<ImagePart> part_of(const HostImage& image, Point2 at, Size2 size) {
  const Point2 from{std::max(at.x, 0), std::max(at.y, 0)};
  const Point2 to{std::min(at.x + size.width, image.size.width), std::min(at.y + size.height, image.size.height)};
  if (from.x >= to.x || from.y >= to.y) return std::nullopt;
  ImagePart part{from, HostImage(image.type, {to.x - from.x, to.y - from.y})};
  const std::size_t pixel = info(image.type).bytes, row = static_cast<std::size_t>(part.image.size.width) * pixel;
  for (int y = from.y; y < to.y; ++y)
    std::memcpy(part.image.bytes.data() + static_cast<std::size_t>(y - from.y) * row,
                image.bytes.data() + (static_cast<std::size_t>(y) * image.size.width + from.x) * pixel, row);
  return part;
}

}  // namespace conv
