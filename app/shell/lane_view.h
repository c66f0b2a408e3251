// The lanes' pictures in the window: draws them where panels leave space, compares them by numbers, and reads their
// values for panels.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "app/display/histogram_pass.h"
#include "app/display/image_renderer.h"
#include "app/display/metrics_pass.h"
#include "app/pipeline/pipeline.h"
#include "app/ui/window/style.h"
#include "app/ui/window/ui_state.h"

namespace conv {

class LaneView {
 public:
  // Needs the window's OpenGL. The arguments belong to the application and must outlive it.
  static Result<std::unique_ptr<LaneView>> create(const Settings& settings, UiState& ui, AppStatus& status,
                                                  Pipeline& pipeline);

  // Updates the status: the values under the pointer, those of pixels large enough for numbers, and the inspected
  // pixel. picture: the source; may be null.
  void read(const Picture* picture);
  // Draws under the panels: the viewport window is transparent where pictures are. settled: they show what is chosen.
  // trace: records when OpenGL drew; may be null.
  void draw(const Palette& colours, bool settled, FrameTrace* trace);
  // The false colours, one row per map, as an OpenGL name.
  unsigned colour_maps() const { return colour_maps_.name(); }
  std::optional<Summary> draw_ms() const { return draw_ms_.summary(); }

 private:
  struct TexelReading {
    PixelProbe probe;
    std::optional<ImagePart> texel;
    const HostImage* at(const DisplayTexture& texture, Point2 pixel);
  };
  // A part of a lane's picture, read again when the picture has changed.
  struct RegionReading {
    PixelProbe probe;
    std::shared_ptr<const RegionValues> values;
    std::optional<long long> asked_picture, picture;
    void read(const DisplayTexture& texture, const PixelRect& rect, std::optional<long long> shown);
  };
  struct Readings {  // of a lane's picture
    TexelReading cursor, inspected;
    PixelProbe visible;
    RegionReading region;
  };
  // The same of the source.
  struct OriginalRegion {
    std::shared_ptr<const HostImage> source;
    PixelRect rect;
    std::shared_ptr<const RegionValues> values;
  };

  LaneView(const Settings& settings, UiState& ui, AppStatus& status, Pipeline& pipeline)
      : settings_(settings), ui_(ui), status_(status), pipeline_(pipeline) {}
  ImageDraw seen(const DisplayTexture& texture, const LaneArea& area, const ViewTransform& transform) const;
  void take_original();
  const DisplayTexture* shown(int lane) const;
  void draw_lane(int index, Size2 framebuffer);
  void draw_difference(const ImVec4& hatch, Size2 framebuffer);
  int groups_a_frame() const;
  void measure_difference();
  void measure_histogram();
  std::pair<float, float> shown_range(bool centred) const;
  void read_cursor();
  void read_pixels();
  void inspect_pixel(const Picture* picture);
  std::optional<Point2> looked_at() const;  // the pixel that the inspector takes apart
  std::optional<PixelRect> region(const Picture* picture);
  void measure_region(const Picture* picture);
  void measure_original(const PixelRect& rect);
  std::string_view why_no_inspection(const Picture* picture) const;  // empty: there is one
  void read_inspected(int lane, Point2 at, Size2 result, float one);

  const Settings& settings_;
  UiState& ui_;
  AppStatus& status_;
  Pipeline& pipeline_;
  ImageRenderer renderer_;
  GlTexture colour_maps_;
  MetricsPass metrics_;
  HistogramPass histogram_;
  GlTimer draw_timer_;
  Samples draw_ms_;
  std::array<Readings, max_lanes> readings_;
  OriginalRegion original_region_;
  // What stands for the lanes in this frame; null if it is not wanted, or not there yet.
  const DisplayTexture *reference_ = nullptr, *original_ = nullptr;
};

}  // namespace conv
