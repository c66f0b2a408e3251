// The window driven by mouse and keyboard: settings, files, views, the inspector, the lab.
#include <fcntl.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <csignal>

#include "gui_support.h"
// glad, which app.h includes, must come before
#include <GLFW/glfw3.h>

#include "kernels/core/file.h"

namespace conv {

namespace {

// Under Change… in the settings, with Enter.
void type_path(ImGuiTestContext* ctx, const std::string& path) {
  ctx->ItemClick("//Settings/Change…");
  ctx->ItemInputValue("//$FOCUSED/rows/##path", path.c_str());
  ctx->PopupCloseAll();
}

// A list, a menu or another popup.
bool list_is_open() {
  return !ImGui::GetCurrentContext()->OpenPopupStack.empty();
}

GUI_TEST(clicks_and_typed_values_reach_the_picture) {
  start_over(ctx);
  ctx->SetRef("Settings");
  ctx->ItemInputValue("**/##radius", 7);
  settle(ctx);
  IM_CHECK_EQ(settings().filter.radius, 7);
  IM_CHECK(lane(0).shown.ends_with("radius 7"));
  IM_CHECK(shows_reference(0));
  ctx->ItemInputValue("**/##sigma", 3.5f);
  settle(ctx);
  IM_CHECK(std::fabs(settings().filter.sigma - 3.5) < 1e-6);
  IM_CHECK(shows_reference(0));
}

GUI_TEST(a_slider_follows_the_mouse) {
  start_over(ctx);
  ctx->SetRef("Settings");
  const ImGuiTestItemInfo slider = ctx->ItemInfo("**/##radius");
  ctx->MouseMoveToPos({slider.RectFull.Min.x + slider.RectFull.GetWidth() * 0.1f, slider.RectFull.GetCenter().y});
  ctx->MouseDown();
  for (int i = 1; i <= 8; ++i) {
    ctx->MouseMoveToPos({slider.RectFull.Min.x + slider.RectFull.GetWidth() * (0.1f + 0.1f * static_cast<float>(i)),
                         slider.RectFull.GetCenter().y});
    ctx->Yield(2);
  }
  ctx->MouseUp();
  settle(ctx);
  IM_CHECK_GT(settings().filter.radius, 50);
  IM_CHECK(lane(0).shown.ends_with(fmt::format("radius {}", settings().filter.radius)));
  IM_CHECK(shows_reference(0));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);  // one drag is one undo step
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.radius, 5);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y);
  ctx->Yield(2);
  IM_CHECK_GT(settings().filter.radius, 50);
}

GUI_TEST(keys_change_settings) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiKey_RightBracket, 3);
  IM_CHECK_EQ(settings().filter.radius, 8);
  ctx->KeyPress(ImGuiKey_LeftBracket);
  IM_CHECK_EQ(settings().filter.radius, 7);
  ctx->KeyPress(ImGuiKey_N);
  IM_CHECK(settings().border == Border::mirror);
  ctx->KeyPress(ImGuiKey_K);
  IM_CHECK(settings().filter.kind == FilterKind::gaussian_integer);
  IM_CHECK_EQ(settings().filter.radius, 4);  // the largest allowed
  ctx->KeyPress(ImGuiKey_Apostrophe);
  IM_CHECK(settings().lanes[0].block == (Size2{32, 8}));
  settle(ctx);
  IM_CHECK(shows_reference(0));
  ctx->KeyPress(ImGuiKey_X);
  IM_CHECK_EQ(settings().lanes[0].variant, std::string("tile_linear"));
  settle(ctx);
  IM_CHECK(shows_reference(0));
  ctx->KeyPress(ImGuiKey_F1);
  ctx->Yield(2);
  IM_CHECK(ctx->WindowInfo("//Keyboard shortcuts").Window != nullptr);
  ctx->KeyPress(ImGuiKey_Escape);
}

