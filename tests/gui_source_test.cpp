// Moving sources in the window, by mouse and keyboard.
#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <set>
#include <thread>

#include "app/shell/file_dialogs.h"
#include "app/sources/frames.h"
#include "app/ui/window/actions.h"
#include "gui_support.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

// Plays the moving scene unfiltered, so that the number in its pixels tells which frame a lane shows.
void play_scene(ImGuiTestContext* ctx) {
  start_over(ctx);
  settings().filter.kind = FilterKind::identity;
  ctx->ItemClick("//Settings/Change…");
  ctx->ItemClick("//$FOCUSED/rows/##pattern");
  ctx->ItemClick("//$FOCUSED/Moving scene");
  ctx->PopupCloseAll();
  settings().source.pattern_size = {256, 96};
  IM_CHECK(until(ctx, [] { return app->status().source.feed && app->picture()->size == Size2{256, 96}; }));
  settle(ctx);
}

long long number_shown() {
  return result(0) ? scene_number(to_picture(*result(0), 3)) : -1;
}

FeedState state() {
  return app->status().source.feed ? app->status().source.feed->state : FeedState::failed;
}

// The last frame of the feed has arrived in lane A's picture.
bool shows_newest(ImGuiTestContext* ctx) {
  return until(ctx, [] { return number_shown() == app->status().source.feed->number; });
}

}  // namespace

// The program for dialogs is a stub that never answers.
GUI_TEST(an_open_file_dialog_holds_nothing_up) {
  const std::filesystem::path stub = folder / "zenity";
  IM_CHECK(write_file(stub, "#!/bin/sh\nexec sleep 600\n").has_value());
  std::filesystem::permissions(stub, std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  const auto start = std::chrono::steady_clock::now();
  {
    FileDialogs dialogs;
    IM_CHECK(dialogs.choose_file(false).has_value());
    IM_CHECK(!dialogs.poll());
    const Result<void> second = dialogs.choose_save_file(command::What::view);
    IM_CHECK(!second && second.error().text == "A file dialog is already open. Close it first.");
  }
  IM_CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  ::setenv("PATH", path.c_str(), 1);
}

// Where the desktop has no dialogs, the window's own chooser opens and saves files, by keyboard alone.
GUI_TEST(files_are_chosen_in_the_window) {
  ::setenv("PATH", folder.c_str(), 1);  // no program for dialogs
  start_over(ctx);
  std::filesystem::create_directories(folder / "pictures/old");
  IM_CHECK(write_file(folder / "pictures/.hidden", "").has_value());
  IM_CHECK(write_file(folder / "pictures/notes.txt", "text").has_value());
  ctx->MouseMove("//Viewport/picture A");
  execute(ctx, command::ChooseSaveFile{command::What::result});
  FileChooser& chooser = app->ui().file_chooser;
  const std::string path = (folder / "pictures/lane.png").string();
  ctx->Yield(3);
  ctx->KeyCharsReplaceEnter(path.c_str());
  IM_CHECK(until(ctx, [&] { return file_exists(path); }));
  const auto written = std::filesystem::last_write_time(path);
  until(ctx, [] { return !app->status().saving; });

  // The same name again: the file stays until the user has agreed.
  execute(ctx, command::ChooseSaveFile{command::What::result});
  ctx->Yield(3);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(3);
  IM_CHECK(app->ui().question.has_value());
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(3);
  IM_CHECK(!app->ui().question && std::filesystem::last_write_time(path) == written);
  ctx->KeyPress(ImGuiKey_Enter);  // the chooser is back, with the same name
  ctx->Yield(3);
  ctx->ItemClick("//$FOCUSED/Replace");
  IM_CHECK(until(ctx, [&] { return std::filesystem::last_write_time(path) != written; }));

  until(ctx, [] { return !app->status().saving; });

  execute(ctx, command::ChooseFile{});
  chooser.folder = (folder / "pictures").string();
  ctx->Yield(3);
  IM_CHECK(until(ctx, [&] { return app->status().folder && app->status().folder->question.folder == chooser.folder; }));
  std::vector<std::string> names;
  for (const FolderEntry& entry : app->status().folder->entries) names.push_back(entry.name);
  IM_CHECK(names == (std::vector<std::string>{"old", "lane.png", "notes.txt"}));
  ctx->KeyCharsAppend("la");
  ctx->Yield(2);
  ctx->KeyPress(ImGuiKey_Enter);
  IM_CHECK(until(ctx, [&] { return settings().source.path == path; }));
  settle(ctx);

  // A folder is entered and left by keyboard alone. Deleting the last letter leaves nothing.
  std::filesystem::create_directories(folder / "pictures/old/older");
  execute(ctx, command::ChooseFile{});
  ctx->Yield(3);
  for (const char* name : {"ol", "older"}) {
    const std::string before = chooser.folder;
    IM_CHECK(until(ctx, [&] { return app->status().folder->question.visit == chooser.visits; }));
    ctx->KeyCharsAppend(name);
    ctx->Yield(2);
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(4);
    IM_CHECK(chooser.folder != before);
  }
  IM_CHECK_STR_EQ(chooser.folder.c_str(), (folder / "pictures/old/older").c_str());
  ctx->KeyCharsAppend("x");
  ctx->KeyPress(ImGuiKey_Backspace);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(chooser.folder.c_str(), (folder / "pictures/old/older").c_str());
  ctx->KeyPress(ImGuiKey_Backspace);
  ctx->Yield(2);
  IM_CHECK_STR_EQ(chooser.folder.c_str(), (folder / "pictures/old").c_str());
  ctx->KeyPress(ImGuiKey_Escape);
  chooser.folder = (folder / "pictures").string();

  // Backspace goes to the folder above, Escape closes.
  execute(ctx, command::ChooseFile{});
  ctx->Yield(3);
  ctx->KeyPress(ImGuiKey_Backspace);
  IM_CHECK_STR_EQ(chooser.folder.c_str(), folder.string().c_str());
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(2);
  IM_CHECK(!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel));
}

