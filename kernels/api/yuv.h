// Pixels as cameras and decoders give them: a luma each, and two colour differences (u of blue, v of red) that
// neighbours share. No standard header: kernels and the host make red, green and blue of them by the same function.
#pragma once
#include "kernels/api/conv_args.h"

// How the bytes lie. Two for each pair of pixels make a row, also where the last pair lacks a pixel.
enum class YuvOrder : int {
  planes_420,  // rows of luma; then for every two of them one of differences, whose first half is u, the second v
  pairs_420,   // the same with u and v in turns (NV12)
  planes_422,  // rows of luma; then one of differences, halved, for each of them
  woven_422    // luma, u, luma, v (YUYV): rows twice as long, and no others
};

// red = luma * (y - luma_zero) + red_v * (v - 128), and so on, in levels. All but luma_zero are multiples of 2^-11:
// with them floats hold every product and sum below without rounding, so that all processors make the same levels.
struct YuvMatrix {
  float luma_zero, luma, red_v, green_u, green_v, blue_u;
};

struct YuvFormat {
  YuvOrder order = YuvOrder::planes_420;
  YuvMatrix matrix{};
  bool mirrored = false;  // shown with left and right exchanged
};

// The differences of a pixel, from the middle of their range.
struct YuvDifferences {
  float u, v;
};

// `column`: of the pair. `row`: of differences, which begin `above` rows down; both exist.
template <YuvOrder order>
CONV_ANY_PROCESSOR YuvDifferences differences_at(const PixelBuffer& rows, int above, int column, int row) {
  const unsigned char* at = static_cast<const unsigned char*>(rows.data) + (above + row) * rows.stride_px;
  if constexpr (order == YuvOrder::woven_422) return {at[4 * column + 1] - 128.0f, at[4 * column + 3] - 128.0f};
  if constexpr (order == YuvOrder::pairs_420) return {at[2 * column] - 128.0f, at[2 * column + 1] - 128.0f};
  return {at[column] - 128.0f, at[rows.width / 2 + column] - 128.0f};
}

// As to_level, of values that an int holds: without a branch, which the host would guess wrong at saturated colours.
CONV_ANY_PROCESSOR unsigned char whole_level(float v) {
  const int nearest = static_cast<int>(v + 0.5f);
  return static_cast<unsigned char>(nearest < 0 ? 0 : nearest > 255 ? 255 : nearest);
}

// Pixel (x, y) of an image of this height whose bytes are `rows`. The two pixels of a pair have one colour; where two
// rows share theirs it is mixed with the next nearest by 3 to 1, which is where it was taken: midway between the rows.
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