GUI_TEST(the_variant_is_chosen_in_the_toolbar) {
  start_over(ctx);
  for (const char* id : {"global", "constant", "tile_unrolled", "separable_tiles", "cpu_direct"}) {
    choose_variant(ctx, 'A', id);
    settle(ctx);
    IM_CHECK_EQ(settings().lanes[0].variant, std::string(id));
    IM_CHECK(lane(0).shown.starts_with(id));
    IM_CHECK(shows_reference(0));
  }
}

GUI_TEST(a_key_opens_the_variants_and_typing_chooses_one) {
  start_over(ctx);
  settings().view = ViewMode::side;
  for (const int index : {0, 1}) {
    ctx->KeyPress(index == 0 ? ImGuiKey_A : ImGuiKey_B);
    ctx->Yield(3);
    IM_CHECK(list_is_open());
    ctx->KeyChars("separable white");
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(2);
    IM_CHECK(!list_is_open());
    IM_CHECK_EQ(settings().lanes[index].variant, std::string("separable_whitepaper"));
  }
}

GUI_TEST(escape_closes_what_is_open) {
  start_over(ctx);
  settings().view = ViewMode::single;
  const auto closes = [&] {
    ctx->Yield(3);
    IM_CHECK_RETV(list_is_open(), false);
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(3);
    IM_CHECK_RETV(!list_is_open(), false);
    return true;
  };
  ctx->KeyPress(ImGuiKey_A);
  IM_CHECK(closes());
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  IM_CHECK(closes());
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
  IM_CHECK(closes());
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("File");
  IM_CHECK(closes());
  ctx->ItemClick("//Settings/Change…");
  IM_CHECK(closes());
  ctx->ItemClick("//Settings/filter/##padding");
  IM_CHECK(closes());
  if (no_video().empty()) {
    ctx->ItemClick("//##toolbar/Camera");
    IM_CHECK(closes());
  }
  ctx->KeyPress(ImGuiKey_2);  // the keys of the program work again
  ctx->Yield(2);
  IM_CHECK_EQ(settings().view, ViewMode::side);
}

GUI_TEST(a_double_click_on_a_slider_types_its_value) {
  start_over(ctx);
  settings().filter.sigma = 2;
  ctx->Yield(2);
  for (const char* value : {"3.25", "0.8"}) {
    ctx->MouseMove("//Settings/**/##sigma");
    ctx->MouseDoubleClick();
    ctx->Yield(2);
    ctx->KeyCharsReplaceEnter(value);
    ctx->Yield(2);
    IM_CHECK_EQ(settings().filter.sigma, std::stod(value));
  }
  ctx->MouseMove("//Settings/**/##sigma");
  ctx->MouseDoubleClick();
  ctx->Yield(2);
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.sigma, 0.8);  // the first click had moved it
  // The value beside the slider.
  const ImRect slider = ctx->ItemInfo("//Settings/**/##radius").RectFull;
  ctx->MouseMoveToPos({slider.Max.x + 50, slider.GetCenter().y});
  ctx->MouseClick();
  ctx->Yield(3);
  ctx->KeyCharsReplaceEnter("9");
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.radius, 9);
}

// Textures are reused: creating them again would make the driver's memory grow and shrink.
GUI_TEST(textures_of_sizes_to_come_are_kept) {
  start_over(ctx);
  const Size2 first = settings().source.pattern_size;
  const auto texture = [] { return app->pipeline().texture(0).tiled().name; };
  const GLuint name = texture();
  settings().source.pattern_size = {33, 70};
  settle(ctx);
  IM_CHECK_NE(texture(), name);
  IM_CHECK(shows_reference(0));
  settings().source.pattern_size = first;
  settle(ctx);
  IM_CHECK_EQ(texture(), name);
  IM_CHECK(shows_reference(0));
}

