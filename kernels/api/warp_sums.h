// Sums over neighbouring lanes of a warp. Kernel files include this after kernel_api.h, once per target namespace: no
// include guard.
namespace CONV_TARGET {

// The value of the lane that is lanes_away further; undefined if there is none. All lanes of the warp call it together.
template <class Word>
CONV_DEVICE Word from_neighbour(Word mine, int lanes_away) {
#if defined(CONV_ON_CPU)
  const auto* all = static_cast<const Word*>(conv_cpu::exchange(&mine, sizeof(mine)));
  return all[(threadIdx.x % 32 + lanes_away + 32) % 32];
#elif defined(__CUDA_ARCH__)
  return __shfl_sync(0xffffffffu, mine, static_cast<int>(threadIdx.x) + lanes_away);
#else
  return mine;
#endif
}
CONV_DEVICE Rgb from_neighbour(const Rgb& mine, int lanes_away) {
  return {from_neighbour(mine.r, lanes_away), from_neighbour(mine.g, lanes_away), from_neighbour(mine.b, lanes_away)};
}

// Lanes form groups whose size is a power of two. The sums from the first lane of the group to this one, and from this
// one to the last.
struct GroupSums {
  float up_to, from;
};
CONV_DEVICE GroupSums sums_in_group(float mine, int group) {
  const int place = threadIdx.x % group;
  GroupSums sums{mine, mine};
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    if (step >= group) break;
    const float before = from_neighbour(sums.up_to, -step), behind = from_neighbour(sums.from, step);
    if (place >= step) sums.up_to += before;
    if (place + step < group) sums.from += behind;
  }
  return sums;
}

}  // namespace CONV_TARGET
