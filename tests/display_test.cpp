// Pictures in textures, as they are drawn, measured and read back. Needs a display, and no GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/display/display_texture.h"
#include "app/display/histogram_pass.h"
#include "app/display/image_renderer.h"
#include "app/display/metrics_pass.h"
#include "app/platform/window.h"
#include "kernels/gpu/device_order.h"
#include "support.h"

namespace conv {

namespace {

constexpr Size2 window_size{96, 80};

class DisplayTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto window = AppWindow::create(window_size, "display_test", false);
    ASSERT_TRUE(window) << window.error().text;
    window_ = window->release();
  }
  // Never closed: leaks.txt cannot name a driver that is unloaded at the end.
  static inline AppWindow* window_ = nullptr;
};

// A picture in textures whose sides are at most this long.
struct Shown {
  explicit Shown(int largest_side, const HostImage& image) : pool(largest_side), texture(pool, false) {
    EXPECT_TRUE(texture.upload(image));
  }
  TexturePool pool;
  DisplayTexture texture;
};

std::string drawn(const DisplayTexture& texture, float zoom, const DisplayTexture* other = nullptr) {
  const auto renderer = ImageRenderer::create();
  EXPECT_TRUE(renderer);
  glViewport(0, 0, window_size.width, window_size.height);
  glClear(GL_COLOR_BUFFER_BIT);
  const ImageDraw draw{.picture = texture.tiled(),
                       .grey = info(texture.type()).channels == 1,
                       .area = {0, 0, window_size.width, window_size.height},
                       .origin_x = 3,
                       .origin_y = 2,
                       .zoom = zoom};
  if (other)
    renderer->draw_difference(draw, {.other = other->tiled(), .maps = 0, .settings = {}, .hatch = {1, 0, 0}},
                              window_size);
  else
    renderer->draw(draw, window_size);
  return read_framebuffer(window_size);
}

// Runs the pass until it has a result.
template <class Pass, class Job>
void finish(Pass& pass, const Job& job) {
  for (int i = 0; i < 1000; ++i) {
    pass.advance(job, 4);
    glFinish();
  }
}

TEST_F(DisplayTest, APictureLargerThanATextureIsTheSameInTiles) {
  for (const PixelType type : {PixelType::gray8, PixelType::rgba8, PixelType::f32, PixelType::rgba32f}) {
    SCOPED_TRACE(info(type).title);
    const HostImage image = noise_image({71, 53}, type);
    const Shown whole(0, image), tiles(20, image);
    EXPECT_EQ(whole.texture.tiled().tiling.count(), 1);
    EXPECT_EQ(tiles.texture.tiled().tiling.count(), 12);
    EXPECT_EQ(tiles.texture.size(), image.size);
    EXPECT_EQ(tiles.texture.download().bytes, image.bytes);
    for (const float zoom : {0.3f, 1.0f, 2.5f}) EXPECT_EQ(drawn(tiles.texture, zoom), drawn(whole.texture, zoom));
  }
}

TEST_F(DisplayTest, ARegionOfTilesIsReadInOnePiece) {
  const HostImage image = noise_image({71, 53}, PixelType::rgba8);
  const Shown tiles(20, image);
  PixelProbe probe;
  const Point2 at{15, 16};
  const Size2 size{40, 30};
  probe.request(tiles.texture.tiled(), image.type, at, size);
  glFinish();
  const auto part = probe.poll();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->at, at);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      for (int c = 0; c < 4; ++c)
        ASSERT_EQ(part->image.channel(y * size.width + x, c),
                  image.channel((y + at.y) * image.size.width + x + at.x, c))
            << x << " " << y;
}

TEST_F(DisplayTest, TilesAreMeasuredAsOnePicture) {
  const HostImage image = noise_image({71, 53}, PixelType::f32);
  HostImage second = image;
  for (int i = 0; i < 71 * 53; ++i) second.pixels<float>()[i] = image.pixels<float>()[71 * 53 - 1 - i];
  ImageMetrics metrics[2];
  Histogram histograms[2];
  for (const int tiled : {0, 1}) {
    const Shown a(tiled ? 20 : 0, image), b(tiled ? 20 : 0, second);
    const MetricsJob job{.a = a.texture.tiled(), .b = b.texture.tiled(), .channels = 1};
    auto pass = MetricsPass::create();
    finish(*pass, job);
    ASSERT_TRUE(pass->result(job));
    metrics[tiled] = *pass->result(job);
    auto counts = HistogramPass::create();
    finish(*counts, HistogramJob{.picture = a.texture.tiled(), .channels = 1});
    ASSERT_TRUE(counts->result());
    histograms[tiled] = *counts->result();
  }
  EXPECT_GT(metrics[0].max_abs, 0.9);
  EXPECT_EQ(metrics[1].where, metrics[0].where);
  EXPECT_EQ(metrics[1].mean_square, metrics[0].mean_square);
  EXPECT_EQ(metrics[1].similarity, metrics[0].similarity);
  EXPECT_EQ(histograms[1].bins, histograms[0].bins);
}

