// The window driven by mouse and keyboard: what each view mode shows, against the lanes' textures.
#include <imgui_internal.h>

#include <numeric>

#include "app/display/colour_maps.h"
#include "gui_support.h"
// glad, which app.h includes, must come before
#include <GLFW/glfw3.h>

namespace conv {

namespace {

// The colour on the screen in the middle of a pixel of this lane's picture, or some screen pixels beside it.
std::array<unsigned char, 3> seen_in(int index, Point2 pixel, Point2 beside = {}) {
  const ViewArea& area = app->ui().areas[index].view;
  const Vec2 at =
      app->ui().view_of(index).screen_at_image({static_cast<float>(pixel.x) + 0.5f, static_cast<float>(pixel.y) + 0.5f},
                                               {area.left + area.width / 2, area.top + area.height / 2});
  return levels_at(screen(), {static_cast<int>(at.x) + beside.x, static_cast<int>(at.y) + beside.y});
}

GUI_TEST(the_grid_shows_many_variants_of_one_frame) {
  start_over(ctx);
  settings().grid = {"global", "cpu_direct", "tile_no_apron"};
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiKey_6);
  settle(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 6, .fitted = false};
  ctx->Yield(3);
  for (int i = 0; i < 5; ++i) {
    IM_CHECK(lane(i).active && lane(i).settled);
    IM_CHECK_GT(app->ui().areas[i].view.width, 100.0f);
  }
  IM_CHECK(!lane(5).active);
  IM_CHECK(lane(3).shown.starts_with("cpu_direct"));
  IM_CHECK(shows_reference(0) && shows_reference(1));
  int apart = 0;
  for (int x = 40; x < 56; ++x) {
    const Point2 pixel{x, 33};
    for (int i = 0; i < 4; ++i) IM_CHECK(seen_in(i, pixel) == result_at(0, pixel));
    apart += seen_in(4, pixel) != result_at(0, pixel);  // without an apron: wrong along the edges of blocks
  }
  IM_CHECK_GT(apart, 0);
  ctx->MouseMove("picture E");
  ctx->Yield(3);
  IM_CHECK(app->status().probe.cursor.find(" E ") != std::string::npos);
  ctx->ItemClick("//##view bar/##grid");
  ctx->ItemClick("//$FOCUSED/tile_no_apron");
  ctx->PopupCloseAll();
  IM_CHECK_EQ(settings().grid.size(), std::size_t{2});
  ctx->Yield(3);
  IM_CHECK(!lane(4).active);
}

// A projector makes the window narrow for a while.
GUI_TEST(a_layout_comes_back_when_the_window_is_wide_again) {
  start_over(ctx);
  const auto resize = [&](Size2 size) {
    glfwSetWindowSize(app->window().handle(), size.width, size.height);
    IM_CHECK(until(ctx, [size] { return app->window().size() == size; }));
    ctx->Yield(5);
  };
  const auto is_docked = [] { return ImGui::FindWindowByName("Inspector")->DockIsActive; };
  resize({1600, 900});
  IM_CHECK(is_docked());
  ctx->UndockWindow("Inspector");
  IM_CHECK(!is_docked());
  resize({1024, 640});
  IM_CHECK(is_docked());
  resize({1600, 900});
  IM_CHECK(!is_docked());
  app->ui().layout.reset = true;
  ctx->Yield(3);
}

// The source, beside results or in their place, with its own values.
GUI_TEST(the_original_is_shown_beside_the_result) {
  start_over(ctx);
  settings().view = ViewMode::wipe;
  settle(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 6, .fitted = false};
  const HostImage source = to_format(*app->picture(), PixelType::rgba8);
  const auto original_at = [&](Point2 pixel) {
    const Rgba8 value = source.pixels<Rgba8>()[pixel.y * source.size.width + pixel.x];
    return std::array<unsigned char, 3>{value.r, value.g, value.b};
  };
  const Point2 left{40, 30}, right{56, 30};
  IM_CHECK(original_at(left) != result_at(0, left));
  ctx->ItemCheck("//##view bar/Original");
  ctx->Yield(3);
  IM_CHECK(seen_in(0, left) == original_at(left));
  IM_CHECK(seen_in(1, right) == result_at(1, right));
  ctx->KeyDown(ImGuiKey_S);
  ctx->Yield(3);
  IM_CHECK(seen_in(1, right) == original_at(right));
  ctx->KeyUp(ImGuiKey_S);
  // The difference is that of the original.
  settings().view = ViewMode::difference;
  IM_CHECK(until(ctx, [] { return app->status().picture.metrics.has_value(); }));
  double largest = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      const auto a = original_at({x, y}), b = result_at(1, {x, y});
      for (int c = 0; c < 3; ++c) largest = std::max(largest, std::abs(a[c] - b[c]) / 255.0);
    }
  IM_CHECK_LT(std::fabs(app->status().picture.metrics->max_abs - largest), 1e-6);
  ctx->ItemUncheck("//##view bar/Original");
  settings().view = ViewMode::single;
  settle(ctx);
  IM_CHECK(seen_in(0, left) == result_at(0, left));
}

