// Draws the image through the view. The texture keeps the exact values; only what is drawn is clamped to the screen's
// range.
layout(location = 5) uniform vec2 scale;  // drawn: value * x + y, so that signed results are visible
layout(location = 6) uniform float gamma;
layout(location = 8) uniform bool srgb;  // the curve of IEC 61966-2-1 instead of gamma
layout(location = 7) uniform ivec3 channels;  // 1: the channel is shown; a single channel is shown as grey

void main() {
  vec2 at = place();
  vec4 value = vec4(0.0);
  for (int y = 0; y < samples(); ++y)
    for (int x = 0; x < samples(); ++x) value += pixel_of(image, sampled(at, x, y));
  value /= float(samples() * samples());
  vec3 shown = grey ? value.rrr : value.rgb * vec3(channels);
  if (!grey && channels.r + channels.g + channels.b == 1) shown = vec3(shown.r + shown.g + shown.b);
  vec3 light = max(shown * scale.x + scale.y, 0.0);
  if (srgb)
    light = mix(1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055, 12.92 * light, lessThanEqual(light, vec3(0.0031308)));
  else
    light = pow(light, vec3(1.0 / gamma));
  colour = vec4(light, 1.0);
}
