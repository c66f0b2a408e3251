// The one include of a kernel file: views of memory, and CUDA's keywords where the host compiler needs them.
#include "kernels/api/conv_args.h"
#if defined(CONV_ON_CPU)
#include "kernels/api/cuda_on_cpu.h"
#define CONV_DEVICE inline
#define CONV_CHEAP_BRANCHES 1
#else
#define CONV_TARGET gpu
#define CONV_DEVICE __device__ __forceinline__
#define CONV_CHEAP_BRANCHES 0
#endif
// Traced twins on the CPU check and report every access; kernels/cpu/twins.h says how.
#if !defined(CONV_PIXEL_ALLOWED)
#define CONV_PIXEL_ALLOWED(...) true
#define CONV_NO_PIXEL(...)
#define CONV_SHARED_ALLOWED(...) true
#define CONV_TAP_ALLOWED(...) true
#define CONV_TAP_INDEX int
#define CONV_QUESTION(...)
#define CONV_TRANSFER(...)
#define CONV_CALLER
#define CONV_PASS_CALLER
#endif
// The switch "Unroll inner loop".
#if !defined(CONV_UNROLL)
#define CONV_UNROLL 1
#endif
// The switch "Strategy": 0 cheapest, 1 branch, 2 index_map.
#if !defined(CONV_BOUNDARY)
#define CONV_BOUNDARY 0
#endif
#include "kernels/api/views.h"

#include "kernels/api/async_copy.h"