GUI_TEST(the_reference_shows_while_its_key_is_held) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_no_apron";
  settle(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 6, .fitted = false};
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->MouseMove("//##status");  // its pointer is drawn
  ctx->KeyDown(ImGuiKey_C);
  until(ctx, [] { return app->status().picture.has_reference; });
  ctx->Yield(3);
  const HostImage source = to_format(*app->picture(), PixelType::rgba8);
  const Reference exact = reference_of(source, settings().filter, settings().border, 0);
  int apart = 0;
  for (int x = 40; x < 56; ++x) {
    const auto seen = seen_in(0, {x, 33});
    for (int c = 0; c < 3; ++c)
      IM_CHECK_LE(std::fabs(seen[c] - exact.values[static_cast<std::size_t>(33 * 96 + x) * 4 + c]), 0.51);
    apart += seen != result_at(0, {x, 33});
  }
  IM_CHECK_GT(apart, 0);
  ctx->KeyUp(ImGuiKey_C);
  ctx->Yield(3);
  for (int x = 40; x < 56; ++x) IM_CHECK(seen_in(0, {x, 33}) == result_at(0, {x, 33}));
}

GUI_TEST(unlocked_lanes_are_dragged_apart) {
  start_over(ctx);
  settings().view = ViewMode::side;
  settle(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 6, .fitted = false};
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture B");
  ctx->KeyPress(ImGuiKey_L);
  const ImVec2 from = ImGui::GetIO().MousePos;
  ctx->MouseDown();
  ctx->MouseMoveToPos({from.x + 60, from.y + 12});
  ctx->Yield();
  ctx->MouseUp();
  ctx->KeyPress(ImGuiKey_L);
  IM_CHECK(std::fabs(app->ui().compare.apart.x + 10) < 0.5f && std::fabs(app->ui().compare.apart.y + 2) < 0.5f);
  IM_CHECK_EQ(app->ui().view.centre.x, 48.0f);
  ctx->MouseMove("picture A");  // locked again: both move, and keep their distance
  const Vec2 apart = app->ui().compare.apart;
  ctx->MouseDown();
  ctx->MouseMoveToPos({ImGui::GetIO().MousePos.x + 30, ImGui::GetIO().MousePos.y});
  ctx->Yield();
  ctx->MouseUp();
  ctx->Yield(3);
  IM_CHECK(std::fabs(app->ui().view.centre.x - 43) < 0.5f);
  IM_CHECK(app->ui().compare.apart.x == apart.x && app->ui().compare.apart.y == apart.y);
  for (const Point2 pixel : {Point2{40, 30}, Point2{50, 33}}) IM_CHECK(seen_in(1, pixel) == result_at(1, pixel));
  app->ui().compare.apart = {};
}