GUI_TEST(side_by_side_shows_both_lanes) {
  start_over(ctx);
  IM_CHECK(!lane(1).active);
  ctx->SetRef("##toolbar");
  ctx->ItemClick("Side");
  settings().source.pattern_size = {96, 48};
  settle(ctx);
  IM_CHECK(lane(1).active);
  IM_CHECK(shows_reference(0));
  IM_CHECK(shows_reference(1));
  const auto& areas = app->ui().areas;  // a wide picture: one above the other, where it is larger
  IM_CHECK(areas[1].view.top >= areas[0].view.top + areas[0].view.height);
  IM_CHECK_EQ(areas[0].view.width, areas[1].view.width);
  settings().source.pattern_size = {64, 96};
  settle(ctx);
  IM_CHECK(areas[1].view.left >= areas[0].view.left + areas[0].view.width);
  IM_CHECK_EQ(areas[0].view.height, areas[1].view.height);
  ctx->ItemClick("Single");
  ctx->Yield(2);
  IM_CHECK_EQ(app->ui().areas[1].view.width, 0.0f);
}

GUI_TEST(the_view_pans_and_zooms_at_the_cursor) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  const ImGuiTestItemInfo picture = ctx->ItemInfo("picture A");
  const ViewArea area = app->ui().areas[0].view;
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  ctx->MouseMoveToPos({picture.RectFull.GetCenter().x + 60, picture.RectFull.GetCenter().y + 25});
  ctx->Yield();
  const ImVec2 at = ImGui::GetIO().MousePos;
  const ViewTransform before = app->ui().view;
  const Point2 pixel = app->ui().probe.pixel;
  IM_CHECK(app->ui().probe.hovered);
  ctx->MouseWheelY(2);
  ctx->Yield(2);
  const ViewTransform& after = app->ui().view;
  IM_CHECK_GT(after.zoom, before.zoom * 1.2f);
  IM_CHECK(app->ui().probe.pixel == pixel);
  const Vec2 a = before.image_at_screen({at.x, at.y}, middle), b = after.image_at_screen({at.x, at.y}, middle);
  IM_CHECK(std::fabs(a.x - b.x) < 0.01f && std::fabs(a.y - b.y) < 0.01f);
  ctx->MouseDown();
  ctx->MouseMoveToPos({at.x + 40, at.y - 30});
  ctx->Yield();
  ctx->MouseUp();
  const Vec2 moved = app->ui().view.screen_at_image(b, middle);
  IM_CHECK(std::fabs(moved.x - (at.x + 40)) < 2 && std::fabs(moved.y - (at.y - 30)) < 2);
  ctx->KeyPress(ImGuiKey_F);
  ctx->Yield(2);
  IM_CHECK(app->ui().view.fitted);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_0);
  ctx->Yield(2);
  IM_CHECK_EQ(app->ui().view.zoom, 1.0f);
}

// The status bar shows the exact value of the result under the pointer.
GUI_TEST(the_cursor_reads_the_exact_value) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->Yield(20);
  const Point2 p = app->ui().probe.pixel;
  const HostImage shown = *result(0);
  const Rgba8 value = shown.pixels<Rgba8>()[p.y * shown.size.width + p.x];
  IM_CHECK_STR_EQ(
      app->status().probe.cursor.c_str(),
      fmt::format("x {:4} y {:4}   A {:3} {:3} {:3} {:3}", p.x, p.y, value.r, value.g, value.b, value.a).c_str());
}

// The pixels on the screen are those of the texture: at 8:1 every image pixel is a sharp square of its own colour.
GUI_TEST(pixels_stay_crisp) {
  start_over(ctx);
  settings().display.pixel_grid = false;
  app->ui().view = {.centre = {48, 32}, .zoom = 8, .fitted = false};
  ctx->Yield(2);
  const ViewArea area = app->ui().areas[0].view;
  for (const Point2 p : {Point2{40, 30}, {47, 33}, {55, 28}})
    for (const Point2 within : {Point2{0, 0}, {7, 7}, {3, 4}}) {
      const auto x =
          static_cast<int>(std::lround(area.left) + std::lround(area.width / 2 - 48 * 8) + p.x * 8 + within.x);
      const auto y =
          static_cast<int>(std::lround(area.top) + std::lround(area.height / 2 - 32 * 8) + p.y * 8 + within.y);
      IM_CHECK(levels_at(screen(), {x, y}) == result_at(0, p));
    }
}

