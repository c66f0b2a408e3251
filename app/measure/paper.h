// Drawing text and lines on white paper with Cairo, for plots and handouts.
#pragma once
#include <cairo.h>

#include <memory>
#include <string>

namespace conv {

// Dark enough for text on white.
constexpr unsigned ink = 0x12161B, quiet_ink = 0x55606C;

using PaperSurface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using PaperContext = std::unique_ptr<cairo_t, decltype(&cairo_destroy)>;

// Takes what Cairo writes to a stream; to: a std::string.
inline cairo_status_t append_to(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

// Colours are 0xRRGGBB; y grows downwards.
class Paper {
 public:
  explicit Paper(cairo_t* to) : to_(to) { plain(); }

  // The font of what follows.
  void font(const char* family, bool bold, bool italic) {
    cairo_select_font_face(to_, family, italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  }
  void plain() { font("Inter", false, false); }

  void colour(unsigned rgb) {
    cairo_set_source_rgb(to_, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
  }
  double text_width(const std::string& text, double size) {
    cairo_set_font_size(to_, size);
    cairo_text_extents_t extents;
    cairo_text_extents(to_, text.c_str(), &extents);
    return extents.x_advance;
  }
  // y: of the line on which letters stand. align: 0 right of x, 0.5 centred at x, 1 left of x.
  void text(double x, double y, const std::string& what, double size, unsigned rgb, double align = 0) {
    const double wide = text_width(what, size);
    colour(rgb);
    cairo_move_to(to_, x - align * wide, y);
    cairo_show_text(to_, what.c_str());
  }
  void line(double x0, double y0, double x1, double y1, unsigned rgb, double thick = 1) {
    colour(rgb);
    cairo_set_line_width(to_, thick);
    cairo_move_to(to_, x0, y0);
    cairo_line_to(to_, x1, y1);
    cairo_stroke(to_);
  }
  void box(double x, double y, double width, double height, unsigned rgb) {
    colour(rgb);
    cairo_rectangle(to_, x, y, width, height);
    cairo_fill(to_);
  }
  void frame(double x, double y, double width, double height, unsigned rgb, double thick) {
    colour(rgb);
    cairo_set_line_width(to_, thick);
    cairo_rectangle(to_, x, y, width, height);
    cairo_stroke(to_);
  }
  cairo_t* raw() { return to_; }

 private:
  cairo_t* to_;
};

}  // namespace conv
