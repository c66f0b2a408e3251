// Builds the kernel file named by CONV_KERNEL_FILE twice for the CPU executor: plain, and reporting every access. Only
// the variant's .cpp includes this.
#include <vector>  // for LateCopies

#define CONV_ON_CPU 1

#define CONV_TARGET cpu
#define CONV_TRACE(...) static_cast<void>(0)
#include CONV_KERNEL_FILE
#undef CONV_TARGET
#undef CONV_TRACE
#undef CONV_DEVICE

#define CONV_TARGET cpu_traced
#define CONV_TRACE(space, access, x, y) conv_cpu::trace(conv_cpu::Space::space, conv_cpu::Access::access, x, y)
#include CONV_KERNEL_FILE
#undef CONV_TARGET
#undef CONV_TRACE
#undef CONV_DEVICE

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