GUI_TEST(values_become_light_as_the_display_says) {
  start_over(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 6, .fitted = false};
  DisplaySettings& display = settings().display;
  const Point2 pixel{45, 31};
  const auto shows = [&](auto light) {
    ctx->Yield(3);
    const auto seen = seen_in(0, pixel), value = result_at(0, pixel);
    for (int c = 0; c < 3; ++c)
      if (std::fabs(seen[c] - 255 * std::clamp(light(value[c] / 255.0), 0.0, 1.0)) > 1.01) return false;
    return true;
  };
  ctx->ItemClick("//##view bar/Display…");
  ctx->SetRef("//$FOCUSED");
  ctx->ItemInputValue("**/##exposure", 0.5f);
  IM_CHECK(shows([](double v) { return v * std::sqrt(2.0); }));
  ctx->ItemInputValue("**/##gamma", 2.2f);
  ctx->ItemInputValue("**/##display offset", -63.75f);
  IM_CHECK(shows([](double v) { return std::pow(std::max(0.0, v * std::sqrt(2.0) - 0.25), 1 / 2.2); }));
  display = {.srgb = true};
  IM_CHECK(shows([](double v) { return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055; }));
  display = {};
  ctx->ItemUncheck("**/R");
  ctx->ItemUncheck("**/B");
  ctx->Yield(3);
  const auto green = result_at(0, pixel)[1];
  IM_CHECK(seen_in(0, pixel) == (std::array{green, green, green}));
  display = {};
  app->ui().view.zoom = 40;
  until(ctx, [] {
    return app->status().picture.pixels[0].has_value() && app->status().picture.pixels[0]->image.size.area() > 100;
  });
  ctx->Yield(3);
  const ImagePart& part = *app->status().picture.pixels[0];  // the source of the numbers
  const Rgba8 value = part.image.pixels<Rgba8>()[0];
  IM_CHECK(result_at(0, part.at) == (std::array{value.r, value.g, value.b}));
}
// Lanes that differ visibly, eight screen pixels per image pixel.
void compare_enlarged(ImGuiTestContext* ctx, ViewMode mode) {
  start_over(ctx);
  settings().lanes[1].variant = "tile_no_apron";
  settings().view = mode;
  app->ui().compare.wipe = {};
  app->ui().compare.flipped = false;
  settle(ctx);
  app->ui().view = {.centre = {48, 32}, .zoom = 8, .fitted = false};
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->Yield(3);
}

// That lane's result, wherever it is drawn.
bool shows(Point2 pixel, int index) {
  return seen_in(app->ui().areas[0].view.width > 0 ? 0 : 1, pixel) == result_at(index, pixel);
}

// Pixels of the 96x64 picture far from labels, legend and divider.
constexpr Point2 left_pixel{15, 31}, right_pixel{80, 33};

GUI_TEST(the_wipe_bar_parts_the_lanes) {
  compare_enlarged(ctx, ViewMode::single);
  ctx->KeyPress(ImGuiKey_W);
  ctx->Yield(3);
  IM_CHECK(settings().view == ViewMode::wipe);
  settle(ctx);
  IM_CHECK(result_at(0, left_pixel)[1] != result_at(1, left_pixel)[1]);
  IM_CHECK(shows(left_pixel, 0) && shows(right_pixel, 1));
  const ViewArea area = app->ui().areas[0].view;
  ctx->MouseMove("wipe bar");
  ctx->MouseDown();
  ctx->MouseMoveToPos({area.left + 0.05f * area.width, area.top + area.height / 2});
  ctx->Yield();
  ctx->MouseUp();
  ctx->Yield(3);
  IM_CHECK(std::fabs(app->ui().compare.wipe.at - 0.05f) < 0.01f);
  IM_CHECK(shows(left_pixel, 1) && shows(right_pixel, 1));
  ctx->MouseDoubleClick();
  IM_CHECK_EQ(app->ui().compare.wipe.at, 0.5f);
  ctx->KeyPress(ImGuiKey_Comma);
  IM_CHECK_EQ(app->ui().compare.wipe.at, 0.49f);
  ctx->KeyPress(ImGuiKey_Period);
  ctx->KeyPress(ImGuiKey_V);
  ctx->Yield(3);
  IM_CHECK(app->ui().compare.wipe.level);
  IM_CHECK(shows({15, 10}, 0) && shows({80, 54}, 1));
  const float zoom = app->ui().view.zoom;
  ctx->MouseMove("wipe bar");
  ctx->MouseWheelY(1);
  ctx->Yield();
  IM_CHECK_GT(app->ui().view.zoom, zoom);  // the divider does not block the wheel
}

