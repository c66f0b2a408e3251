// The difference of two images in false colour. If several image pixels, or several channels, are under one screen
// pixel, the largest difference is shown: a single wrong pixel is never averaged away.
layout(location = 5) uniform float gain;
layout(location = 6) uniform bool with_sign;
layout(location = 7) uniform int map;         // row of the table
layout(location = 8) uniform float threshold;  // larger differences are hatched; negative: none
layout(location = 9) uniform vec3 hatch;
layout(binding = 1) uniform sampler2DArray other;
layout(binding = 2) uniform sampler2D maps;

float larger(float a, float b) { return abs(b) > abs(a) ? b : a; }

void main() {
  vec2 at = place();
  float worst = 0.0;
  for (int y = 0; y < samples(); ++y)
    for (int x = 0; x < samples(); ++x) {
      ivec2 pixel = sampled(at, x, y);
      vec3 apart = (pixel_of(image, pixel) - pixel_of(other, pixel)).rgb;
      worst = larger(worst, grey ? apart.r : larger(larger(apart.r, apart.g), apart.b));
    }
  float shown = with_sign ? 0.5 + 0.5 * worst * gain : abs(worst) * gain;
  int entries = textureSize(maps, 0).x;
  colour = texelFetch(maps, ivec2(int(clamp(shown, 0.0, 1.0) * float(entries - 1) + 0.5), map), 0);
  bool stripe = mod(gl_FragCoord.x + gl_FragCoord.y, 8.0) < 4.0;
  if (threshold >= 0.0 && abs(worst) > threshold && stripe) colour = vec4(hatch, 1.0);
}