GUI_TEST(a_file_is_opened_by_its_path) {
  start_over(ctx);
  const auto path = folder / "open.png";
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), path).has_value());
  ctx->SetRef("Settings");
  type_path(ctx, path);
  settle(ctx);
  IM_CHECK_STR_EQ(app->status().source.name.c_str(), "open.png");
  IM_CHECK(app->status().source.size == (Size2{61, 47}));
  IM_CHECK(shows_reference(0));
  for (const PixelType format : {PixelType::f32, PixelType::rgba32f}) {
    settings().lanes[0].format = format;
    settle(ctx);
    IM_CHECK(shows_reference(0));
  }
}

// A file that takes long: a pipe without a writer. Frames continue, and opening can be cancelled.
GUI_TEST(a_slow_file_holds_no_frame_up) {
  start_over(ctx);
  const auto slow = folder / "slow.png", quick = folder / "quick.png";
  for (const auto& path : {slow, quick})
    IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), path).has_value());
  // A lease makes whoever opens the file wait until it is released.
  std::signal(SIGIO, SIG_IGN);
  const int held = open(slow.c_str(), O_RDWR);
  IM_CHECK_EQ(fcntl(held, F_SETLEASE, F_WRLCK), 0);
  const auto before = app->picture();
  const Settings chosen = settings();
  execute(ctx, command::OpenFile{slow.string()});
  until(ctx, [] { return app->status().source.opening && app->status().source.opening->opening_s > 0.4; });
  IM_CHECK(app->status().source.opening.has_value() && !app->settled());
  IM_CHECK(app->picture() == before);
  ctx->ItemClick("//Viewport/**/Cancel");
  ctx->Yield(2);
  IM_CHECK(!app->status().source.opening && settings() == chosen && app->picture() == before);
  close(held);
  execute(ctx, command::OpenFile{quick.string()});
  settle(ctx);
  IM_CHECK_STR_EQ(app->status().source.name.c_str(), "quick.png");
  IM_CHECK(shows_reference(0));
}

GUI_TEST(a_bad_file_leaves_the_picture_alone) {
  start_over(ctx);
  const auto path = folder / "photo.xyz";
  IM_CHECK(save_picture(make_pattern(PatternKind::impulse, {5, 5}), folder / "x.png").has_value());
  std::filesystem::copy_file(folder / "x.png", path, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path, 4);
  const auto before = app->picture();
  ctx->SetRef("Settings");
  for (const std::string& bad : {path.string(), (folder / "missing.png").string()}) {
    type_path(ctx, bad);
    settle(ctx);
    IM_CHECK(app->picture() == before);
    IM_CHECK(shows_reference(0));
    IM_CHECK(!app->ui().toast.text.empty());
  }
  IM_CHECK(app->ui().toast.text.find("no such file") != std::string::npos);
  IM_CHECK(app->ui().log[app->ui().log.size() - 2].text.find("photo.xyz: not a PNG, JPEG") != std::string::npos);
}

// A click picks, arrows move by 1 and with Shift by 10, and the status line shows the picked pixel.
GUI_TEST(a_pixel_is_picked_and_moved) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->MouseClick();
  ctx->Yield(2);
  IM_CHECK(app->ui().probe.picked.has_value());
  const Point2 at = *app->ui().probe.picked;
  ctx->KeyPress(ImGuiKey_LeftArrow, 3);
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_UpArrow);
  ctx->Yield(2);
  IM_CHECK(*app->ui().probe.picked == (Point2{at.x - 3, at.y - 10}));
  ctx->MouseMove("//Settings/**/##sigma");
  ctx->Yield(20);
  const Rgba8 value = result(0)->pixels<Rgba8>()[(at.y - 10) * 96 + at.x - 3];
  IM_CHECK_STR_EQ(app->status().probe.cursor.c_str(),
                  fmt::format("picked x {:4} y {:4}   A {:3} {:3} {:3} {:3}", at.x - 3, at.y - 10, value.r, value.g,
                              value.b, value.a)
                      .c_str());
}