// SSIM by its definition, in double: windows of 8x8 side by side, then over the channels.
double similarity_of(const HostImage& a, const HostImage& b) {
  constexpr double c1 = 0.01 * 0.01, c2 = 0.03 * 0.03;
  double total = 0;
  int windows = 0;
  for (int top = 0; top < a.size.height; top += 8)
    for (int left = 0; left < a.size.width; left += 8)
      for (int c = 0; c < 3; ++c, ++windows) {
        std::vector<double> p, q;
        for (int y = top; y < std::min(top + 8, a.size.height); ++y)
          for (int x = left; x < std::min(left + 8, a.size.width); ++x) {
            const auto i = static_cast<std::size_t>(y) * a.size.width + x;
            p.push_back(a.channel(i, c) / 255.0);
            q.push_back(b.channel(i, c) / 255.0);
          }
        const auto n = static_cast<double>(p.size());
        const double mp = std::accumulate(p.begin(), p.end(), 0.0) / n,
                     mq = std::accumulate(q.begin(), q.end(), 0.0) / n;
        double vp = 0, vq = 0, covariance = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
          vp += (p[i] - mp) * (p[i] - mp) / n;
          vq += (q[i] - mq) * (q[i] - mq) / n;
          covariance += (p[i] - mp) * (q[i] - mq) / n;
        }
        total += (2 * mp * mq + c1) * (2 * covariance + c2) / ((mp * mp + mq * mq + c1) * (vp + vq + c2));
      }
  return total / windows;
}

GUI_TEST(the_difference_is_false_colour_of_the_exact_values) {
  compare_enlarged(ctx, ViewMode::difference);
  DifferenceSettings& s = settings().difference;
  const auto as_computed = [&](Point2 pixel) {
    const auto a = result_at(0, pixel), b = result_at(1, pixel);
    const int channels[] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const int worst = *std::max_element(channels, channels + 3, [](int x, int y) { return std::abs(x) < std::abs(y); });
    const double value = static_cast<double>(app->status().picture.gain) * worst / 255;
    const auto expected = colour_of(s.shown_map(), s.with_sign ? 0.5 + value / 2 : std::fabs(value));
    const auto seen = seen_in(0, pixel);
    for (int c = 0; c < 3; ++c)
      if (std::abs(seen[c] - expected[c]) > 2) return false;  // the table has 256 entries
    return true;
  };
  // At first the largest difference has the brightest colour.
  IM_CHECK(until(ctx, [] { return app->status().picture.metrics.has_value(); }));
  ctx->Yield(3);
  const auto& metrics = app->status().picture.metrics;
  IM_CHECK(metrics && std::fabs(app->status().picture.gain * metrics->max_abs - 1) < 1e-5);
  for (const Point2 pixel : {left_pixel, right_pixel, metrics->where}) IM_CHECK(as_computed(pixel));
  s.auto_gain = false;
  for (const float gain : {1.0f, 3.0f, 1000.0f})
    for (const ColourMapInfo& map : colour_maps) {
      s.gain = gain;
      s.with_sign = map.map == ColourMap::blue_orange;
      if (!s.with_sign) s.map = map.map;
      ctx->Yield(3);
      for (const Point2 pixel : {left_pixel, right_pixel, Point2{40, 20}, Point2{47, 40}}) IM_CHECK(as_computed(pixel));
    }
  // Inside a block the lanes agree; at the block's edge they do not, and are hatched.
  s = {.auto_gain = false, .hatched = true, .threshold = 0.5f / 255};
  ctx->Yield(3);
  const auto zero = colour_of(ColourMap::cividis, 0);
  IM_CHECK(seen_in(0, {40, 24}) == zero);
  const auto hatch = palette(Theme::dark).fault;
  const auto level = [](float v) { return static_cast<int>(std::lround(v * 255)); };
  int hatched = 0;
  for (const int beside : {-4, 0}) {  // the width of the stripes
    const auto seen = seen_in(0, {48, 31}, {beside, 0});
    hatched += std::abs(seen[0] - level(hatch.x)) <= 1 && std::abs(seen[1] - level(hatch.y)) <= 1;
  }
  IM_CHECK_EQ(hatched, 1);

  until(ctx, [&] { return app->status().picture.metrics.has_value(); });
  IM_CHECK(app->status().picture.metrics.has_value());
  const ImageMetrics m = *app->status().picture.metrics;
  double max_abs = 0, sum = 0, squares = 0, of_b = 0;
  long long beyond = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      const auto a = result_at(0, {x, y}), b = result_at(1, {x, y});
      double worst = 0;
      for (int c = 0; c < 3; ++c) {
        const double apart = std::abs(a[c] - b[c]) / 255.0;
        sum += apart;
        squares += apart * apart;
        of_b += b[c] / 255.0 * (b[c] / 255.0);
        worst = std::max(worst, apart);
      }
      max_abs = std::max(max_abs, worst);
      beyond += worst > s.threshold;
    }
  constexpr double samples = 96 * 64 * 3;
  const auto near = [](double x, double y) { return std::fabs(x - y) <= 1e-5 * std::fabs(y); };
  IM_CHECK(near(m.max_abs, max_abs) && near(m.mean_abs, sum / samples) && near(m.mean_square, squares / samples));
  IM_CHECK(near(m.relative_l2, std::sqrt(squares / of_b)) && near(m.psnr(), -10 * std::log10(squares / samples)));
  IM_CHECK_EQ(m.beyond, beyond);
  const auto a = result_at(0, m.where), b = result_at(1, m.where);
  IM_CHECK(near(max_abs, std::max({std::abs(a[0] - b[0]), std::abs(a[1] - b[1]), std::abs(a[2] - b[2])}) / 255.0));
  IM_CHECK(near(m.similarity, similarity_of(*result(0), *result(1))));
  ctx->ItemClick("//##view figures/largest difference");
  IM_CHECK(app->ui().probe.picked == m.where);
  settings().lanes[1].variant = "cpu_separable";
  settle(ctx);
  until(ctx, [&] { return app->status().picture.metrics.has_value(); });
  IM_CHECK(app->status().picture.metrics && app->status().picture.metrics->max_abs == 0 &&
           app->status().picture.metrics->similarity == 1);

  settings().lanes[1].format = PixelType::f32;
  settings().link_lanes = false;
  settle(ctx);
  IM_CHECK_STR_EQ(app->status().picture.no_difference.c_str(),
                  "One is a colour picture, the other is luma: choose the same kind of format");
}

