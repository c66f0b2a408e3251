// CUDA's keywords for the CPU executor. They are macros, so only kernel files may include this.
#pragma once
#include "kernels/api/cpu_thread.h"

// Of numbers, also of two types. As in CUDA, an int beside an unsigned becomes unsigned.
template <class A, class B>
constexpr auto min(A a, B b) {
  const decltype(a + b) x = a, y = b;
  return y < x ? y : x;
}
template <class A, class B>
constexpr auto max(A a, B b) {
  const decltype(a + b) x = a, y = b;
  return x < y ? y : x;
}

#define __global__
#define __launch_bounds__(...)
#define __constant__ static
#define threadIdx (conv_cpu::current_thread->thread)
#define blockIdx (conv_cpu::current_thread->block)
#define blockDim (conv_cpu::current_thread->block_dim)
#define gridDim (conv_cpu::current_thread->grid_dim)
#define __syncthreads() conv_cpu::block_barrier()
#define __syncwarp() conv_cpu::warp_barrier()