GUI_TEST(the_view_goes_to_typed_coordinates) {
  start_over(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_G);
  ctx->Yield(2);
  for (const char* typed : {"17", "40", "800"}) {
    ctx->KeyChars(typed);
    ctx->Yield();
    ctx->KeyPress(typed[0] == '8' ? ImGuiKey_Enter : ImGuiKey_Tab);
    ctx->Yield(2);
  }
  ctx->Yield(2);
  const ViewTransform& view = app->ui().view;
  IM_CHECK_EQ(view.zoom, 8.0f);
  IM_CHECK(view.centre.x == 17.5f && view.centre.y == 40.5f);
  IM_CHECK(*app->ui().probe.picked == (Point2{17, 40}));
}

// What is saved is what is drawn: the lanes' area of the window, pixel for pixel.
GUI_TEST(the_view_is_saved) {
  draw_every_frame();
  start_over(ctx);
  const auto path = folder / "view.png";
  execute(ctx, command::SaveView{path.string()});
  IM_CHECK(until(ctx, [&] { return std::filesystem::exists(path); }));  // it is written in the background
  const ViewArea area = app->ui().areas[0].view;
  const Result<Picture> saved = load_picture(path);
  IM_CHECK(saved.has_value());
  IM_CHECK(saved->size == (Size2{static_cast<int>(area.width), static_cast<int>(area.height)}));
  const int x = saved->size.width / 2, y = saved->size.height / 2;
  IM_CHECK(levels_at(screen(), {static_cast<int>(area.left) + x, static_cast<int>(area.top) + y}) ==
           levels_at(*saved, {x, y}));
}

// A file that is too large stays closed until its offer is accepted.
GUI_TEST(a_huge_file_is_offered_smaller) {
  start_over(ctx);
  const auto path = folder / "wide.png", huge = folder / "huge.png";
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {60, 40}), path).has_value());
  std::string bytes = *read_file(path);
  bytes.replace(16, 8, std::string("\0\0\x46\x50\0\0\x46\x50", 8));
  IM_CHECK(write_file(huge, bytes).has_value());
  const auto before = app->picture();
  ctx->SetRef("Settings");
  type_path(ctx, huge);
  IM_CHECK(until(ctx, [] { return app->ui().toast.offer_percent != 0; }));
  IM_CHECK(app->picture() == before);
  IM_CHECK_EQ(app->ui().toast.offer_percent, percent_that_fits(huge));
  app->ui().toast = {.text = "wide.png. Load at 50 %?", .offer_path = path.string(), .offer_percent = 50};
  ctx->Yield(3);
  ctx->ItemClick("//##toast/Load at 50 %");
  settle(ctx);
  IM_CHECK(app->status().source.size == (Size2{30, 20}));
  IM_CHECK_EQ(settings().source.percent, 50);
  IM_CHECK(shows_reference(0));
  settings().source.percent = 200;
  settle(ctx);
  IM_CHECK(app->status().source.size == (Size2{120, 80}));
}

// Checklist rows 98 and 132: every filter with every variant is correct or refused with a reason; a run can be stopped.
GUI_TEST(the_lab_fills_its_matrix) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_L);
  ctx->Yield(3);
  ctx->SetRef("Lab");
  app->ui().panels.lab.image = 6;  // 17x31
  ctx->ItemClick("Run all");
  until(ctx, [&] { return !app->status().lab.cells.empty() && !app->status().lab.running; });
  const LabStatus lab = app->status().lab;
  IM_CHECK_EQ(lab.cells.size(), lab_filters().size() * lab_variants().size());
  int passed = 0;
  for (const LabCell& cell : lab.cells) {
    IM_CHECK(cell.state == CellState::passed || cell.text.find("fused_blur_sobel runs only") == 0 ||
             cell.text.find("needs equal taps") != std::string::npos ||
             cell.text.find("streams cannot be part of a chain") == 0);
    passed += cell.state == CellState::passed;
  }
  // All but, except for one filter, box_running and cpu_box. fused_blur_sobel and streams complement each other: one
  // does edges, the other everything else.
  IM_CHECK_EQ(passed, static_cast<int>((lab_variants().size() - 3) * lab_filters().size()) + 2);
  app->ui().panels.lab.image = 8;  // takes long
  ctx->Yield();
  ctx->ItemClick("Run all");
  ctx->Yield(5);
  ctx->ItemClick("Cancel");
  until(ctx, [&] { return !app->status().lab.running; });
  IM_CHECK(!app->status().lab.running);
  // Closing the panel does not keep the lanes waiting for a lab that has ended.
  execute(ctx, command::RunLab{app->ui().panels.lab});
  IM_CHECK(until(ctx, [] { return app->status().lab.running; }));
  app->ui().shown.lab = false;
  execute(ctx, command::CancelLab{});
  IM_CHECK(until(ctx, [] { return !app->status().lab.running; }));
}

