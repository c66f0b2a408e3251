// Builds the kernel file named by CONV_KERNEL_FILE twice for the CPU executor: plain, and reporting every access. Only
// the variant's .cpp includes this.
#include <vector>  // for LateCopies

#define CONV_ON_CPU 1

#define CONV_TARGET cpu
#include CONV_KERNEL_FILE
#undef CONV_TARGET
#undef CONV_DEVICE
#undef CONV_PIXEL_ALLOWED
#undef CONV_NO_PIXEL
#undef CONV_SHARED_ALLOWED
#undef CONV_TAP_ALLOWED
#undef CONV_TAP_INDEX
#undef CONV_QUESTION
#undef CONV_TRANSFER
#undef CONV_CALLER
#undef CONV_PASS_CALLER

#define CONV_TARGET cpu_traced
#define CONV_PIXEL_ALLOWED(access, ...) conv_cpu::trace_pixel(conv_cpu::Access::access, __VA_ARGS__)
#define CONV_NO_PIXEL(...) conv_cpu::trace_no_pixel(__VA_ARGS__)
#define CONV_SHARED_ALLOWED(access, ...) conv_cpu::trace_shared(conv_cpu::Access::access, __VA_ARGS__)
#define CONV_TAP_ALLOWED(...) conv_cpu::trace_tap(__VA_ARGS__)
#define CONV_TAP_INDEX conv_cpu::TapIndex
#define CONV_QUESTION(x, y) conv_cpu::trace_question(x, y)
#define CONV_TRANSFER(way, word) const conv_cpu::Transfer transfer(conv_cpu::Way::way, word)
// Each run of a loop's body begins with an Iteration. (The formatter would put a space behind the macro's name.)
#define CONV_JOIN_(a, b) a##b
#define CONV_JOIN(a, b) CONV_JOIN_(a, b)
// clang-format off
#define for(...) \
  for (__VA_ARGS__) if (const conv_cpu::Iteration CONV_JOIN(iteration_, __COUNTER__); false) {} else
// clang-format on
// A parameter of functions that access memory: where they were called.
#define CONV_CALLER , conv_cpu::CallSite site = conv_cpu::CallSite::here()
#define CONV_PASS_CALLER , site
#include CONV_KERNEL_FILE
#undef for
#undef CONV_JOIN
#undef CONV_JOIN_
#undef CONV_TARGET
#undef CONV_DEVICE
#undef CONV_PIXEL_ALLOWED
#undef CONV_NO_PIXEL
#undef CONV_SHARED_ALLOWED
#undef CONV_TAP_ALLOWED
#undef CONV_TAP_INDEX
#undef CONV_QUESTION
#undef CONV_TRANSFER
#undef CONV_CALLER
#undef CONV_PASS_CALLER

// The twins of kernel<Source, Target> for a pixel type known at run time.
#define CONV_TWINS_OF(format, kernel) \
  for_pixel(format, []<class Pixel> { return CONV_TWINS(kernel<SourceView<Pixel, Border::any>, TargetView<Pixel>>); })

// The same, also with a half accumulator.
#define CONV_TWINS_OF_SUMS(settings, kernel)                                       \
  for_sums(settings, []<class Pixel, class Result> {                               \
    return CONV_TWINS(kernel<SourceView<Pixel, Border::any>, TargetView<Result>>); \
  })

// The two twins of one kernel instance. Names are looked up in each namespace.
#define CONV_TWINS(...)                          \
  CpuTwins {                                     \
    [] {                                         \
      using namespace cpu;                       \
      return conv_cpu::Kernel{&__VA_ARGS__};     \
    }(),                                         \
        [] {                                     \
          using namespace cpu_traced;            \
          return conv_cpu::Kernel{&__VA_ARGS__}; \
        }()                                      \
  }