TEST_F(DisplayTest, CountsTheFloatsBetweenTwoPictures) {
  HostImage image(PixelType::f32, {9, 2}), other = image;
  for (HostImage* picture : {&image, &other}) std::fill_n(picture->pixels<float>(), 18, 1.0f);
  const auto ulps = [&](float a, float b) {
    image.pixels<float>()[17] = a;
    other.pixels<float>()[17] = b;
    const Shown one(0, image), two(0, other);
    const MetricsJob job{.a = one.texture.tiled(), .b = two.texture.tiled(), .channels = 1};
    auto pass = MetricsPass::create();
    finish(*pass, job);
    return pass->result(job)->max_ulp;
  };
  EXPECT_EQ(ulps(1.0f, 1.0f), 0);
  EXPECT_EQ(ulps(1.0f, std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f)), 2);
  EXPECT_EQ(ulps(std::nextafter(1.0f, 0.0f), std::nextafter(1.0f, 2.0f)), 2);
  EXPECT_EQ(ulps(-0.5f, std::nextafter(-0.5f, -1.0f)), 1);
  EXPECT_EQ(ulps(0.0f, -0.0f), 0);
  EXPECT_EQ(ulps(1e-38f, -1e-38f), 2ll * std::bit_cast<int>(1e-38f));
}

TEST_F(DisplayTest, WhatTheDriverCannotHoldIsSaidInWords) {
  TexturePool pool;
  const auto texture = pool.take(PixelType::rgba32f, {1 << 14, 1 << 20});
  ASSERT_FALSE(texture);
  EXPECT_THAT(texture.error().text, testing::HasSubstr("cannot hold 16384x1048576 pixels"));
  EXPECT_TRUE(pool.take(PixelType::rgba32f, {16, 16}));
}

TEST(Tiling, DividesOnlyWhatIsTooLarge) {
  EXPECT_EQ(tiling_of({1920, 1080}, 16384), (Tiling{{1920, 1080}, {1920, 1080}}));
  EXPECT_EQ(tiling_of({70000, 100}, 16384), (Tiling{{70000, 100}, {14000, 100}}));
  EXPECT_EQ(tiling_of({16385, 16384}, 16384).count(), 2);
}

// OpenGL counts bytes in 32 bits.
TEST(Tiling, ReadsAndWritesAtMost256MegabytesAtOnce) {
  const Tiling tiling = tiling_of({16384, 16384}, 16384);
  long long pixels = 0;
  for (const TilePart& part : parts_of(tiling, PixelType::rgba32f, {}, tiling.size)) {
    EXPECT_LE(part.size.area() * 16, 256 << 20);
    pixels += part.size.area();
  }
  EXPECT_EQ(pixels, tiling.size.area());
  const Tiling line = tiling_of({1 << 28, 1}, 1 << 14);
  EXPECT_EQ(parts_of(line, PixelType::rgba32f, {}, line.size).size(), std::size_t{1} << 14);
}

// CUDA counts the fastest GPU first; OpenGL may draw with another one.
TEST(Gpus, ThatOfTheWindowComesFirstAndNoneIsLost) {
  EXPECT_EQ(order_with_first("GPU-b", {"GPU-a", "GPU-b", "GPU-c"}), "GPU-b,GPU-a,GPU-c");
  EXPECT_EQ(order_with_first("GPU-a", {"GPU-a", "GPU-b"}), "GPU-a,GPU-b") << "CUDA may count them in another order";
  EXPECT_EQ(order_with_first("GPU-a", {"GPU-a"}), "");
  EXPECT_EQ(order_with_first("GPU-of-no-NVIDIA", {"GPU-a", "GPU-b"}), "");
}

TEST(Interop, TheAdviceKnowsWhereTheWindowIs) {
  EXPECT_THAT(std::string(interop_advice("NVIDIA Corporation", "NVIDIA GeForce RTX 4070/PCIe/SSE2")),
              testing::HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(std::string(interop_advice("Intel", "Mesa Intel(R) UHD Graphics 770")), testing::HasSubstr("PRIME"));
  EXPECT_THAT(std::string(interop_advice("Microsoft Corporation", "D3D12 (NVIDIA GeForce RTX 3060)")),
              testing::HasSubstr("WSL2"));
}

}  // namespace

}  // namespace conv