// Checklist row 98: the report states that each of its kernels is right with each of its filters.
GUI_TEST(the_lab_runs_the_table_of_s4) {
  start_over(ctx);
  app->ui().shown.lab = true;
  ctx->Yield(3);
  ctx->SetRef("Lab");
  ctx->ComboClick("##lab matrix/S4, table 5.4");
  IM_CHECK(app->ui().panels.lab.border == Border::zero);
  ctx->ItemClick("Run all");
  IM_CHECK(until(ctx, [] { return app->status().lab.cells.size() == 7 * 3 && !app->status().lab.running; }));
  for (const LabCell& cell : app->status().lab.cells) {
    IM_CHECK(cell.state == CellState::passed);
    IM_CHECK(cell.max_error < 1e-5);
  }
  app->ui().panels.lab = {};
}

GUI_TEST(a_refused_plan_keeps_the_picture_and_says_why) {
  start_over(ctx);
  const auto shown = lane(0).shown;
  settings().lanes[0].variant = "tile_linear";
  settings().lanes[0].format = PixelType::rgba32f;
  settings().filter.radius = 64;
  ctx->Yield(3);
  IM_CHECK_STR_EQ(
      lane(0).refusal.c_str(),
      "tile_linear at radius 64 needs 324 KiB of shared memory per block; CPU executor allows 227 KiB. Use a "
      "separable variant");
  IM_CHECK(lane(0).has_picture);
  IM_CHECK_STR_EQ(lane(0).shown.c_str(), shown.c_str());
  IM_CHECK(!app->settled());
  IM_CHECK_LT(lane(0).max_radius, 64);
  IM_CHECK(lane(0).refused_by_radius(64));  // said under the slider of the radius
  settings().filter.radius = lane(0).max_radius;
  ctx->Yield(3);
  IM_CHECK(lane(0).refusal.empty());
  settings().lanes[0].block = {32, 64};
  ctx->Yield(3);
  IM_CHECK_STR_EQ(lane(0).refusal.c_str(), "32x64 = 2048 threads > 1024");
  IM_CHECK(!lane(0).refused_by_radius(settings().filter.radius));  // said under Launch
}

// What the inspector says about a pixel equals what the lanes show and what the filter's definition gives.
GUI_TEST(the_inspector_takes_a_pixel_apart) {
  start_over(ctx);
  settings().view = ViewMode::side;
  settings().filter = {.sigma = 1, .radius = 2};
  settle(ctx);
  ctx->SetRef("Viewport");
  app->ui().view = {.centre = {2, 2}, .zoom = 24, .fitted = false};
  ctx->MouseMove("picture A");
  ctx->Yield(20);
  const AppStatus& status = app->status();
  IM_CHECK(status.probe.inspection.has_value());
  const Inspection& seen = *status.probe.inspection;
  IM_CHECK(seen.pixel == app->ui().probe.pixel);
  IM_CHECK_EQ(seen.taps.size(), 25u);
  for (int lane = 0; lane < 2; ++lane) {
    IM_CHECK(status.probe.shown[lane].has_value());
    const auto value = result_at(lane, seen.pixel);
    IM_CHECK_EQ((*status.probe.shown[lane])[0], value[0]);
    IM_CHECK(std::fabs(seen.exact[0] - value[0]) <= 0.5001 && std::fabs(seen.exact[2] - value[2]) <= 0.5001);
  }
  settings().filter.kind = FilterKind::edges;
  settle(ctx);
  IM_CHECK(!status.probe.inspection);
  IM_CHECK_STR_EQ(status.probe.no_inspection.c_str(), "A chain of filters: the inspector shows single filters only.");
}

