// Where the image is on the screen. Three coordinate systems: image pixels, ImGui's screen pixels, and a view's own
// rectangle.
#pragma once
#include "kernels/core/geometry.h"

namespace conv {

struct Vec2 {
  float x = 0, y = 0;
};

// The image point at the centre of the view, and the screen pixels per image pixel. Shared by both lanes.
struct ViewTransform {
  static constexpr float min_zoom = 1.0f / 16, max_zoom = 256;
  Vec2 centre;
  float zoom = 1;
  float least_zoom = min_zoom;  // smaller than min_zoom if the whole image needs that
  bool fitted = true;           // follow the window and the image until the user pans or zooms

  static constexpr float grid_zoom = 8, values_zoom = 24;  // from here on pixels have lines between them, and numbers

  Vec2 screen_at_image(Vec2 image, Vec2 view_middle) const {
    return {view_middle.x + (image.x - centre.x) * zoom, view_middle.y + (image.y - centre.y) * zoom};
  }
  Vec2 image_at_screen(Vec2 screen, Vec2 view_middle) const {
    return {centre.x + (screen.x - view_middle.x) / zoom, centre.y + (screen.y - view_middle.y) / zoom};
  }

  // The whole image, centred, in a view of this many screen pixels.
  void fit(Size2 image, Vec2 view);
  // One image pixel per screen pixel; keeps the centre.
  void one_to_one();
  void pan(Vec2 screen_pixels);
  // Multiplies the zoom, within its limits; the image point under the pointer stays there.
  void zoom_at(Vec2 screen, Vec2 view_middle, float factor);
};

// The zoom at which the whole image fits a view of this many screen pixels.
float fitting_zoom(Size2 image, Vec2 view);

}  // namespace conv