// Numbers in pixels: white or black on the colour of the difference. Equal differences look alike, others do not.
GUI_TEST(the_difference_is_told_in_figures) {
  compare_enlarged(ctx, ViewMode::difference);
  const auto apart = [&](Point2 pixel) { return std::abs(result_at(0, pixel)[1] - result_at(1, pixel)[1]); };
  // The ink in the middle of a pixel, where the second channel's number is.
  const auto ink = [&](Point2 pixel) {
    std::vector<bool> is_ink;
    const auto ground = seen_in(0, pixel, {-10, 0});
    for (int y = -3; y <= 3; ++y)
      for (int x = -9; x <= 9; ++x) is_ink.push_back(seen_in(0, pixel, {x, y}) != ground);
    return is_ink;
  };
  const auto none = [](const std::vector<bool>& is_ink) { return std::count(is_ink.begin(), is_ink.end(), true) == 0; };
  const Point2 first{48, 31};
  app->ui().view = {.centre = {48, 32}, .zoom = 23, .fitted = false};
  ctx->Yield(3);
  IM_CHECK(none(ink(first)));
  app->ui().view.zoom = 40;
  until(ctx,
        [] { return app->status().picture.pixels[1] && app->status().picture.pixels[1]->image.size.area() > 100; });
  ctx->Yield(3);
  IM_CHECK_GT(apart(first), 0);
  int alike = 0, others = 0;
  for (int y = 28; y < 36; ++y)
    for (int x = 44; x < 52; ++x) {
      const Point2 pixel{x, y};
      IM_CHECK(!none(ink(pixel)));
      if (pixel == first) continue;
      IM_CHECK_EQ(ink(pixel) == ink(first), apart(pixel) == apart(first));
      ++(apart(pixel) == apart(first) ? alike : others);
    }
  IM_CHECK(alike > 0 && others > 0);
}

