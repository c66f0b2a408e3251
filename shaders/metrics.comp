// Compares two images. An invocation compares a window of 8x8 pixels, or less at the image's edge; a workgroup adds up
// 64 windows. 1 is full scale.
layout(local_size_x = 64) in;
layout(location = 0) uniform ivec2 size;
layout(location = 1) uniform int channels;  // 1 or 3; alpha is not filtered and not compared
layout(location = 2) uniform float tolerance;
layout(location = 3) uniform int first_group;
layout(binding = 0) uniform sampler2DArray image;
layout(binding = 1) uniform sampler2DArray other;

struct Part {
  float sum_abs, sum_squares, sum_other_squares, sum_similarity, largest;
  int at;  // y * width + x of the largest difference
  uint beyond;  // pixels with a channel beyond the tolerance
  uint windows;
  uint ulps;  // the most steps from one float to the next
};
layout(std430, binding = 0) writeonly buffer Parts { Part parts[]; };
shared Part of_window[64];

// Structural similarity of one channel in one window (Wang et al. 2004; K 0.01 and 0.03), from sums over n pixels.
float similarity(float n, float a, float b, float aa, float bb, float ab) {
  const float c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
  float mean_a = a / n, mean_b = b / n;
  float variances = max(aa / n - mean_a * mean_a, 0.0) + max(bb / n - mean_b * mean_b, 0.0);
  float covariance = ab / n - mean_a * mean_b;
  return (2.0 * mean_a * mean_b + c1) * (2.0 * covariance + c2) /
         ((mean_a * mean_a + mean_b * mean_b + c1) * (variances + c2));
}

// How many steps from one float to the next lie between two finite floats. As whole numbers, floats of one sign are in
// their order.
uint ulps_between(float a, float b) {
  ivec2 bits = floatBitsToInt(vec2(a, b)), magnitudes = bits & 0x7fffffff;
  if ((bits.x ^ bits.y) < 0) return uint(magnitudes.x) + uint(magnitudes.y);
  return uint(abs(magnitudes.x - magnitudes.y));
}

Part measured(ivec2 corner) {
  Part part = Part(0.0, 0.0, 0.0, 0.0, -1.0, 0, 0u, 1u, 0u);
  vec3 a = vec3(0.0), b = vec3(0.0), aa = vec3(0.0), bb = vec3(0.0), ab = vec3(0.0);
  ivec2 end = min(corner + 8, size);
  for (int y = corner.y; y < end.y; ++y)
    for (int x = corner.x; x < end.x; ++x) {
      vec3 p = pixel_of(image, ivec2(x, y)).rgb, q = pixel_of(other, ivec2(x, y)).rgb;
      a += p;
      b += q;
      aa += p * p;
      bb += q * q;
      ab += p * q;
      float worst = 0.0;
      for (int c = 0; c < channels; ++c) {
        float apart = abs(p[c] - q[c]);
        part.sum_abs += apart;
        part.sum_squares += apart * apart;
        part.sum_other_squares += q[c] * q[c];
        worst = max(worst, apart);
        part.ulps = max(part.ulps, ulps_between(p[c], q[c]));
      }
      if (worst > tolerance) ++part.beyond;
      if (worst > part.largest) {
        part.largest = worst;
        part.at = y * size.x + x;
      }
    }
  float n = float((end.x - corner.x) * (end.y - corner.y));
  for (int c = 0; c < channels; ++c)
    part.sum_similarity += similarity(n, a[c], b[c], aa[c], bb[c], ab[c]) / float(channels);
  return part;
}

void main() {
  int group = first_group + int(gl_WorkGroupID.x), window = group * 64 + int(gl_LocalInvocationID.x);
  ivec2 windows = (size + 7) / 8;
  bool exists = window < windows.x * windows.y;
  of_window[gl_LocalInvocationID.x] = exists ? measured(8 * ivec2(window % windows.x, window / windows.x))
                                             : Part(0.0, 0.0, 0.0, 0.0, -1.0, 0, 0u, 0u, 0u);
  barrier();
  if (gl_LocalInvocationID.x != 0u) return;
  Part sum = of_window[0];
  for (int i = 1; i < 64; ++i) {
    Part one = of_window[i];
    sum.sum_abs += one.sum_abs;
    sum.sum_squares += one.sum_squares;
    sum.sum_other_squares += one.sum_other_squares;
    sum.sum_similarity += one.sum_similarity;
    sum.beyond += one.beyond;
    sum.windows += one.windows;
    sum.ulps = max(sum.ulps, one.ulps);
    if (one.largest > sum.largest) {
      sum.largest = one.largest;
      sum.at = one.at;
    }
  }
  parts[group] = sum;
}
