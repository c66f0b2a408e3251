// Products of small matrices, computed by a whole warp, on tensor cores where the GPU has them: FP16 times FP16, summed
// in float. Kernel files include this after kernel_api.h, once per target namespace: no include guard.
namespace CONV_TARGET {

// Each lane holds a part of a matrix. With g = lane / 4 and q = lane % 4, after "Matrix Fragments for mma.m16n8k16" in
// NVIDIA's PTX ISA:
//   LeftMatrix, 16 x 16: pair i is row g + 8 * (i % 2), columns 2q + 8 * (i / 2) and the next one.
//   RightMatrix, 16 x 8: pair i is rows 2q + 8 * i and the next one, column g.
//   MatrixSum, 16 x 8: number i is row g + 8 * (i / 2), column 2q + i % 2.
// So if two sums are adjacent (16 x 16 together), numbers 2i and 2i + 1 of the first and of the second are the pairs of
// the right matrix made of columns 8i to 8i + 7 of their transpose.
struct alignas(16) LeftMatrix {
  HalfPair pairs[4];
};
struct RightMatrix {
  HalfPair pairs[2];
};
struct MatrixSum {
  float numbers[4];
};

// Clamps to the largest FP16 number, 65504.
CONV_DEVICE float within_half(float v) {
  return v > 65504.0f ? 65504.0f : v < -65504.0f ? -65504.0f : v;
}
// Two numbers, each rounded to FP16.
CONV_DEVICE HalfPair half_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  HalfPair pair;
  asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(reinterpret_cast<unsigned&>(pair)) : "f"(high), "f"(low));
  return pair;
#else
  return {narrowed<Half>(within_half(low)), narrowed<Half>(within_half(high))};
#endif
}
CONV_DEVICE HalfPair half_pair(Half low, Half high) {
  return {low, high};
}
// A level in FP16 is multiplied by 2^-24: the last bits of the FP16 number are then those of the level.
inline constexpr float half_level = 1.0f / (1 << 24);
#if defined(__CUDA_ARCH__)
// From the first and the third byte.
CONV_DEVICE HalfPair half_pair_of_levels(unsigned bytes) {
  bytes &= 0x00ff00ffu;
  return reinterpret_cast<const HalfPair&>(bytes);
}
#endif
CONV_DEVICE HalfPair half_pair(unsigned char low, unsigned char high) {
#if defined(__CUDA_ARCH__)
  return half_pair_of_levels(low | high << 16);
#else
  return half_pair(low * half_level, high * half_level);
#endif
}

// One channel of two pixels.
template <class Pixel>
CONV_DEVICE HalfPair half_pair_of(const Pixel (&pixels)[2], int channel) {
  return half_pair(channel_of(pixels[0], channel), channel_of(pixels[1], channel));
}
CONV_DEVICE HalfPair half_pair_of(const Rgba8 (&pixels)[2], int channel) {
#if defined(__CUDA_ARCH__)
  const auto& words = reinterpret_cast<const unsigned(&)[2]>(pixels);
  return half_pair_of_levels(__byte_perm(words[0], words[1], 0x0400 | channel | channel << 8));
#else
  return half_pair(channel_of(pixels[0], channel), channel_of(pixels[1], channel));
#endif
}

// The FP16 rounding residuals of two numbers, rounded to FP16 themselves.
CONV_DEVICE HalfPair half_rest(HalfPair rounded, float low, float high) {
  return half_pair(low - to_float(rounded.low), high - to_float(rounded.high));
}

// sum + left * right. All lanes of the warp call it together.
CONV_DEVICE MatrixSum multiply_add(const LeftMatrix& left, const RightMatrix& right, const MatrixSum& sum) {
  MatrixSum result;
#if defined(CONV_ON_CPU)
  conv_cpu::MatrixParts mine;
  for (int i = 0; i < 4; ++i) {
    mine.left[i][0] = to_float(left.pairs[i].low);
    mine.left[i][1] = to_float(left.pairs[i].high);
  }
  for (int i = 0; i < 2; ++i) {
    mine.right[i][0] = to_float(right.pairs[i].low);
    mine.right[i][1] = to_float(right.pairs[i].high);
  }
  result = sum;
  conv_cpu::add_matrix_product(mine, threadIdx.x % 32, result.numbers);
#elif defined(__CUDA_ARCH__)
  const auto& a = reinterpret_cast<const unsigned(&)[4]>(left);
  const auto& b = reinterpret_cast<const unsigned(&)[2]>(right);
  const float(&c)[4] = sum.numbers;
  float(&d)[4] = result.numbers;
#if __CUDA_ARCH__ >= 800
  // volatile: all lanes of a warp take part, so it must stay where the source has it
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#else
  for (int i = 0; i < 4; ++i) d[i] = c[i];
  for (int half = 0; half < 2; ++half)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
#endif
  return result;
}

}  // namespace CONV_TARGET
