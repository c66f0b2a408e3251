// Building blocks of the host variants: whole rows as interleaved floats, so that the compiler can vectorise along x.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/api/conv_args.h"
#include "kernels/core/image.h"

namespace conv {

namespace cpu_rows {

// The index of the source row or column that replaces i, or -1 if the border's value does. Works at any distance
// outside.
inline int source_index(int i, int n, Border border) {
  if (i >= 0 && i < n) return i;
  const auto folded = [n](int at, int period) {  // back and forth along a line of n
    at = (at % period + period) % period;
    return at < n ? at : period - (period == 2 * n ? 1 : 0) - at;
  };
  switch (border) {
    case Border::replicate: return i < 0 ? 0 : n - 1;
    case Border::mirror: return n == 1 ? 0 : folded(i, 2 * n - 2);
    case Border::symmetric: return folded(i, 2 * n);
    case Border::wrap: return (i % n + n) % n;
    case Border::blog_mirror: {
      int at = i;
      while (at < 0 || at >= n) at = at < 0 ? -at : 2 * n - 1 - at;
      return at;
    }
    default: return -1;
  }
}

// Floats per pixel of a row: those of the type.
template <class Storage>
constexpr int channels = PixelTraits<Storage>::channels;

template <class Pixel>
void widen(const Pixel& p, float* to) {
  if constexpr (requires { p.r; }) {
    to[0] = to_float(p.r);
    to[1] = to_float(p.g);
    to[2] = to_float(p.b);
    if constexpr (requires { p.a; }) to[3] = to_float(p.a);
  } else {
    *to = to_float(p);
  }
}

template <class Storage>
Pixels<Storage> row_of(const PixelBuffer& image, int y) {
  return {image, y * image.stride_px};
}

// Row y of the source as floats, `count` pixels from column `first`; the row and the columns may be outside.
template <class Pixel>
void padded_row(const ConvArgs& args, int y, int first, int count, float* to) {
  constexpr int n = channels<Pixel>;
  const int width = args.source.width, from = source_index(y, args.source.height, args.border);
  if (from < 0) {
    std::fill(to, to + static_cast<std::ptrdiff_t>(count) * n, args.outside);
    return;
  }
  const auto row = row_of<Pixel>(args.source, from);
  const auto border_pixels = [&](int x, int end) {
    for (; x < end; ++x, to += n) {
      const int column = source_index(x, width, args.border);
      if (column < 0)
        std::fill(to, to + n, args.outside);
      else
        widen(row.read(column), to);
    }
  };
  const int inside = std::clamp(0, first, first + count), end = std::clamp(width, inside, first + count);
  border_pixels(first, inside);
  for (int x = inside; x < end; ++x, to += n) widen(row.read(x), to);
  border_pixels(end, first + count);
}

// sum[i] += tap * from[i]: the inner loop.
inline void add_weighted(float* __restrict sum, const float* __restrict from, float tap, int count) {
  for (int i = 0; i < count; ++i) sum[i] += tap * from[i];
}

// Adds the offset, copies alpha from the source row, and stores.
template <class Source, class Target>
void finish_row(const ConvArgs& args, int y, const float* sum) {
  constexpr int n = channels<Source>;
  const auto target = row_of<Target>(args.target, y);
  const auto centre = row_of<Source>(args.source, y + args.origin_y);
  for (int x = 0; x < args.target.width; ++x, sum += n) {
    typename PixelTraits<Source>::Sum total;
    if constexpr (n == 1)
      total = *sum;
    else
      total = {sum[0], sum[1], sum[2]};
    target.write(x, PixelTraits<Target>::finished(total, args.offset, centre.read(x + args.origin_x)));
  }
}

// Calls run.operator()<Source, Target>() for a pair of types that a plan can have.
template <class Run>
void for_pair(PixelType source, PixelType target, Run run) {
  for_pixel(source, [&]<class Source> {
    for_pixel(target, [&]<class Target> {
      constexpr bool through_scratch = std::is_same_v<Target, ScratchOf<Source>> ||
                                       std::is_same_v<Source, ScratchOf<Target>> || std::is_same_v<Source, Target>;
      if constexpr (through_scratch && std::is_same_v<ScratchOf<Source>, ScratchOf<Target>>)
        run.template operator()<Source, Target>();
    });
  });
}

}  // namespace cpu_rows

}  // namespace conv