// Checklist row 120: the list has a thumbnail of each filter's effect on this image.
GUI_TEST(the_filter_list_shows_what_filters_do) {
  start_over(ctx);
  ctx->SetRef("Settings");
  ctx->ItemClick("filter/##filter");
  const auto ready = [] {
    const auto all = app->textures().thumbnails;
    return std::all_of(all.begin(), all.end(), [](unsigned name) { return name != 0; });
  };
  until(ctx, [&] { return ready(); });
  IM_CHECK(ready());
  ctx->ItemClick("//$FOCUSED/Sobel X");
  IM_CHECK(settings().filter.kind == FilterKind::sobel_x);

  const FilterWall::Images images = FilterWall::computed(*app->picture(), {.sigma = 2, .radius = 5});
  const auto roughness = [&](FilterKind kind) {
    const HostImage& image = images[static_cast<std::size_t>(kind)];
    long long sum = 0;
    for (int i = 1; i < image.size.area(); ++i)
      sum += std::abs(image.pixels<Rgba8>()[i].g - image.pixels<Rgba8>()[i - 1].g);
    return sum;
  };
  IM_CHECK_LT(roughness(FilterKind::gaussian), roughness(FilterKind::identity));
  IM_CHECK_GT(roughness(FilterKind::sharpen), roughness(FilterKind::identity));
}

GUI_TEST(a_matrix_is_typed) {
  start_over(ctx);
  settings().filter.kind = FilterKind::custom;
  settings().filter.matrix = *parse_matrix("0 0 0; 0 1 0; 0 0 0");
  settings().lanes[0].variant = "cpu_direct";
  settle(ctx);
  ctx->SetRef("Settings");
  ctx->ItemInputValue("**/##cell 1", "2");
  IM_CHECK(settings().filter.matrix == *parse_matrix("0 2 0; 0 1 0; 0 0 0"));
  ctx->ItemClick("**/Transpose");
  IM_CHECK(settings().filter.matrix == *parse_matrix("0 0 0; 2 1 0; 0 0 0"));
  ctx->ItemClick("**/Rotate 180°");
  IM_CHECK(settings().filter.matrix == *parse_matrix("0 0 0; 0 1 2; 0 0 0"));
  ctx->ItemInputValue("**/##rows", 1);
  IM_CHECK(settings().filter.matrix == *parse_matrix("0 1 2"));
  ctx->ItemInputValue("**/##columns", 6);  // the odd number below
  IM_CHECK(settings().filter.matrix == *parse_matrix("0 0 1 2 0"));

  ImGui::SetClipboardText("1\t2\t1\r\n2\t4\t2\r\n1\t2\t1\r\n");  // as spreadsheets copy
  ctx->ItemClick("**/Paste");
  ctx->ItemClick("**/Divide by sum");
  settle(ctx);
  IM_CHECK(settings().filter.matrix == *parse_matrix("1 2 1; 2 4 2; 1 2 1"));
  IM_CHECK_EQ(settings().filter.divisor, 16.0);
  IM_CHECK(shows_reference(0));
  ImGui::SetClipboardText("1, 2");
  ctx->ItemClick("**/Paste");
  IM_CHECK_STR_EQ(app->ui().matrix.error.c_str(), "2x1: both sides must be odd");
  IM_CHECK(settings().filter.matrix == *parse_matrix("1 2 1; 2 4 2; 1 2 1"));

  ctx->ItemOpen("**/As text");
  ctx->ItemClick("**/##matrix");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  ctx->KeyChars("3 2 1");
  IM_CHECK(settings().filter.matrix == *parse_matrix("3 2 1"));
  IM_CHECK(app->ui().matrix.error.empty());
}

