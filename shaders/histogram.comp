// Counts how often values occur. An invocation counts a window of 8x8 pixels, or less at the image's edge; a workgroup
// counts 64 windows. Bin 0 is below `low`, bin 257 above `high`; 1 is full scale.
layout(local_size_x = 64) in;
layout(location = 0) uniform ivec2 size;
layout(location = 1) uniform int channels;  // 1 or 3
layout(location = 2) uniform vec2 range;    // low, high
layout(location = 3) uniform int first_group;
layout(binding = 0) uniform sampler2DArray image;

const int bins = 258;
layout(std430, binding = 0) buffer Counts { uint counts[]; };
shared uint of_group[3 * bins];

int bin_of(float value) {
  // White computed from float sums may exceed 1 by a last bit: that does not count as above white.
  float rounding = 1e-5 * (range.y - range.x);
  if (value < range.x - rounding) return 0;
  if (value > range.y + rounding) return bins - 1;
  return 1 + min(int((value - range.x) / (range.y - range.x) * 256.0), 255);
}

void main() {
  for (uint i = gl_LocalInvocationID.x; i < 3 * bins; i += 64u) of_group[i] = 0u;
  barrier();
  int window = (first_group + int(gl_WorkGroupID.x)) * 64 + int(gl_LocalInvocationID.x);
  ivec2 windows = (size + 7) / 8;
  if (window < windows.x * windows.y) {
    ivec2 corner = 8 * ivec2(window % windows.x, window / windows.x), end = min(corner + 8, size);
    for (int y = corner.y; y < end.y; ++y)
      for (int x = corner.x; x < end.x; ++x) {
        vec3 p = pixel_of(image, ivec2(x, y)).rgb;
        for (int c = 0; c < channels; ++c) atomicAdd(of_group[c * bins + bin_of(p[c])], 1u);
      }
  }
  barrier();
  for (uint i = gl_LocalInvocationID.x; i < 3 * bins; i += 64u)
    if (of_group[i] > 0u) atomicAdd(counts[i], of_group[i]);
}
