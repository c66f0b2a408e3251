// Draws textures through a view: sharp when enlarged, averaged over areas when reduced.
#pragma once
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "app/display/gl_object.h"
#include "app/display/tiles.h"
#include "app/model/settings.h"
#include "kernels/core/error.h"
#include "kernels/core/image.h"

namespace conv {

// In framebuffer pixels, y down.
struct ScreenRect {
  float left = 0, top = 0, width = 0, height = 0;
};

struct ImageDraw {
  TiledTexture picture;
  bool grey = false;                 // one channel, shown as grey
  ScreenRect area;                   // the picture is clipped to it
  float origin_x = 0, origin_y = 0;  // top left corner of the image, relative to the area
  float gain = 1, zero = 0;          // what is drawn: (value * gain + zero) to the power of 1 / gamma
  bool srgb = false;                 // the sRGB curve instead
  float gamma = 1;
  std::array<bool, 3> channels{true, true, true};  // a single channel is drawn as grey
  float zoom = 1;                                  // framebuffer pixels per image pixel
};

// A second image of the same size, which is subtracted, and how the difference is drawn.
struct DifferenceDraw {
  TiledTexture other;
  GLuint maps = 0;  // colour_map_texture()
  DifferenceSettings settings;
  float gain = 1;                // instead of that of the settings, which may be automatic
  std::array<float, 3> hatch{};  // colour of pixels beyond the threshold
};

class ImageRenderer {
 public:
  static Result<ImageRenderer> create();
  void draw(const ImageDraw& draw, Size2 framebuffer) const;
  // gain and zero of `draw` are not used.
  void draw_difference(const ImageDraw& draw, const DifferenceDraw& difference, Size2 framebuffer) const;

 private:
  // Sets the uniforms that all programs share, and draws the rectangle.
  using Programs = std::array<GlProgram, 2>;  // for pictures of several tiles, and of one
  bool begin(const Programs& programs, const ImageDraw& draw, Size2 framebuffer) const;
  Programs image_, difference_;
  GlVertexArray vertices_;
};

// Measures when the GL commands between begin and end ran; read some frames later without waiting.
class GlTimer {
 public:
  using Time = std::chrono::steady_clock::time_point;
  struct Span {
    float ms = 0;
    std::optional<Time> began;
  };
  // joins_clocks: also relates the time to the host's clock. Returns false if too many measurements are in flight; this
  // one is then skipped.
  bool begin(bool joins_clocks = false);
  void end();
  std::optional<Span> poll();

 private:
  static constexpr int depth = 4;
  struct Measurement {
    GlQuery elapsed, begin;
    std::optional<Time> origin;  // OpenGL's clock, on the host's clock
  };
  Measurement measurements_[depth];
  int written_ = 0, read_ = 0;
  bool open_ = false;
};

// Reads texels of a texture, a frame later, without waiting.
class PixelProbe {
 public:
  // Does nothing and returns false while the request before is under way.
  bool request(const TiledTexture& texture, PixelType type, Point2 at, Size2 size = {1, 1});
  // The lower left part of the window as it is drawn, in RGBA8, its bottom row first.
  bool request_window(Size2 size);
  // waits: until the texels are there.
  std::optional<ImagePart> poll(bool waits = false);

 private:
  // Has `read` copy this part into the buffer.
  bool copy(PixelType type, Point2 at, Size2 size, const std::function<void()>& read);

  GlBuffer buffer_;
  GLsync fence_ = nullptr;
  GLsizeiptr capacity_ = 0;
  Point2 at_;
  Size2 size_;
  PixelType type_ = PixelType::f32;
};

// The content of the window, top row first, RGB.
std::string read_framebuffer(Size2 size);

}  // namespace conv