GUI_TEST(a_moving_scene_plays_pauses_and_steps) {
  play_scene(ctx);
  std::set<long long> seen;
  long long last = -1;
  IM_CHECK(until(ctx, [&] {
    const long long number = number_shown();
    IM_CHECK_NO_RET(number >= last);  // time only moves forward
    last = number;
    seen.insert(number);
    return seen.size() > 20;
  }));

  ctx->KeyPress(ImGuiKey_P);
  IM_CHECK(until(ctx, [] { return state() == FeedState::paused; }));
  IM_CHECK(shows_newest(ctx));
  const long long at = number_shown();
  ctx->Yield(30);
  IM_CHECK_EQ(number_shown(), at);
  IM_CHECK(shows_reference(0));

  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_RightArrow);
  IM_CHECK(until(ctx, [&] { return number_shown() == at + 1; }));
  ctx->ItemClick("//Viewport/**/←##back");
  IM_CHECK(until(ctx, [&] { return number_shown() == at; }));

  ctx->ItemClick("//Viewport/**/Play");
  IM_CHECK(until(ctx, [&] { return number_shown() > at + 5; }));
  IM_CHECK(state() == FeedState::playing);
}

GUI_TEST(filters_and_lanes_change_while_frames_go_by) {
  play_scene(ctx);
  settings().filter.kind = FilterKind::gaussian;
  settings().view = ViewMode::side;
  settings().lanes[0].format = PixelType::f32;
  ctx->KeyPress(ImGuiKey_RightBracket, 3);
  settle(ctx);
  ctx->KeyPress(ImGuiKey_P);
  IM_CHECK(until(ctx, [] { return state() == FeedState::paused; }));
  ctx->Yield(50);
  settle(ctx);
  IM_CHECK(until(ctx, [] { return shows_reference(0) && shows_reference(1); }));
}