GUI_TEST(flip_changes_the_picture_in_place) {
  compare_enlarged(ctx, ViewMode::flip);
  IM_CHECK(shows(left_pixel, 0));
  ctx->KeyPress(ImGuiKey_Space);
  ctx->Yield(3);
  IM_CHECK(shows(left_pixel, 1));
  ctx->KeyDown(ImGuiKey_GraveAccent);
  ctx->Yield(3);
  IM_CHECK(shows(left_pixel, 0));
  ctx->KeyUp(ImGuiKey_GraveAccent);
  ctx->Yield(3);
  IM_CHECK(shows(left_pixel, 1));
  app->ui().compare.flipped = false;
  ctx->KeyPress(ImGuiKey_1);
  ctx->Yield(2);
  IM_CHECK(settings().view == ViewMode::single);
}

}  // namespace

// A region is selected by Shift and a drag; its numbers are those of the pictures, also after they have changed.
GUI_TEST(a_region_is_selected_and_measured) {
  start_over(ctx);
  app->settings().view = ViewMode::side;
  app->settings().source = {.pattern = PatternKind::noise, .pattern_size = {200, 100}};
  settle(ctx);
  Probe& probe = app->ui().probe;
  const auto at = [&](float x, float y) {
    const ViewArea& area = app->ui().areas[0].view;
    const Vec2 p = app->ui().view.screen_at_image({x, y}, {area.left + area.width / 2, area.top + area.height / 2});
    return ImVec2(p.x, p.y);
  };
  const Vec2 centre = app->ui().view.centre;
  ctx->MouseMoveToPos(at(40.5f, 30.5f));
  ctx->KeyDown(ImGuiMod_Shift);
  ctx->MouseDown(0);
  ctx->MouseMoveToPos(at(99.5f, 79.5f));
  ctx->MouseUp(0);
  ctx->KeyUp(ImGuiMod_Shift);
  ctx->Yield(3);
  IM_CHECK(app->ui().shown.profile);
  IM_CHECK(probe.region == (PixelRect{40, 30, 60, 50}));
  IM_CHECK(app->ui().view.centre.x == centre.x && !probe.picked);  // no pan, no pick

  const RegionStatus& region = app->status().probe.region;
  const auto agrees = [&](int index) {
    if (!region.of[1 + index]) return false;
    const RegionValues& shown = *region.of[1 + index];
    const RegionValues wanted = region_values(*part_of(*result(index), {40, 30}, {60, 50}));
    return shown.of[1].mean == wanted.of[1].mean && shown.of[1].deviation == wanted.of[1].deviation &&
           shown.of[1].along_x == wanted.of[1].along_x;
  };
  IM_CHECK(until(ctx, [&] { return region.of[0] && agrees(0) && agrees(1); }));
  IM_CHECK(region.difference->largest < 0.01);
  const double before = region.of[1]->of[0].deviation;
  IM_CHECK(before < region.of[0]->of[0].deviation / 2);  // a blur takes noise away
  app->settings().auto_radius = false;
  app->settings().filter.radius = 1;
  settle(ctx);
  IM_CHECK(until(ctx, [&] { return agrees(0); }));
  IM_CHECK(region.of[1]->of[0].deviation > before);

  // A region that is too large says so. Without one, the profile is of the line through the pixel.
  probe.region = PixelRect{0, 0, 1000, 1000};
  ctx->Yield(3);
  IM_CHECK(region.none.find("at most 65536 pixels") != std::string::npos);
  ctx->MouseMoveToPos(at(50.5f, 60.5f));
  ctx->KeyDown(ImGuiMod_Shift);
  ctx->MouseClick(0);
  ctx->KeyUp(ImGuiMod_Shift);
  ctx->Yield(3);
  IM_CHECK(!probe.region && !probe.picked);
  IM_CHECK(region.rect == (PixelRect{0, 60, 200, 1}));
  ctx->ItemClick("//Profile/Column");
  ctx->MouseMoveToPos(at(50.5f, 60.5f));
  ctx->Yield(3);
  IM_CHECK(region.rect == (PixelRect{50, 0, 1, 100}));
  IM_CHECK(until(ctx, [&] { return region.of[1] && region.of[1]->part.image.size == (Size2{1, 100}); }));
  // A smaller picture has no such pixel, and no such region.
  probe.region = PixelRect{150, 80, 20, 10};
  app->settings().source.pattern_size = {50, 40};
  IM_CHECK(until(ctx, [&] { return app->status().source.size == (Size2{50, 40}); }));
  ctx->Yield(3);
  IM_CHECK(!probe.region);
  probe.column = false;
  app->ui().shown.profile = false;
}

}  // namespace conv
