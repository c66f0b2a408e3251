// How warps move pixels without waiting for each one. Included by kernel_api.h alone, once per target namespace.
namespace CONV_TARGET {

// One plane of an image as an image of one channel.
template <class Channel>
CONV_DEVICE PixelBuffer plane_of(PixelBuffer image, int plane) {
  image.data = static_cast<Channel*>(image.data) + static_cast<long long>(image.stride_px) * image.plane_rows * plane;
  return image;
}

// Where a pixel of an image is, or would be.
template <class Pixel>
CONV_DEVICE Pixel* pixel_of(const PixelBuffer& image, int x, int y) {
  return static_cast<Pixel*>(image.data) + y * image.stride_px + x;
}

// 4, 8 or 16 bytes go from global to shared memory at a stroke, on their own from sm_80 on.
template <int bytes>
constexpr bool is_async_size = bytes == 4 || bytes == 8 || bytes == 16;

#if !defined(CONV_ON_CPU)
// Of a pixel of the tile, as instructions name it.
template <class Pixel>
CONV_DEVICE unsigned shared_address(const SharedTile<Pixel>& tile, int x, int y) {
  return static_cast<unsigned>(__cvta_generic_to_shared(tile.data + y * tile.pitch + x));
}
#else
// Copies that are under way: done as late as the hardware may, each a write from its begin to its end.
template <class Pixel>
struct LateCopies {
  struct One {
    SharedTile<Pixel> tile;
    int x, y;
    Pixel value;
    int mark;  // what is waited for
  };
  std::vector<One> under_way = {};

  template <class Source>
  void begin(const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x, int source_y, int pixels,
             int mark) {
    for (int i = 0; i < pixels; ++i) {
      CONV_TRACE(global, read, source_x + i + source.origin_x, source_y + source.origin_y);
      tile.store(x + i, y, Pixel{});
      under_way.push_back({tile, x + i, y, source.at(source_x, source_y)[i], mark});
    }
  }
  // The oldest ones, as long as their mark is one of those.
  template <class IsDone>
  void finish(IsDone is_done) {
    auto left = under_way.begin();
    for (; left != under_way.end() && is_done(left->mark); ++left) left->tile.store(left->x, left->y, left->value);
    under_way.erase(under_way.begin(), left);
  }
};
#endif

// Copies of one thread into shared memory that go on while it works: what was committed is there for this thread once
// it has waited, for the others of its block after a barrier behind that. Before sm_80 a copy is done at once.
template <class Pixel>
struct AsyncCopies {
  // `pixels` of them side by side, from (source_x, source_y), which exist, to (x, y) of the tile; both aligned to all
  // of their bytes.
  template <int pixels, class Source>
  CONV_DEVICE void copy(const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x, int source_y) {
    constexpr int bytes = pixels * static_cast<int>(sizeof(Pixel));
    static_assert(is_async_size<bytes>);
#if defined(CONV_ON_CPU)
    late.begin(tile, x, y, source, source_x, source_y, pixels, groups);
#elif defined(__CUDA_ARCH__)
    const Pixel* from = source.at(source_x, source_y);
    const unsigned to = shared_address(tile, x, y);
#if __CUDA_ARCH__ >= 800
    if constexpr (bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(bytes) : "memory");
#else
    const auto* words = reinterpret_cast<const unsigned*>(from);
    for (int i = 0; i < bytes / 4; ++i)
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(to + 4 * i), "r"(words[i]) : "memory");
#endif
#endif
  }

  // All copies since the last one are a group from now on.
  CONV_DEVICE void commit() {
#if defined(CONV_ON_CPU)
    ++groups;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }

  // Until all groups but the last `still_under_way` are there.
  template <int still_under_way>
  CONV_DEVICE void wait() {
#if defined(CONV_ON_CPU)
    late.finish([&](int group) { return group < groups - still_under_way; });
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(still_under_way) : "memory");
#endif
  }

#if defined(CONV_ON_CPU)
  LateCopies<Pixel> late;
  int groups = 0;
#endif
};

// Whether BulkCopies are there: sm_90 on.
#if defined(CONV_ON_CPU) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
constexpr bool has_bulk_copies = true;
#else
constexpr bool has_bulk_copies = false;
#endif

// What the cache is told of the lines that are copied: that they will be read again, or that this was the last time.
enum class Reuse { unknown, soon, over };

// Whole rows by the copy engine of a multiprocessor: one thread asks for a row, the others have nothing to do with it.
// Rows belong to slots; a slot is there when as many bytes have come as are expected of it. Before sm_90 nothing works.
template <class Pixel, Reuse reuse = Reuse::unknown>
struct BulkCopies {
  SharedTile<unsigned long long> arrived;  // a barrier of the hardware for each slot

