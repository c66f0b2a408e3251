// The start of every fragment shader that draws a picture: the position of a screen pixel in the image.
layout(location = 0) uniform vec2 area;    // framebuffer pixels
layout(location = 1) uniform vec2 origin;  // of the image's corner, framebuffer pixels from the area's
layout(location = 2) uniform float zoom;   // framebuffer pixels per image pixel
layout(location = 3) uniform ivec2 size;   // of the image
layout(location = 4) uniform bool grey;
layout(binding = 0) uniform sampler2DArray image;

in vec2 corner;
out vec4 colour;

const int most_samples = 8;  // per side: exact areas down to 1/8, a regular sample of them below

// In image pixels; nothing is drawn outside the image.
vec2 place() {
  vec2 at = (corner * area - origin) / zoom;
  if (any(lessThan(at, vec2(0))) || any(greaterThanEqual(at, vec2(size)))) discard;
  return at;
}

int samples() { return zoom < 1.0 ? min(most_samples, int(ceil(1.0 / zoom))) : 1; }

// The image pixel under sample (x, y) of this screen pixel.
ivec2 sampled(vec2 at, int x, int y) {
  vec2 offset = zoom < 1.0 ? ((vec2(x, y) + 0.5) / float(samples()) - 0.5) / zoom : vec2(0.0);
  return clamp(ivec2(floor(at + offset)), ivec2(0), size - 1);
}
