// One rectangle over the whole GL viewport.
out vec2 corner;  // 0..1, y down

void main() {
  corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 0.0, 1.0);
}