GUI_TEST(one_frame_is_told_as_a_timeline) {
  play_scene(ctx);
  const auto whole = [](const FrameTrace& trace) {
    std::set<TracedBy> by;
    for (const TracedStage& stage : trace.stages()) by.insert(stage.by);
    return by.size() == 4;
  };
  IM_CHECK(until(ctx, [&] { return app->status().frame.trace && whole(*app->status().frame.trace); }));
  const std::shared_ptr<const FrameTrace> trace = app->status().frame.trace;
  float window = 0, submitted = -1;
  std::vector<std::string> steps;
  for (const TracedStage& stage : trace->stages()) {
    IM_CHECK(stage.ms() >= 0);
    if (stage.by == TracedBy::window) {
      IM_CHECK(std::abs(stage.begin_ms - window) < 1e-3f);  // one after the other, without a gap
      window = stage.end_ms;
      if (stage.title == "submit") submitted = stage.begin_ms;
    }
    if (stage.by == TracedBy::processor) {
      IM_CHECK_EQ(stage.lane, 0);
      steps.push_back(stage.title);
    }
  }
  for (const TracedStage& stage : trace->stages()) {
    if (stage.by == TracedBy::source) IM_CHECK_LE(stage.end_ms, submitted);
    if (stage.by == TracedBy::processor || stage.by == TracedBy::graphics) IM_CHECK_GE(stage.begin_ms, submitted);
  }
  const LaunchPlan& plan = *app->status().lanes[0].plan;
  IM_CHECK_EQ(steps.size(), plan.steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) IM_CHECK(steps[i] == plan.title_of(i));

  // It changes after a moment, but not under the mouse.
  const auto last = [] { return app->status().frame.trace->start(); };
  IM_CHECK(until(ctx, [&] { return last() != trace->start(); }));
  ctx->MouseMoveToPos(ImGui::FindWindowByName("Timing")->Rect().GetCenter());
  ctx->MouseWheelY(-50);
  const ImRect below = ctx->ItemInfo("//Timing/VSync").RectFull;
  ctx->MouseMoveToPos({below.Min.x + 20, below.Min.y - 50});
  ctx->SleepNoSkip(0.6f, 0.01f);  // one may have been in progress
  const auto stood = last();
  ctx->SleepNoSkip(0.6f, 0.01f);
  IM_CHECK(last() == stood);
}

GUI_TEST(a_timeline_has_every_lane_of_the_grid) {
  play_scene(ctx);
  settings().view = ViewMode::grid;
  settings().grid = {"cpu_separable", "cpu_direct"};
  IM_CHECK(until(ctx, [] {
    std::set<int> lanes;
    if (app->status().frame.trace)
      for (const TracedStage& stage : app->status().frame.trace->stages())
        if (stage.by == TracedBy::processor) lanes.insert(stage.lane);
    return lanes.contains(2) || lanes.contains(3);
  }));
  ctx->Yield(2);  // drawn
}

GUI_TEST(a_folder_of_pictures_is_a_film) {
  start_over(ctx);
  const std::filesystem::path frames = folder / "frames";
  std::filesystem::create_directory(frames);
  for (int i = 0; i < 10; ++i)
    IM_CHECK(save_picture(make_pattern(PatternKind::noise, {64, 48}, static_cast<std::uint32_t>(i)),
                          frames / fmt::format("{}.png", i))
                 .has_value());
  dropped = frames.string();
  IM_CHECK(until(ctx, [] { return app->status().source.feed.has_value(); }));
  IM_CHECK_EQ(app->status().source.size.width, 64);
  ctx->ItemUncheck("//Viewport/**/Loop");
  IM_CHECK(until(ctx, [] { return state() == FeedState::ended; }));
  settle(ctx);
  IM_CHECK(until(ctx, [] { return shows_reference(0); }));

  // The slider seeks: its left end is the first picture.
  const ImGuiTestItemInfo slider = ctx->ItemInfo("//Viewport/**/##position");
  ctx->MouseMoveToPos({slider.RectClipped.Min.x + 3, slider.RectClipped.GetCenter().y});
  ctx->KeyPress(ImGuiKey_P);  // from the start again
  ctx->KeyPress(ImGuiKey_P);
  IM_CHECK(until(ctx, [] { return state() == FeedState::paused; }));
  ctx->MouseDown();
  ctx->MouseUp();
  IM_CHECK(until(ctx, [] { return app->status().source.feed->number == 0; }));
  const Picture first = make_pattern(PatternKind::noise, {64, 48}, 0);
  IM_CHECK(until(ctx, [&] { return levels_at(*app->picture(), {5, 5}) == levels_at(first, {5, 5}); }));
}

GUI_TEST(a_source_that_does_not_open_leaves_the_picture) {
  start_over(ctx);
  const std::shared_ptr<const Picture> before = app->picture();
  const SourceSettings source = settings().source;
  const std::filesystem::path text = folder / "text.mp4";
  FILE* file = std::fopen(text.c_str(), "w");
  std::fputs("no video, but some words that go on for a while", file);
  std::fclose(file);
  dropped = text.string();
  const char* words = no_video().empty() ? "text.mp4: not a video that FFmpeg can read" : "Built without FFmpeg";
  IM_CHECK(until(ctx, [&] { return app->ui().toast.text.find(words) != std::string::npos; }));
  IM_CHECK(app->picture() == before);
  IM_CHECK(settings().source == source);

  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);  // a source that did not open is not an undo step
  ctx->Yield();
  IM_CHECK(settings().source.path != text.string());
  settings().source = source;
  settle(ctx);
  const std::shared_ptr<const Picture> again = app->picture();

  settings().source.camera = "/dev/video99";
  IM_CHECK(until(ctx, [&] {
    return app->ui().toast.text.find(no_video().empty() ? "/dev/video99: " : words) != std::string::npos &&
           settings().source == source;
  }));
  IM_CHECK(app->picture() == again);
}

