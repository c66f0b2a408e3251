#version 450 core
// The image seen through the view. The texture keeps the exact values; only what is drawn is clamped to what a screen shows.
layout(location = 0) uniform vec2 area;    // framebuffer pixels
layout(location = 1) uniform vec2 origin;  // of the image's corner, framebuffer pixels from the area's
layout(location = 2) uniform float zoom;   // framebuffer pixels per image pixel
layout(location = 3) uniform ivec2 size;   // of the image
layout(location = 4) uniform bool grey;
layout(location = 5) uniform vec2 scale;   // drawn: value * x + y, so that signed results show
layout(binding = 0) uniform sampler2D image;

in vec2 corner;
out vec4 colour;

const int most_samples = 8;  // per side: exact areas down to 1/8, a regular sample of them below

vec4 texel(ivec2 at) { return texelFetch(image, clamp(at, ivec2(0), size - 1), 0); }

void main() {
  vec2 at = (corner * area - origin) / zoom;  // in image pixels
  if (any(lessThan(at, vec2(0))) || any(greaterThanEqual(at, vec2(size)))) discard;
  vec4 value = texel(ivec2(floor(at)));
  if (zoom < 1.0) {
    float footprint = 1.0 / zoom;
    int samples = min(most_samples, int(ceil(footprint)));
    value = vec4(0.0);
    for (int y = 0; y < samples; ++y)
      for (int x = 0; x < samples; ++x) {
        vec2 offset = (vec2(x, y) + 0.5) / float(samples) - 0.5;
        value += texel(ivec2(floor(at + offset * footprint)));
      }
    value /= float(samples * samples);
  }
  colour = vec4((grey ? value.rrr : value.rgb) * scale.x + scale.y, 1.0);
}
