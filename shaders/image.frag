// The image seen through the view. The texture keeps the exact values; only what is drawn is clamped to what a screen shows.
layout(location = 5) uniform vec2 scale;  // drawn: value * x + y, so that signed results show

void main() {
  vec2 at = place();
  vec4 value = vec4(0.0);
  for (int y = 0; y < samples(); ++y)
    for (int x = 0; x < samples(); ++x) value += texelFetch(image, sampled(at, x, y), 0);
  value /= float(samples() * samples());
  colour = vec4((grey ? value.rrr : value.rgb) * scale.x + scale.y, 1.0);
}
