#include "app/shell/lane_view.h"

// glad must come before anything that includes an OpenGL header
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/display/colour_maps.h"
#include "app/model/value_text.h"

namespace conv {

namespace {

constexpr long long most_region_pixels = 1 << 16;  // about a millisecond

// Results around 0, in a format that can represent negative values.
bool lies_around_zero(const Taps& taps, PixelType format) {
  if (is_8_bit(format) || taps.offset != 0 || !taps.chain.empty() || !taps.negative()) return false;
  const float sum = std::accumulate(taps.values.begin(), taps.values.end(), 0.0f);
  const float magnitude = std::accumulate(taps.values.begin(), taps.values.end(), 0.0f,
                                          [](float total, float tap) { return total + std::fabs(tap); });
  return std::fabs(sum) < 0.05f * magnitude;
}

// "118 94 61 255".
std::string values_text(const HostImage& texel, ValueUnit unit) {
  std::string text;
  for (int c = 0; c < info(texel.type).channels; ++c)
    text += fmt::format("{}{:>3}", c > 0 ? " " : "",
                        value_text(texel.channel(0, c) / info(texel.type).one, unit, is_8_bit(texel.type)));
  return text;
}

}  // namespace

Result<std::unique_ptr<LaneView>> LaneView::create(const Settings& settings, UiState& ui, AppStatus& status,
                                                   Pipeline& pipeline) {
  ImageRenderer renderer = CONV_TRY(ImageRenderer::create());
  MetricsPass metrics = CONV_TRY(MetricsPass::create());
  HistogramPass histogram = CONV_TRY(HistogramPass::create());
  std::unique_ptr<LaneView> view(new LaneView(settings, ui, status, pipeline));
  view->renderer_ = std::move(renderer);
  view->metrics_ = std::move(metrics);
  view->histogram_ = std::move(histogram);
  view->colour_maps_ = colour_map_texture();
  return view;
}

// The part of a lane's picture that panels do not cover.
ImageDraw LaneView::seen(const DisplayTexture& texture, const LaneArea& area, const ViewTransform& transform) const {
  const ImVec2 density = ImGui::GetIO().DisplayFramebufferScale;
  const ViewArea &view = area.view, &visible = area.visible;
  const Point2 corner = corner_in_source(texture.size(), status_.source.size);
  const Vec2 origin =
      transform.screen_at_image({static_cast<float>(corner.x), static_cast<float>(corner.y)},
                                {view.left - visible.left + view.width / 2, view.top - visible.top + view.height / 2});
  // From one screen pixel per image pixel on, image pixels begin at whole screen pixels.
  const auto snapped = [&](float v) { return transform.zoom >= 1 ? std::round(v) : v; };
  return {.picture = texture.tiled(),
          .grey = info(texture.type()).channels == 1,
          .area = {visible.left * density.x, visible.top * density.y, visible.width * density.x,
                   visible.height * density.y},
          .origin_x = snapped(origin.x * density.x),
          .origin_y = snapped(origin.y * density.y),
          .zoom = transform.zoom * density.x};
}

void LaneView::draw_difference(const ImVec4& hatch, Size2 framebuffer) {
  const DisplayTexture *a = shown(0), *b = shown(1);
  status_.picture.no_difference.clear();
  status_.picture.metrics.reset();
  if (!settings_.difference.auto_gain) status_.picture.gain = settings_.difference.gain;
  if (!a || !b)
    status_.picture.no_difference = "waiting for both pictures";
  else if (a->size() != b->size())
    status_.picture.no_difference =
        fmt::format("{} is {}x{}, B is {}x{}: no difference", ui_.compare.shows_original(0) ? "The original" : "A",
                    a->size().width, a->size().height, b->size().width, b->size().height);
  else if (info(a->type()).channels != info(b->type()).channels)
    status_.picture.no_difference = "One is a colour picture, the other is luma: choose the same kind of format";
  if (!status_.picture.no_difference.empty() || ui_.areas[0].view.width < 1) return;
  renderer_.draw_difference(seen(*a, ui_.areas[0], ui_.view),
                            {.other = b->tiled(),
                             .maps = colour_maps_.name(),
                             .settings = settings_.difference,
                             .gain = status_.picture.gain,
                             .hatch = {hatch.x, hatch.y, hatch.z}},
                            framebuffer);
}

// A GPU processes a large picture in one frame; a CPU that draws processes a part of it in every frame.
int LaneView::groups_a_frame() const {
  return status_.device.no_gpu.empty() ? 4096 : 32;
}

void LaneView::measure_difference() {
  if (!status_.picture.no_difference.empty()) return;
  if (status_.source.playing() && !status_.device.no_gpu.empty()) return;  // the parts would be of different frames
  const DisplayTexture &a = *shown(0), &b = *shown(1);
  const MetricsJob job{.a = a.tiled(),
                       .b = b.tiled(),
                       .channels = info(a.type()).channels == 1 ? 1 : 3,
                       .tolerance = settings_.difference.threshold,
                       .generation = status_.lanes[0].picture + (status_.lanes[1].picture << 32)};
  metrics_.advance(job, groups_a_frame());
  status_.picture.metrics = metrics_.result(job);
  if (const auto& metrics = status_.picture.metrics; metrics && settings_.difference.auto_gain)
    status_.picture.gain = metrics->max_abs > 0 ? std::clamp(static_cast<float>(1 / metrics->max_abs), 1.0f, 1e6f) : 1;
}

// The range that the screen shows from black to white, so that values outside are visible as lost.
void LaneView::measure_histogram() {
  const LaneStatus& lane = status_.lanes[0];
  const DisplayTexture* texture = shown(0);
  if (!texture) return;
  const auto [gain, zero] = shown_range(lane.centred);
  histogram_.advance({.picture = texture->tiled(),
                      .channels = info(texture->type()).channels == 1 ? 1 : 3,
                      .low = -zero / gain,
                      .high = (1 - zero) / gain,
                      .generation = lane.picture},
                     groups_a_frame());
  status_.picture.histogram = histogram_.result();
}

// Values are multiplied by the first, and the second is added: 0 becomes black and 1 becomes white.
std::pair<float, float> LaneView::shown_range(bool centred) const {
  const DisplaySettings& display = settings_.display;
  return {std::exp2(display.exposure) * (centred ? 0.5f : 1.0f), display.offset + (centred ? 0.5f : 0.0f)};
}

// What is drawn of a lane: its result, or what stands for it. Null if that is not there yet.
const DisplayTexture* LaneView::shown(int lane) const {
  if (ui_.compare.shows_original(lane)) return original_;
  if (!status_.lanes[lane].has_picture) return nullptr;
  return reference_ ? reference_ : &pipeline_.texture(lane);
}

void LaneView::draw_lane(int index, Size2 framebuffer) {
  LaneStatus& lane = status_.lanes[index];
  const DisplayTexture* texture = shown(index);
  if (ui_.areas[index].view.width < 1 || !texture) return;
  const DisplaySettings& display = settings_.display;
  lane.centred =
      display.range == DisplayRange::centred ||
      (display.range == DisplayRange::automatic && status_.filter.taps && !ui_.compare.shows_original(index) &&
       lies_around_zero(*status_.filter.taps, pipeline_.texture(index).type()));
  ImageDraw draw = seen(*texture, ui_.areas[index], ui_.view_of(index));
  std::tie(draw.gain, draw.zero) = shown_range(lane.centred);
  draw.srgb = display.srgb;
  draw.gamma = display.gamma;
  draw.channels = display.channels;
  renderer_.draw(draw, framebuffer);
}

void LaneView::draw(const Palette& colours, bool settled, FrameTrace* trace) {
  const ImDrawData& panels = *ImGui::GetDrawData();  // the layout that they were computed for
  const Size2 framebuffer{static_cast<int>(panels.DisplaySize.x * panels.FramebufferScale.x),
                          static_cast<int>(panels.DisplaySize.y * panels.FramebufferScale.y)};
  const ImVec4 ground = colours.background;
  glDisable(GL_SCISSOR_TEST);
  glViewport(0, 0, framebuffer.width, framebuffer.height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  const bool traced = trace && !trace->ended();
  if (draw_timer_.begin(traced) && traced) trace->await();
  const bool subtracts = settings_.view == ViewMode::difference;
  reference_ = ui_.compare.holds_reference && !subtracts ? pipeline_.reference(settings_) : nullptr;
  status_.picture.has_reference = reference_ != nullptr;
  for (int i = 0; i < max_lanes; ++i)
    status_.picture.letters[i] = ui_.compare.shows_original(i) ? 'O' : reference_ ? 'R' : static_cast<char>('A' + i);
  if (subtracts)
    draw_difference(colours.fault, framebuffer);
  else
    for (int i = 0; i < max_lanes; ++i) draw_lane(i, framebuffer);
  draw_timer_.end();
  if (subtracts && settled) measure_difference();
  if (std::exchange(ui_.wants.histogram, false)) measure_histogram();
  if (const auto drawn = draw_timer_.poll()) {
    draw_ms_.add(drawn->ms);
    if (drawn->began && trace) trace->came({.title = "draw", .by = TracedBy::graphics}, *drawn->began, {0, drawn->ms});
  }
}

void LaneView::take_original() {
  const bool wanted = ui_.compare.original || ui_.compare.holds_original;
  if (!wanted) pipeline_.release_original();
  original_ = wanted ? pipeline_.original(info(settings_.lanes[0].format).aos) : nullptr;
  status_.picture.has_original = original_ != nullptr;
}

void LaneView::read(const Picture* picture) {
  take_original();
  read_cursor();
  read_pixels();
  inspect_pixel(picture);
  measure_region(picture);
}

// The pixel of this texture, once it has been read; null before.
const HostImage* LaneView::TexelReading::at(const DisplayTexture& texture, Point2 pixel) {
  if (auto read = probe.poll()) texel = std::move(*read);
  const bool here = texel && texel->at == pixel && texel->image.type == texture.type();
  // In each frame while the position changes, otherwise often enough for a picture that changes.
  if (!here || ImGui::GetFrameCount() % 8 == 0) probe.request(texture.tiled(), texture.type(), pixel);
  return here ? &texel->image : nullptr;
}

void LaneView::read_cursor() {
  status_.probe.cursor.clear();
  if (!ui_.probe.hovered && !ui_.probe.picked) return;
  const Point2 pixel = ui_.probe.hovered ? ui_.probe.pixel : *ui_.probe.picked;
  status_.probe.cursor = fmt::format("{}x {:4} y {:4}", ui_.probe.hovered ? "" : "picked ", pixel.x, pixel.y);
  for (int i = 0; i < max_lanes; ++i) {
    if (i > 1 && i != ui_.probe.hovered_lane) continue;
    const DisplayTexture* texture = status_.lanes[i].active ? shown(i) : nullptr;
    if (!texture) continue;
    const Size2 size = texture->size();
    const Point2 corner = corner_in_source(size, status_.source.size);
    const Point2 at{pixel.x - corner.x, pixel.y - corner.y};
    if (at.x < 0 || at.y < 0 || at.x >= size.width || at.y >= size.height) continue;
    const HostImage* texel = readings_[i].cursor.at(*texture, at);
    status_.probe.cursor +=
        fmt::format("   {} {}", status_.picture.letters[i], texel ? values_text(*texel, settings_.display.unit) : "–");
  }
}

// The visible pixels, if they are large enough for numbers.
void LaneView::read_pixels() {
  for (int i = 0; i < max_lanes; ++i) {
    const ViewArea& area = ui_.areas[i].view;
    const DisplayTexture* texture = shown(i);
    const bool wanted = settings_.display.pixel_grid && ui_.view.zoom >= ViewTransform::values_zoom &&
                        area.width >= 1 && texture &&
                        (settings_.view != ViewMode::difference || status_.picture.no_difference.empty());
    if (!wanted) {
      status_.picture.pixels[i].reset();
      continue;
    }
    Readings& probe = readings_[i];
    if (auto pixels = probe.visible.poll()) status_.picture.pixels[i] = std::move(*pixels);
    const Point2 corner = corner_in_source(texture->size(), status_.source.size);
    const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
    const ViewTransform view = ui_.view_of(i);
    const Vec2 from = view.image_at_screen({area.left, area.top}, middle);
    const Vec2 to = view.image_at_screen({area.left + area.width, area.top + area.height}, middle);
    const auto within = [](float v, int most) { return std::clamp(static_cast<int>(std::floor(v)), 0, most); };
    const Size2 size = texture->size();
    const Point2 first{within(from.x - corner.x, size.width - 1), within(from.y - corner.y, size.height - 1)};
    const Point2 last{within(to.x - corner.x, size.width - 1), within(to.y - corner.y, size.height - 1)};
    probe.visible.request(texture->tiled(), texture->type(), first, {last.x - first.x + 1, last.y - first.y + 1});
  }
}

std::optional<Point2> LaneView::looked_at() const {
  const Probe& probe = ui_.probe;
  if (probe.inspected_pin >= 0) return probe.pins[probe.inspected_pin];
  return probe.hovered ? std::optional(probe.pixel) : probe.picked;
}

std::string_view LaneView::why_no_inspection(const Picture* picture) const {
  if (!looked_at()) return "Point at a pixel of the picture, or click one to keep it.";
  if (!picture || !status_.filter.taps) return "No filter.";
  if (status_.source.playing()) return "Pause the source (P) to inspect a pixel.";
  if (!status_.filter.taps->chain.empty() || settings_.iterations > 1)
    return "A chain of filters: the inspector shows single filters only.";
  return "";
}

void LaneView::inspect_pixel(const Picture* picture) {
  status_.probe.inspection.reset();
  status_.probe.shown = {};
  if (!std::exchange(ui_.wants.inspection, false)) return;
  if (status_.probe.no_inspection = why_no_inspection(picture); !status_.probe.no_inspection.empty()) return;
  const Point2 pixel = *looked_at();
  const ConvSettings job = conv_settings(settings_.lanes[0], settings_, status_.filter.taps);
  const Size2 result = target_size(picture->size, status_.filter.taps->radius(), settings_.border);
  const Point2 corner = corner_in_source(result, picture->size);
  const Point2 at{pixel.x - corner.x, pixel.y - corner.y};
  if (at.x < 0 || at.y < 0 || at.x >= result.width || at.y >= result.height) {
    status_.probe.no_inspection = "Valid padding has no result here.";
    return;
  }
  const auto source = pipeline_.source_in(job.format);
  if (!source) {
    status_.probe.no_inspection = fmt::format("Converting the picture to {}.", info(job.format).title);
    return;
  }
  status_.probe.inspection = inspect(*source, *status_.filter.taps, settings_.border, outside_of(job), pixel);
  for (int lane = 0; lane < 2; ++lane) read_inspected(lane, at, result, info(job.format).one);
}

// What the lane shows at a pixel of the result, in the inspection's unit; nothing if it shows another picture.
void LaneView::read_inspected(int lane, Point2 at, Size2 result, float one) {
  const auto& texture = pipeline_.texture(lane);
  const int channels = status_.probe.inspection->channels;
  const bool alike = (info(texture.type()).channels == 1) == (channels == 1);
  if (!status_.lanes[lane].active || !status_.lanes[lane].has_picture || !alike || texture.size() != result) return;
  const HostImage* texel = readings_[lane].inspected.at(texture, at);
  if (!texel) return;
  auto& values = status_.probe.shown[lane].emplace();
  for (int c = 0; c < channels; ++c)
    values[c] = static_cast<double>(texel->channel(0, c)) / info(texture.type()).one * one;
}

// shown: the number of a picture that stays; nothing: it changes. Until the part has been read, the values are those of
// the part before.
void LaneView::RegionReading::read(const DisplayTexture& texture, const PixelRect& rect,
                                   std::optional<long long> shown) {
  if (auto part = probe.poll()) {
    values = std::make_shared<const RegionValues>(region_values(std::move(*part)));
    picture = asked_picture;
  }
  const Point2 at{rect.left, rect.top};
  const Size2 size{rect.width, rect.height};
  const bool here =
      values && values->part.at == at && values->part.image.size == size && values->part.image.type == texture.type();
  if (here && (shown ? picture == shown : ImGui::GetFrameCount() % 8 != 0)) return;
  if (probe.request(texture.tiled(), texture.type(), at, size)) asked_picture = shown;
}

// The selected region, or a line through the pixel, at first the one in the middle. Nothing: RegionStatus::none says
// why.
std::optional<PixelRect> LaneView::region(const Picture* picture) {
  RegionStatus& status = status_.probe.region;
  if (!picture) return std::nullopt;
  const Size2 size = picture->size;
  if (const std::optional<PixelRect>& selected = ui_.probe.region) {
    if (Size2{selected->width, selected->height}.area() <= most_region_pixels) return selected;
    status.none = fmt::format("The region has {}×{} pixels. Select at most {} pixels.", selected->width,
                              selected->height, most_region_pixels);
    return std::nullopt;
  }
  if (ui_.probe.hovered || ui_.probe.picked) ui_.probe.last = ui_.probe.hovered ? ui_.probe.pixel : *ui_.probe.picked;
  const Point2 at = ui_.probe.last.value_or(Point2{size.width / 2, size.height / 2});
  return ui_.probe.column ? PixelRect{at.x, 0, 1, size.height} : PixelRect{0, at.y, size.width, 1};
}

void LaneView::measure_original(const PixelRect& rect) {
  OriginalRegion& own = original_region_;
  const std::shared_ptr<const HostImage> source =
      status_.source.playing() ? nullptr : pipeline_.source_in(info(settings_.lanes[0].format).aos);
  if (own.source == source && own.rect == rect) return;
  own = {.source = source, .rect = rect, .values = nullptr};
  if (!source) return;
  if (auto part = part_of(*source, {rect.left, rect.top}, {rect.width, rect.height}))
    own.values = std::make_shared<const RegionValues>(region_values(std::move(*part)));
}

void LaneView::measure_region(const Picture* picture) {
  RegionStatus& status = status_.probe.region;
  const RegionStatus before = std::exchange(status, {});
  if (!std::exchange(ui_.wants.region, false)) return;
  const std::optional<PixelRect> rect = region(picture);
  if (!rect) return;
  status.rect = *rect;
  measure_original(*rect);
  status.of[0] = original_region_.values;
  for (int lane = 0; lane < 2; ++lane) {
    const LaneStatus& now = status_.lanes[lane];
    if (!now.active || !now.has_picture) continue;
    const DisplayTexture& texture = pipeline_.texture(lane);
    // A result may be smaller than the source.
    const Point2 corner = corner_in_source(texture.size(), picture->size);
    const int left = std::max(rect->left - corner.x, 0), top = std::max(rect->top - corner.y, 0);
    const int right = std::min(rect->left - corner.x + rect->width, texture.size().width);
    const int bottom = std::min(rect->top - corner.y + rect->height, texture.size().height);
    if (left >= right || top >= bottom) continue;
    const bool stays = now.settled && !status_.source.playing();
    RegionReading& reading = readings_[lane].region;
    reading.read(texture, {left, top, right - left, bottom - top}, stays ? std::optional(now.picture) : std::nullopt);
    status.of[1 + lane] = reading.values;
    status.corner[1 + lane] = corner;
  }
  if (!status.of[1] || !status.of[2]) return;
  const bool same = status.of[1] == before.of[1] && status.of[2] == before.of[2];
  status.difference = same ? before.difference : region_difference(*status.of[1], *status.of[2]);
}

}  // namespace conv
