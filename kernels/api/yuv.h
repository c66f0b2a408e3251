// Pixels as cameras and decoders deliver them: a luma per pixel and two colour differences (u for blue, v for red) that
// neighbours share. No standard header: kernels and the host convert them to RGB with the same function.
#pragma once
#include "kernels/api/conv_args.h"

// The layout of the bytes. Every pair of pixels in a row has two differences, even if the last pair lacks a pixel.
enum class YuvOrder : int {
  planes_420,  // rows of luma; then, for every two of them, one row of differences: first all u, then all v
  pairs_420,   // the same with u and v alternating (NV12)
  planes_422,  // rows of luma; then, for each of them, one row of differences: first all u, then all v
  woven_422    // luma, u, luma, v (YUYV): rows are twice as long
};

// red = luma * (y - luma_zero) + red_v * (v - 128), and so on, in levels. All factors but luma_zero are multiples of
// 2^-11, so that floats hold every product and sum below exactly and all processors get the same levels.
struct YuvMatrix {
  float luma_zero, luma, red_v, green_u, green_v, blue_u;
};

struct YuvFormat {
  YuvOrder order = YuvOrder::planes_420;
  YuvMatrix matrix{};
  bool mirrored = false;  // shown with left and right swapped
};

// The colour differences of a pixel, relative to the middle of their range.
struct YuvDifferences {
  float u, v;
};

// `column`: of the pair. `row`: of the differences, which begin `above` rows down. Both are inside the image.
template <YuvOrder order>
CONV_ANY_PROCESSOR YuvDifferences differences_at(const PixelBuffer& rows, int above, int column, int row) {
  const unsigned char* at = static_cast<const unsigned char*>(rows.data) + (above + row) * rows.stride_px;
  if constexpr (order == YuvOrder::woven_422) return {at[4 * column + 1] - 128.0f, at[4 * column + 3] - 128.0f};
  if constexpr (order == YuvOrder::pairs_420) return {at[2 * column] - 128.0f, at[2 * column + 1] - 128.0f};
  const int pairs = rows.width / 2;  // a row has all its u first, then all its v
  return {at[column] - 128.0f, at[pairs + column] - 128.0f};
}

// As to_level, for values that fit into an int. No branch: the host would mispredict it at saturated colours.
CONV_ANY_PROCESSOR unsigned char whole_level(float v) {
  const int nearest = static_cast<int>(v + 0.5f);  // NOLINT(bugprone-incorrect-roundings): below 0 is clipped
  return static_cast<unsigned char>(nearest < 0 ? 0 : nearest > 255 ? 255 : nearest);
}

// Pixel (x, y) of an image of this height with the bytes `rows`. The two pixels of a pair share one colour. If two rows
// share their colours, the colour is mixed 3 to 1 with the next nearest row, because it was sampled midway between the
// rows.
template <YuvOrder order>
CONV_ANY_PROCESSOR Rgba8 yuv_pixel(const PixelBuffer& rows, int height, int x, int y, const YuvMatrix& matrix) {
  const unsigned char* lumas = static_cast<const unsigned char*>(rows.data) + y * rows.stride_px;
  const float luma = matrix.luma * (lumas[order == YuvOrder::woven_422 ? 2 * x : x] - matrix.luma_zero);
  YuvDifferences by;
  if constexpr (order == YuvOrder::woven_422 || order == YuvOrder::planes_422) {
    by = differences_at<order>(rows, order == YuvOrder::planes_422 ? height : 0, x / 2, y);
  } else {
    const int last = (height + 1) / 2 - 1, row = y / 2, next = y % 2 == 0 ? row - 1 : row + 1;
    const YuvDifferences near = differences_at<order>(rows, height, x / 2, row);
    const YuvDifferences far = differences_at<order>(rows, height, x / 2, next < 0 ? 0 : next > last ? last : next);
    by = {near.u * 0.75f + far.u * 0.25f, near.v * 0.75f + far.v * 0.25f};
  }
  return {whole_level(luma + matrix.red_v * by.v), whole_level(luma + matrix.green_u * by.u + matrix.green_v * by.v),
          whole_level(luma + matrix.blue_u * by.u), 255};
}

// Calls make.operator()<order>().
template <class Make>
CONV_ANY_PROCESSOR auto for_order(YuvOrder order, Make make) {
  switch (order) {
    case YuvOrder::planes_420: return make.template operator()<YuvOrder::planes_420>();
    case YuvOrder::pairs_420: return make.template operator()<YuvOrder::pairs_420>();
    case YuvOrder::planes_422: return make.template operator()<YuvOrder::planes_422>();
    default: return make.template operator()<YuvOrder::woven_422>();
  }
}
