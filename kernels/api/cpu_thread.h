// CUDA's built-in variables and functions for the CPU executor: a thread is a fiber, and a barrier switches to the
// other threads of the block.
#pragma once
#include "kernels/api/conv_args.h"

namespace conv_cpu {

struct Index3 {
  unsigned x, y, z;  // as in CUDA: threadIdx.x - 1 is never negative
};
struct ThreadIndex {
  Index3 thread, block, block_dim, grid_dim;
};
enum class Space : unsigned char { global, shared, taps };
enum class Access : unsigned char { read, write };

extern constinit thread_local ThreadIndex* current_thread;

// The for loops that a thread is in, from the outermost: the line of each, and how often its body has begun.
struct Loops {
  static constexpr int most = 12;
  struct Level {
    int line, count;
  };
  Level levels[most] = {};
  int depth = 0;  // may be more than `most`; then the innermost are not counted
  // How often the body of each loop has begun in all, by the loop's line; further loops are not counted.
  static constexpr int most_lines = 16;
  Level runs[most_lines] = {};
};
extern constinit thread_local Loops* current_loops;

// One run of the body of a for loop. Lanes of a warp make the same run together, also if some of them have left out
// others or do nothing in it.
class Iteration {
 public:
  explicit constexpr Iteration(int line = __builtin_LINE()) {
    if (__builtin_is_constant_evaluated()) return;
    Loops& loops = *current_loops;
    if (loops.depth < Loops::most) {
      Loops::Level& level = loops.levels[loops.depth];
      level = {line, level.line == line ? level.count + 1 : 1};
    }
    if (++loops.depth < Loops::most) loops.levels[loops.depth] = {};
    for (Loops::Level& run : loops.runs)
      if (run.line == line || run.line == 0) {
        run = {line, run.count + 1};
        break;
      }
  }
  constexpr ~Iteration() {
    if (!__builtin_is_constant_evaluated()) --current_loops->depth;
  }
  Iteration(const Iteration&) = delete;
};

void block_barrier();
void warp_barrier();
// What the threads of a warp do together with their registers, and no memory.
enum class Exchange { shuffle, matrix_product };
// Waits until all 32 threads of the warp have called it with the same number of bytes, at most 64, and returns the data
// of all threads in order. The data stay valid until this thread's next exchange. instructions: that a GPU needs for
// it; a shuffle moves 4 bytes.
const void* exchange(const void* mine, int bytes, Exchange kind = Exchange::shuffle, int instructions = 1);
// This thread's numbers of a left and of a right matrix, as the lanes of a warp hold them: see matrix_product.h.
struct MatrixParts {
  float left[4][2], right[2][2];
};
// Adds this thread's numbers of left * right to the sum. All threads of the warp call it together.
void add_matrix_product(const MatrixParts& mine, int lane, float (&sum)[4]);
void* shared_memory();
// The line of the kernel that accesses memory. The file is as the compiler was given it.
struct CallSite {
  const char* file;
  int line;
  static constexpr CallSite here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// Which bytes of a pixel are accessed. Planes: each has its share of the bytes.
struct PixelPart {
  int pixel_bytes, first, bytes, planes;
};
template <class Storage>
constexpr PixelPart whole_pixel{sizeof(typename Pixels<Storage>::Pixel), 0, sizeof(typename Pixels<Storage>::Pixel), 1};
template <class Type>
constexpr PixelPart whole_pixel<Planar<Type>>{sizeof(Type), 0, sizeof(Type), PixelTraits<Type>::channels};
template <class Storage>
constexpr PixelPart channel_of_pixel(int channel) {
  constexpr int bytes = sizeof(typename PixelTraits<Storage>::Channel);
  return {whole_pixel<Storage>.bytes, channel * bytes, bytes, whole_pixel<Storage>.planes};
}

// The index of a tap, with the line that asks for it: an index operator takes no second argument.
struct TapIndex {
  int index;
  CallSite site;
  TapIndex(int at, CallSite from = CallSite::here()) : index(at), site(from) {}
  operator int() const { return index; }
};

// Traced kernels report every access before they do it. False: it is outside the image of this size, the block's shared
// memory, or the taps; the kernel leaves it out, and the fault is recorded.
bool trace_pixel(Access access, PixelPart part, int x, int y, int width, int height, CallSite site = CallSite::here());
bool trace_shared(Access access, int first_byte, int bytes, CallSite site = CallSite::here());
// table: that the tap is read from.
bool trace_tap(const TapIndex& tap, const float* table);
// The pixel that the thread's next access is for, before the border rule replaces it; in the image's own coordinates.
void trace_question(int x, int y);
// This thread uses the value outside the image where other threads of its warp read a pixel.
void trace_no_pixel(PixelPart part, CallSite site);

// By which instructions a thread accesses memory.
enum class Way : unsigned char {
  thread,      // loads and stores
  async_copy,  // copies from global to shared memory that run while the thread continues
  bulk_copy,   // such copies of whole rows by the copy engine
  arrival,     // no instruction: one of these copies ends. Its bytes were reported when it began.
};
// While one exists, the thread's accesses are made this way. word: in aligned words of so many bytes, each by one
// instruction; whole_row: all by one instruction; 0: each access by its own.
inline constexpr int whole_row = 1 << 30;
class Transfer {
 public:
  Transfer(Way way, int word);
  ~Transfer();
  Transfer(const Transfer&) = delete;
};

// While one exists, the kernel is not stopped for taking too long: it is in code of the executor that must finish.
class InExecutor {
 public:
  InExecutor();
  ~InExecutor();
  InExecutor(const InExecutor&) = delete;
};

using Kernel = void (*)(ConvArgs);

}  // namespace conv_cpu
