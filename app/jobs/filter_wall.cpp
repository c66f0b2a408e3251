#include "app/jobs/filter_wall.h"

#include <algorithm>
#include <numeric>

#include "kernels/core/registry.h"
#include "kernels/cpu/cpu_executor.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

namespace {

// The middle of the picture at this size; every pixel is the mean of 4x4 samples.
HostImage reduced(const Picture& picture, Size2 size) {
  const double scale = std::min(static_cast<double>(picture.size.width) / size.width,
                                static_cast<double>(picture.size.height) / size.height);
  const double left = (picture.size.width - scale * size.width) / 2,
               top = (picture.size.height - scale * size.height) / 2;
  const auto place = [](double at, int n) { return std::clamp(static_cast<int>(at), 0, n - 1); };
  HostImage image(PixelType::rgba8, size);
  constexpr int places = 4;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      std::array<int, 3> sum{};
      for (int i = 0; i < places * places; ++i) {
        const double dx = (i % places + 0.5) / places, dy = (i / places + 0.5) / places;
        const auto levels = levels_at(picture, {place(left + scale * (x + dx), picture.size.width),
                                                place(top + scale * (y + dy), picture.size.height)});
        for (int c = 0; c < 3; ++c) sum[c] += levels[c];
      }
      const auto mean = [&](int c) { return static_cast<unsigned char>(sum[c] / (places * places)); };
      image.pixels<Rgba8>()[y * size.width + x] = {mean(0), mean(1), mean(2), 255};
    }
  return image;
}

}  // namespace

FilterWall::Images FilterWall::computed(const Picture& picture, const FilterSpec& filter) {
  const HostImage source = reduced(picture, size);
  CpuExecutor executor(1);
  Images images;
  for (const FilterInfo& row : filters) {
    FilterSpec one = filter;
    choose_kind(one, row.kind);
    one.radius = std::min(one.radius, 4);
    one.sigma = std::min(one.sigma, 2.0);
    Result<Taps> taps = taps_of(one);
    if (!taps) continue;
    // Filters that do not preserve brightness are shown around grey, with a strength that avoids all black or all
    // white.
    const double sum = std::accumulate(taps->values.begin(), taps->values.end(), 0.0);
    if (taps->chain.empty() && sum < 0.5) {
      double magnitude = 0;
      for (const float tap : taps->values) magnitude += std::abs(tap);
      for (float& tap : taps->values) tap /= static_cast<float>(std::max(1.0, magnitude / 4));
      taps->offset = 0.5;
    }
    const auto plan = plan_job(*find_variant("cpu_direct"), size,
                               {.taps = std::make_shared<const Taps>(std::move(*taps)), .format = source.type}, {});
    HostImage result(source.type, size);
    if (plan && executor.run(*plan, source, result)) images[static_cast<std::size_t>(row.kind)] = std::move(result);
  }
  return images;
}

void FilterWall::update(const std::shared_ptr<const Picture>& picture, const FilterSpec& filter) {
  if (picture) worker_.start({picture, filter});
  const std::shared_ptr<const Images> images = worker_.answer();
  if (images == shown_) return;
  shown_ = images;
  for (std::size_t i = 0; i < images->size(); ++i) {
    const HostImage& image = (*images)[i];
    GLuint name = 0;
    if (!image.bytes.empty()) {
      glGenTextures(1, &name);
      glBindTexture(GL_TEXTURE_2D, name);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                   image.bytes.data());
    }
    textures_[i] = GlTexture(name);
  }
}

std::array<unsigned, filters.size()> FilterWall::textures() const {
  std::array<unsigned, filters.size()> names{};
  std::transform(textures_.begin(), textures_.end(), names.begin(), [](const GlTexture& t) { return t.name(); });
  return names;
}

}  // namespace conv
