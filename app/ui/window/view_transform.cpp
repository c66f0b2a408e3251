#include "app/ui/window/view_transform.h"

#include <algorithm>

namespace conv {

float fitting_zoom(Size2 image, Vec2 view) {
  return std::min(
      {view.x / static_cast<float>(image.width), view.y / static_cast<float>(image.height), ViewTransform::max_zoom});
}

void ViewTransform::fit(Size2 image, Vec2 view) {
  if (image.area() == 0 || view.x < 1 || view.y < 1) return;
  centre = {static_cast<float>(image.width) / 2, static_cast<float>(image.height) / 2};
  zoom = fitting_zoom(image, view);
  least_zoom = std::min(zoom, min_zoom);
  fitted = true;
}

void ViewTransform::one_to_one() {
  zoom = 1;
  fitted = false;
}

void ViewTransform::pan(Vec2 screen_pixels) {
  centre.x -= screen_pixels.x / zoom;
  centre.y -= screen_pixels.y / zoom;
  fitted = false;
}

void ViewTransform::zoom_at(Vec2 screen, Vec2 view_middle, float factor) {
  const Vec2 kept = image_at_screen(screen, view_middle);
  zoom = std::clamp(zoom * factor, least_zoom, max_zoom);
  centre = {kept.x - (screen.x - view_middle.x) / zoom, kept.y - (screen.y - view_middle.y) / zoom};
  fitted = false;
}

}  // namespace conv