  // By one thread of the block; the others wait for it.
  CONV_DEVICE void begin([[maybe_unused]] int slots) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    for (int slot = 0; slot < slots; ++slot)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(slot)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  // By one thread, each time the slot is filled anew.
  CONV_DEVICE void expect([[maybe_unused]] int slot, [[maybe_unused]] int bytes) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier(slot)), "r"(bytes) : "memory");
#endif
  }

  // What threads have stored in a slot before stands before what comes by copies.
  CONV_DEVICE void after_stores() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

  // `pixels` side by side, from (source_x, source_y), which exist, to (x, y) of the tile; all in whole words of 16
  // bytes.
  template <class Source>
  CONV_DEVICE void copy(int slot, const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x,
                        int source_y, int pixels) {
#if defined(CONV_ON_CPU)
    late.begin(tile, x, y, source, source_x, source_y, pixels, slot);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const Pixel* from = source.at(source_x, source_y);
    const unsigned to = shared_address(tile, x, y), bytes = pixels * static_cast<int>(sizeof(Pixel));
    if constexpr (reuse == Reuse::unknown) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                   "l"(from), "r"(bytes), "r"(barrier(slot))
                   : "memory");
    } else {
      unsigned long long policy;
      if constexpr (reuse == Reuse::soon)
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
      else
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
          "%4;" ::"r"(to),
          "l"(from), "r"(bytes), "r"(barrier(slot)), "l"(policy)
          : "memory");
    }
#endif
  }

  // Until the slot is there, for the time-th time: 0, 1, 2.
  CONV_DEVICE void wait([[maybe_unused]] int slot, [[maybe_unused]] int time) {
#if defined(CONV_ON_CPU)
    late.finish([&](int of_slot) { return of_slot == slot; });
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (!done)
      asm volatile(
          "{\n"
          "  .reg .pred there;\n"
          "  mbarrier.try_wait.parity.shared::cta.b64 there, [%1], %2;\n"
          "  selp.u32 %0, 1, 0, there;\n"
          "}"
          : "=r"(done)
          : "r"(barrier(slot)), "r"(time & 1)
          : "memory");
#endif
  }

#if defined(CONV_ON_CPU)
  LateCopies<Pixel> late = {};
#elif defined(__CUDA_ARCH__)
  CONV_DEVICE unsigned barrier(int slot) const {
    return shared_address(arrived, slot, 0);
  }
#endif
};

// The widest word, of 16 bytes at most, that divides so many bytes.
template <int bytes>
struct WideWord {
  static constexpr int size = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
};

// `pixels` side by side, `count` at most, in words; the first one's place is a multiple of `aligned` pixels.
template <int aligned, int count, class Pixel>
CONV_DEVICE void load_run(const SharedTile<Pixel>& tile, int x, int y, int pixels, Pixel (&into)[count]) {
#if !defined(CONV_ON_CPU)
  constexpr int word = WideWord<aligned* static_cast<int>(sizeof(Pixel))>::size;
  if constexpr (word >= 4 && count * sizeof(Pixel) % word == 0) {
    struct alignas(word) Word {
      unsigned part[word / 4];
    };
    const auto* from = reinterpret_cast<const Word*>(tile.data + y * tile.pitch + x);
    union Run {
      CONV_DEVICE Run() {}
      Word words[count * sizeof(Pixel) / word];
      Pixel pixels[count];
    } run;
#pragma unroll
    for (int i = 0; i < static_cast<int>(count * sizeof(Pixel) / word); ++i)
      if (i * word < pixels * static_cast<int>(sizeof(Pixel))) run.words[i] = from[i];
#pragma unroll
    for (int i = 0; i < count; ++i) into[i] = run.pixels[i];
  } else
#endif
  {
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (i < pixels) into[i] = tile.load(x + i, y);
  }
}

// `count` pixels side by side, all of their bytes aligned together; they will not be read again soon.
template <int count, class Pixel>
CONV_DEVICE void store_run(Pixel* at, const Pixel (&pixels)[count]) {
  constexpr int bytes = count * static_cast<int>(sizeof(Pixel));
#if !defined(CONV_ON_CPU)
  if constexpr (bytes == 16)
    __stcs(reinterpret_cast<uint4*>(at), *reinterpret_cast<const uint4*>(pixels));
  else if constexpr (bytes == 8)
    __stcs(reinterpret_cast<uint2*>(at), *reinterpret_cast<const uint2*>(pixels));
  else if constexpr (bytes == 4)
    __stcs(reinterpret_cast<unsigned*>(at), *reinterpret_cast<const unsigned*>(pixels));
  else
#endif
  {
#pragma unroll
    for (int i = 0; i < count; ++i) at[i] = pixels[i];
  }
}

}  // namespace CONV_TARGET