GUI_TEST(cameras_are_looked_for_when_their_list_is_opened) {
  start_over(ctx);
  if (!no_video().empty()) return;
  ctx->SetRef("//##toolbar");
  ctx->ItemClick("Camera");
  IM_CHECK(until(ctx, [] { return app->status().source.cameras != nullptr; }));
  ctx->ItemClick("//$FOCUSED/Rescan");
  ctx->Yield(10);
  ctx->ItemClick("//$FOCUSED/Off");
  IM_CHECK(settings().source.camera.empty());
}

GUI_TEST(undo_goes_back_to_the_source_before) {
  play_scene(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z, 3);
  IM_CHECK(until(ctx, [] { return !app->status().source.feed; }));
  IM_CHECK(!settings().source.moves());
}

GUI_TEST(results_are_recorded_until_it_is_told_to_stop) {
  play_scene(ctx);
  const std::filesystem::path path = folder / "out%03d.png";
  execute(ctx, command::Record{path.string()});
  IM_CHECK(until(ctx, [] { return app->status().source.recording && app->status().source.recording->written > 5; }));
  ctx->ItemClick("//##status/**/Stop recording");
  IM_CHECK(until(ctx, [] { return !app->status().source.recording; }));
  IM_CHECK_STR_NE(app->ui().toast.text.c_str(), "");
  long long last = -1;
  for (int i = 0; i < 6; ++i) {
    const Result<Picture> picture = load_picture(folder / fmt::format("out{:03}.png", i));
    IM_CHECK(picture.has_value());
    const long long number = scene_number(*picture);
    IM_CHECK_GT(number, last);  // each is another frame, in order
    last = number;
  }

  execute(ctx, command::Record{(folder / "no/such/out%03d.png").string()});
  IM_CHECK(until(ctx, [] { return app->ui().toast.text.find("cannot be written") != std::string::npos; }));
  IM_CHECK(until(ctx, [] { return !app->status().source.recording; }));
}

// Rows in their order, no more frames than the recording's rate allows, and the same size after the window's has
// changed.
GUI_TEST(the_window_is_recorded_as_it_is_drawn) {
  draw_every_frame();
  start_over(ctx);
  settle(ctx);
  execute(ctx, command::RecordWindow{(folder / "window%03d.png").string()});
  const auto start = std::chrono::steady_clock::now();
  const auto recording = [] { return app->status().source.recording; };
  IM_CHECK(until(ctx, [&] { return recording() && recording()->written > 3; }));
  IM_CHECK(recording()->of_window);
  execute(ctx, command::RecordWindow{(folder / "second.mkv").string()});
  IM_CHECK(app->ui().toast.text.find("A recording is under way") != std::string::npos);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  IM_CHECK_LE(static_cast<double>(recording()->written), 2 + 30 * took.count());
  const auto resize = [&](Size2 size) {
    glfwSetWindowSize(app->window().handle(), size.width, size.height);
    IM_CHECK(until(ctx, [&] { return app->window().framebuffer_size() == size; }));
    const long long written = recording()->written;
    IM_CHECK(until(ctx, [&] { return recording()->written > written + 20; }));  // more than can wait to be written
  };
  resize({1280, 720});
  const long long smaller = recording()->written - 1;
  resize({1600, 900});
  ctx->ItemClick("//##status/**/Stop recording");
  IM_CHECK(until(ctx, [&] { return !recording(); }));
  const Result<Picture> window = load_picture(folder / "window000.png");
  IM_CHECK(window.has_value());
  const Size2 size = app->window().framebuffer_size();
  IM_CHECK(window->size == (Size2{size.width & ~1, size.height & ~1}));
  const Result<Picture> then = load_picture(folder / fmt::format("window{:03}.png", smaller));
  IM_CHECK(then && then->size == window->size);
  IM_CHECK(levels_at(*then, {1500, 800}) == (std::array<unsigned char, 3>{}));  // outside of the smaller window
  const Picture now = screen();
  const auto row = [](const Picture& picture, int y) {
    return std::span(picture.levels)
        .subspan(3 * static_cast<std::size_t>(y) * picture.size.width, 3 * picture.size.width);
  };
  int equal = 0;  // figures change, and the buttons of the recording
  for (int y = 0; y < window->size.height; ++y)
    equal += std::ranges::equal(row(*window, y),
                                row(now, y + size.height - window->size.height).first(3 * window->size.width));
  IM_CHECK_GT(equal, window->size.height / 3);
  IM_CHECK(std::ranges::count(window->levels, 0) < std::ssize(window->levels) / 2);
}

