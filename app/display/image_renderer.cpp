#include "app/display/image_renderer.h"

#include <algorithm>
#include <cmath>

#include "app/display/gl_program.h"
#include "kernels/core/large_memory.h"

namespace conv {

Result<ImageRenderer> ImageRenderer::create() {
  ImageRenderer renderer;
  for (const auto& [programs, name] :
       {std::pair(&renderer.image_, "image.frag"), std::pair(&renderer.difference_, "difference.frag")})
    for (const bool one_tile : {false, true}) {
      const std::initializer_list<ShaderFile> files{{GL_VERTEX_SHADER, "image.vert"}, {GL_FRAGMENT_SHADER, name}};
      (*programs)[one_tile] = CONV_TRY(linked_program(files, one_tile));
    }
  GLuint vertices = 0;
  glCreateVertexArrays(1, &vertices);
  renderer.vertices_ = GlVertexArray(vertices);
  return renderer;
}

bool ImageRenderer::begin(const Programs& programs, const ImageDraw& draw, Size2 framebuffer) const {
  const auto left = static_cast<GLint>(std::lround(draw.area.left));
  const auto top = static_cast<GLint>(std::lround(draw.area.top));
  const auto width = static_cast<GLsizei>(std::lround(draw.area.width));
  const auto height = static_cast<GLsizei>(std::lround(draw.area.height));
  if (width <= 0 || height <= 0) return false;
  glViewport(left, framebuffer.height - top - height, width, height);
  glDisable(GL_BLEND);
  glUseProgram(programs[draw.picture.tiling.count() == 1].name());
  glUniform2f(0, static_cast<float>(width), static_cast<float>(height));
  glUniform2f(1, draw.origin_x, draw.origin_y);
  glUniform1f(2, draw.zoom);
  const Size2 image = draw.picture.tiling.size;
  glUniform2i(3, image.width, image.height);
  glUniform1i(4, draw.grey);
  draw.picture.set_tiles();
  draw.picture.bind(0);
  glBindVertexArray(vertices_.name());
  return true;
}

void ImageRenderer::draw(const ImageDraw& draw, Size2 framebuffer) const {
  if (!begin(image_, draw, framebuffer)) return;
  glUniform2f(5, draw.gain, draw.zero);
  glUniform1f(6, draw.gamma);
  glUniform1i(8, draw.srgb);
  glUniform3i(7, draw.channels[0], draw.channels[1], draw.channels[2]);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

void ImageRenderer::draw_difference(const ImageDraw& draw, const DifferenceDraw& difference, Size2 framebuffer) const {
  if (!begin(difference_, draw, framebuffer)) return;
  const DifferenceSettings& s = difference.settings;
  glUniform1f(5, difference.gain);
  glUniform1i(6, s.with_sign);
  glUniform1i(7, static_cast<GLint>(s.shown_map()));
  glUniform1f(8, s.hatched ? s.threshold : -1.0f);
  glUniform3fv(9, 1, difference.hatch.data());
  difference.other.bind(1);
  glBindTextureUnit(2, difference.maps);
  glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static GlQuery query_of(GLenum kind) {
  GLuint name = 0;
  glCreateQueries(kind, 1, &name);
  return GlQuery(name);
}

bool GlTimer::begin(bool joins_clocks) {
  if (written_ - read_ == depth) return false;
  Measurement& open = measurements_[written_ % depth];
  // A software renderer works later than its timestamps say, so its time comes from a query of its own.
  if (!open.elapsed) open = {query_of(GL_TIME_ELAPSED), query_of(GL_TIMESTAMP), std::nullopt};
  open.origin.reset();
  if (joins_clocks) {
    GLint64 now = 0;
    glGetInteger64v(GL_TIMESTAMP, &now);
    open.origin = std::chrono::steady_clock::now() - std::chrono::nanoseconds(now);
    glQueryCounter(open.begin.name(), GL_TIMESTAMP);
  }
  glBeginQuery(GL_TIME_ELAPSED, open.elapsed.name());
  open_ = true;
  return true;
}

void GlTimer::end() {
  if (!std::exchange(open_, false)) return;
  glEndQuery(GL_TIME_ELAPSED);
  ++written_;
}

std::optional<GlTimer::Span> GlTimer::poll() {
  if (read_ == written_) return std::nullopt;
  const Measurement& done = measurements_[read_ % depth];
  GLint available = 0;
  glGetQueryObjectiv(done.elapsed.name(), GL_QUERY_RESULT_AVAILABLE, &available);
  if (!available) return std::nullopt;
  const auto nanoseconds = [](const GlQuery& query) {
    GLuint64 value = 0;
    glGetQueryObjectui64v(query.name(), GL_QUERY_RESULT, &value);
    return value;
  };
  ++read_;
  Span span{.ms = static_cast<float>(nanoseconds(done.elapsed)) * 1e-6f};
  if (done.origin) span.began = *done.origin + std::chrono::nanoseconds(nanoseconds(done.begin));
  return span;
}

bool PixelProbe::request(const TiledTexture& texture, PixelType type, Point2 at, Size2 size) {
  return copy(type, at, size, [&] { read_texels(texture, type, at, size, nullptr); });
}

bool PixelProbe::request_window(Size2 size) {
  return copy(PixelType::rgba8, {}, size,
              [&] { glReadPixels(0, 0, size.width, size.height, GL_RGBA, GL_UNSIGNED_BYTE, nullptr); });
}

bool PixelProbe::copy(PixelType type, Point2 at, Size2 size, const std::function<void()>& read) {
  if (fence_) return false;
  const auto bytes = static_cast<GLsizeiptr>(size.area()) * info(type).bytes;
  if (bytes > capacity_) {
    GLuint name = 0;
    glCreateBuffers(1, &name);
    glNamedBufferStorage(name, bytes, nullptr, GL_CLIENT_STORAGE_BIT);
    buffer_ = GlBuffer(name);
    capacity_ = bytes;
  }
  glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer_.name());
  read();
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  at_ = at;
  size_ = size;
  type_ = type;
  return true;
}

std::optional<ImagePart> PixelProbe::poll(bool waits) {
  constexpr GLuint64 longest = 5'000'000'000;  // ns
  if (!fence_) return std::nullopt;
  const GLenum state =
      waits ? glClientWaitSync(fence_, GL_SYNC_FLUSH_COMMANDS_BIT, longest) : glClientWaitSync(fence_, 0, 0);
  if (state == GL_TIMEOUT_EXPIRED) return std::nullopt;
  glDeleteSync(std::exchange(fence_, nullptr));
  ImagePart pixels{at_, HostImage(type_, size_)};
  glGetNamedBufferSubData(buffer_.name(), 0, static_cast<GLsizeiptr>(pixels.image.bytes.size()),
                          pixels.image.bytes.data());
  if (capacity_ > large_bytes) {
    buffer_ = {};
    capacity_ = 0;
  }
  return pixels;
}

std::string read_framebuffer(Size2 size) {
  const std::size_t row = static_cast<std::size_t>(size.width) * 3;
  std::string bottom_up(row * size.height, '\0'), pixels;
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, bottom_up.data());
  for (int y = size.height - 1; y >= 0; --y) pixels.append(bottom_up, row * y, row);
  return pixels;
}

}  // namespace conv