GUI_TEST(the_window_is_resized) {
  start_over(ctx);
  for (const Size2 size : {Size2{1024, 640}, {1600, 900}}) {
    glfwSetWindowSize(app->window().handle(), size.width, size.height);
    until(ctx, [&] { return app->window().framebuffer_size() == size; });
    ctx->Yield(5);
    const ViewArea area = app->ui().areas[0].view;
    IM_CHECK(app->window().framebuffer_size() == size);
    IM_CHECK_GT(area.width * area.height, 0.5f * static_cast<float>(size.area()));
    IM_CHECK(shows_reference(0));
  }
}

GUI_TEST(the_theme_is_chosen_in_the_menu) {
  start_over(ctx);
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("View/Theme/Light");
  ctx->Yield(2);
  IM_CHECK(app->preferences().theme == Theme::light);
  IM_CHECK_GT(ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x, 0.9f);
  ctx->MenuClick("View/Theme/Dark");
  ctx->Yield(2);
  IM_CHECK_LT(ImGui::GetStyle().Colors[ImGuiCol_WindowBg].x, 0.2f);
}

// The text of each theme has a contrast of 4.5 to 1 on each of its backgrounds, and the outlines of controls 3 to 1.
GUI_TEST(text_is_readable_in_every_theme) {
  const auto contrast = [](ImVec4 one, ImVec4 other) {
    const float a = luminance(one), b = luminance(other);
    return (std::max(a, b) + 0.05f) / (std::min(a, b) + 0.05f);
  };
  for (const Theme theme : {Theme::dark, Theme::light, Theme::contrast}) {
    const Palette& p = palette(theme);
    for (const ImVec4 ground : {p.background, p.panel, p.raised}) {
      for (const ImVec4 text : {p.text, p.quiet, p.disabled, p.lane[0], p.lane[1], p.pass, p.fault})
        IM_CHECK_GT(contrast(text, ground), 4.5f);
      IM_CHECK_GT(contrast(p.outline, ground), 3.0f);
    }
  }
  // Values are drawn on pixels of every colour.
  for (const float r : {0.0f, 0.3f, 0.46f, 0.8f, 1.0f})
    for (const float g : {0.0f, 0.3f, 0.46f, 0.8f, 1.0f})
      for (const float b : {0.0f, 0.46f, 1.0f})
        IM_CHECK_GT(contrast(ImGui::ColorConvertU32ToFloat4(ink_on({r, g, b, 1})), {r, g, b, 1}), 4.5f);
}

}  // namespace

GUI_TEST(keys_change_the_radius_as_far_as_the_filter_goes) {
  start_over(ctx);
  FilterSpec& filter = settings().filter;
  filter = {.kind = FilterKind::gaussian_integer, .radius = 4};
  ctx->KeyPress(ImGuiKey_RightBracket);
  IM_CHECK_EQ(filter.radius, 4);
  filter.radius = 1;
  ctx->KeyPress(ImGuiKey_LeftBracket);
  IM_CHECK_EQ(filter.radius, 1);
  settle(ctx);
  IM_CHECK(app->status().filter.error.empty());

  // The key overrides the automatic radius, and so does the radius of a measured point.
  filter = {.sigma = 1};
  settings().auto_radius = true;
  ctx->Yield();
  IM_CHECK_EQ(filter.radius, 3);
  ctx->KeyPress(ImGuiKey_RightBracket);
  ctx->Yield();
  IM_CHECK_EQ(filter.radius, 4);
  settings().auto_radius = true;
  UiState ui;
  PanelContext context = panel_context(ui, app->status());
  load_point(context, {.image = {64, 64}, .filter = {.sigma = 1, .radius = 8}, .lane = settings().lanes[0]});
  ctx->Yield(2);
  IM_CHECK_EQ(filter.radius, 8);
}

}  // namespace conv