// A zone plate of 7680x4320 held the window up for a second.
GUI_TEST(a_large_pattern_is_made_in_the_background) {
  start_over(ctx);
  const Size2 before = app->status().source.size;
  settings().source.pattern = PatternKind::zone_plate;
  settings().source.pattern_size = {3000, 2000};
  IM_CHECK(until(ctx, [] { return app->status().source.opening.has_value(); }));
  IM_CHECK(app->status().source.size == before);
  settle(ctx);
  IM_CHECK(app->status().source.size == (Size2{3000, 2000}));
}

GUI_TEST(a_file_written_again_is_read_again) {
  start_over(ctx);
  const std::filesystem::path path = folder / "changing.png";
  const auto write = [&](std::uint32_t seed) {
    return save_picture(make_pattern(PatternKind::noise, {64, 48}, seed), path).has_value();
  };
  IM_CHECK(write(1));
  dropped = path.string();
  IM_CHECK(until(ctx, [] { return app->status().source.size.width == 64; }));
  app->ui().view = {.centre = {20, 20}, .zoom = 3, .fitted = false};
  IM_CHECK(write(2));
  const Picture second = make_pattern(PatternKind::noise, {64, 48}, 2);
  IM_CHECK(until(ctx, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return levels_at(*app->picture(), {5, 5}) == levels_at(second, {5, 5});
  }));
  IM_CHECK(!app->ui().view.fitted);  // the view is unchanged
  settle(ctx);
  IM_CHECK(shows_reference(0));
  // This change cannot be noticed by watching the file: the key reads it.
  const auto time = std::filesystem::last_write_time(path);
  IM_CHECK(write(3));
  std::filesystem::last_write_time(path, time);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_R);
  const Picture third = make_pattern(PatternKind::noise, {64, 48}, 3);
  IM_CHECK(until(ctx, [&] { return levels_at(*app->picture(), {5, 5}) == levels_at(third, {5, 5}); }));

  const std::vector<std::string>& recent = app->preferences().recent;
  IM_CHECK_EQ(recent.size(), 1u);
  IM_CHECK_STR_EQ(recent.front().c_str(), path.c_str());
}

GUI_TEST(a_moving_source_waits_while_the_reference_is_held) {
  play_scene(ctx);
  settings().filter.kind = FilterKind::gaussian;
  settings().filter.radius = 2;
  settle(ctx);
  ctx->KeyDown(ImGuiKey_C);
  IM_CHECK(until(ctx, [] { return app->status().picture.has_reference; }));
  const std::shared_ptr<const Picture> held = app->picture();
  ctx->Yield(20);
  IM_CHECK(app->picture() == held);
  ctx->KeyUp(ImGuiKey_C);
  IM_CHECK(until(ctx, [&] { return app->picture() != held; }));
}

GUI_TEST(a_session_of_a_moving_source_brings_back_its_view) {
  play_scene(ctx);
  app->ui().view = {.centre = {100, 40}, .zoom = 5, .fitted = false};
  app->ui().probe.pins = {{7, 9}};
  const std::string path = (folder / "moving.json").string();
  execute(ctx, command::SaveSession{path});
  start_over(ctx);
  IM_CHECK(!app->status().source.feed);
  IM_CHECK(app->open(path).has_value());
  IM_CHECK(until(ctx, [] { return app->status().source.feed.has_value(); }));
  ctx->Yield(5);
  IM_CHECK(!app->ui().view.fitted);
  IM_CHECK_EQ(app->ui().view.zoom, 5.0f);
  IM_CHECK_EQ(app->ui().probe.pins.size(), 1u);
}

}  // namespace conv
