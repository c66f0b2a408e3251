// Copies from global to shared memory that run while the threads continue. Included by kernel_api.h alone, once per
// target namespace.
namespace CONV_TARGET {

// One plane of an image as an image of one channel.
template <class Channel>
CONV_DEVICE PixelBuffer plane_of(PixelBuffer image, int plane) {
  image.data = static_cast<Channel*>(image.data) + static_cast<long long>(image.stride_px) * image.plane_rows * plane;
  return image;
}

// The address of a pixel, or where it would be if it is outside the image.
template <class Pixel>
CONV_DEVICE Pixel* pixel_of(const PixelBuffer& image, int x, int y) {
  return static_cast<Pixel*>(image.data) + y * image.stride_px + x;
}

// Sizes of one asynchronous copy from global to shared memory; sm_80 and newer have it in hardware.
template <int bytes>
constexpr bool is_async_size = bytes == 4 || bytes == 8 || bytes == 16;

#if !defined(CONV_ON_CPU)
// The 32-bit shared address of a pixel of the tile, as PTX instructions need it.
template <class Pixel>
CONV_DEVICE unsigned shared_address(const SharedTile<Pixel>& tile, int x, int y) {
  return static_cast<unsigned>(__cvta_generic_to_shared(tile.data + y * tile.pitch + x));
}
#else
// Copies in flight. They finish as late as the hardware allows; each counts as a write from its start to its end.
template <class Pixel>
struct LateCopies {
  struct One {
    SharedTile<Pixel> tile;
    int x, y;
    Pixel value;
    int mark;  // the group or slot that a thread waits for
  };
  std::vector<One> under_way = {};

  template <class Source>
  void begin(const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x, int source_y, int pixels,
             int mark) {
    for (int i = 0; i < pixels; ++i) {
      if (!CONV_PIXEL_ALLOWED(read, conv_cpu::whole_pixel<Pixel>, source_x + i + source.origin_x,
                              source_y + source.origin_y, source.width, source.height))
        continue;
      tile.store(x + i, y, Pixel{});
      const Pixel value = source.at(source_x, source_y)[i];
      const conv_cpu::InExecutor finishes;
      under_way.push_back({tile, x + i, y, value, mark});
    }
  }
  // Finishes the oldest copies while is_done(mark) is true.
  template <class IsDone>
  void finish(IsDone is_done) {
    CONV_TRANSFER(arrival, 0);
    auto left = under_way.begin();
    for (; left != under_way.end() && is_done(left->mark); ++left) left->tile.store(left->x, left->y, left->value);
    const conv_cpu::InExecutor finishes;
    under_way.erase(under_way.begin(), left);
  }
};
#endif

// Asynchronous copies of one thread into shared memory. This thread sees the pixels after wait(); the other threads of
// the block see them after a barrier that follows. Before sm_80 a copy is synchronous.
template <class Pixel>
struct AsyncCopies {
  // Copies `pixels` adjacent pixels from (source_x, source_y), which must be inside the image, to (x, y) of the tile.
  // Both addresses are aligned to the size of the copy.
  template <int pixels, class Source>
  CONV_DEVICE void copy(const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x, int source_y) {
    constexpr int bytes = pixels * static_cast<int>(sizeof(Pixel));
    static_assert(is_async_size<bytes>);
#if defined(CONV_ON_CPU)
    CONV_TRANSFER(async_copy, bytes);
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

  // Puts all copies since the last commit into one group.
  CONV_DEVICE void commit() {
#if defined(CONV_ON_CPU)
    ++groups;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }

  // Waits until all groups but the last `still_under_way` have arrived.
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

// BulkCopies need sm_90 or newer.
#if defined(CONV_ON_CPU) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
inline constexpr bool has_bulk_copies = true;
#else
inline constexpr bool has_bulk_copies = false;
#endif

// A hint to the L2 cache: the copied lines will be read again soon, or this was the last time.
enum class Reuse { unknown, soon, over };

// Whole rows, copied by the copy engine of the multiprocessor (TMA): one thread starts a copy, the others do nothing.
// Each row belongs to a slot. A slot has arrived when the expected number of bytes has been copied. Needs sm_90.
template <class Pixel, Reuse reuse = Reuse::unknown>
struct BulkCopies {
  SharedTile<unsigned long long> arrived;  // one hardware barrier per slot

  // Called by one thread of the block; a block barrier must follow.
  CONV_DEVICE void begin([[maybe_unused]] int slots) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    for (int slot = 0; slot < slots; ++slot)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier(slot)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
  }

  // Called by one thread each time the slot is filled again.
  CONV_DEVICE void expect([[maybe_unused]] int slot, [[maybe_unused]] int bytes) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier(slot)), "r"(bytes) : "memory");
#endif
  }

  // Orders what threads stored in a slot before the copies that follow.
  CONV_DEVICE void after_stores() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

  // Copies `pixels` adjacent pixels from (source_x, source_y), which must be inside the image, to (x, y) of the tile,
  // in whole 16-byte words.
  template <class Source>
  CONV_DEVICE void copy(int slot, const SharedTile<Pixel>& tile, int x, int y, const Source& source, int source_x,
                        int source_y, int pixels) {
#if defined(CONV_ON_CPU)
    CONV_TRANSFER(bulk_copy, conv_cpu::whole_row);
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

  // Waits until the slot has arrived for the time-th time: 0, 1, 2.
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

// The widest word, at most 16 bytes, whose size divides `bytes`.
template <int bytes>
struct WideWord {
  static constexpr int size = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1;
};

// Loads `pixels` adjacent pixels, at most `count`, as words. The first pixel's index is a multiple of `aligned`.
template <int aligned, int count, class Pixel>
CONV_DEVICE void load_run(const SharedTile<Pixel>& tile, int x, int y, int pixels, Pixel (&into)[count]) {
  constexpr int word = WideWord<aligned* static_cast<int>(sizeof(Pixel))>::size;
  [[maybe_unused]] constexpr bool in_words = word >= 4 && count * sizeof(Pixel) % word == 0;
  CONV_TRANSFER(thread, in_words ? word : 0);
#if !defined(CONV_ON_CPU)
  if constexpr (in_words) {
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

// Stores `count` adjacent pixels, aligned to their size. They will not be read again soon.
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
