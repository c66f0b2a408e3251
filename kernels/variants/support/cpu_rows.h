// Building blocks of the host variants: parts of rows as interleaved floats, for the vectors of cpu_simd.h.
#pragma once
#include <algorithm>
#include <vector>

#include "kernels/api/conv_args.h"
#include "kernels/core/image.h"
#include "kernels/variants/support/cpu_simd.h"

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

// Whether pixels of this type are interleaved channels of that type.
template <class Storage, class Channel>
constexpr bool holds = std::is_same_v<typename Pixels<Storage>::Pixel, Storage>&&
    std::is_same_v<typename PixelTraits<Storage>::Channel, Channel>;

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
  if constexpr (holds<Pixel, unsigned char>) {
    levels_to_floats(reinterpret_cast<const unsigned char*>(row.first + inside), to, (end - inside) * n);
    to += static_cast<std::ptrdiff_t>(end - inside) * n;
  } else {
    for (int x = inside; x < end; ++x, to += n) widen(row.read(x), to);
  }
  border_pixels(end, first + count);
}

// The `count` pixels from column `first` as padded_row writes them, without a copy: null if they are not floats in
// memory, or if some are outside.
template <class Pixel>
const float* row_in_memory(const ConvArgs& args, int y, int first, int count) {
  if constexpr (holds<Pixel, float>)
    if (y >= 0 && y < args.source.height && first >= 0 && first + count <= args.source.width)
      return reinterpret_cast<const float*>(row_of<Pixel>(args.source, y).first + first);
  return nullptr;
}

// Adds the offset, copies alpha from the source row, and stores `count` pixels from column `left`, one by one.
template <class Source, class Target>
void finish_pixels(const ConvArgs& args, int y, int left, int count, const float* sum) {
  constexpr int n = channels<Source>;
  const auto target = row_of<Target>(args.target, y);
  const auto centre = row_of<Source>(args.source, y + args.origin_y);
  for (int x = left; x < left + count; ++x, sum += n) {
    typename PixelTraits<Source>::Sum total;
    if constexpr (n == 1)
      total = *sum;
    else
      total = {sum[0], sum[1], sum[2]};
    target.write(x, PixelTraits<Target>::finished(total, args.offset, centre.read(x + args.origin_x)));
  }
}

// The same in vectors, for types that allow it.
template <class Source, class Target>
void finish_row(const ConvArgs& args, int y, int left, int count, const float* sum) {
  constexpr int n = channels<Source>;
  constexpr bool to_levels = holds<Target, unsigned char> && channels<Target> == n;
  [[maybe_unused]] const auto target = row_of<Target>(args.target, y);
  if constexpr (to_levels && n != 4) {
    floats_to_levels(sum, args.offset, reinterpret_cast<unsigned char*>(target.first + left), count * n);
  } else if constexpr (to_levels && holds<Source, unsigned char>) {
    const auto centre = row_of<Source>(args.source, y + args.origin_y);
    floats_to_rgba(sum, args.offset, reinterpret_cast<const unsigned char*>(centre.first + left + args.origin_x),
                   reinterpret_cast<unsigned char*>(target.first + left), count * n);
  } else if constexpr (holds<Target, float> && channels<Target> == n && n != 4) {
    auto* to = reinterpret_cast<float*>(target.first + left);
    for (int i = 0; i < count * n; ++i) to[i] = sum[i] + args.offset;
  } else {
    finish_pixels<Source, Target>(args, y, left, count, sum);
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
