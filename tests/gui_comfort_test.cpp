// The window driven by mouse and keyboard: palette, list of keys, pins, sessions, themes, presenter mode.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

#include "app/sources/feed.h"
#include "app/sources/frames.h"
#include "app/ui/window/actions.h"
#include "gui_support.h"
#include "kernels/core/file.h"
#include "kernels/core/replaced.h"
#include "program.h"

namespace conv {

namespace {

void focus_picture(ImGuiTestContext* ctx) {
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
}

GUI_TEST(the_palette_finds_everything_by_its_name) {
  start_over(ctx);
  focus_picture(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  ctx->Yield(2);
  ctx->KeyChars("filter sobel x");
  ctx->Yield(2);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  IM_CHECK(settings().filter.kind == FilterKind::sobel_x);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
  ctx->Yield(2);
  ctx->KeyChars("theme");
  ctx->KeyPress(ImGuiKey_DownArrow);
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->Yield(2);
  IM_CHECK(app->preferences().theme == Theme::light);
  // Words of other programs, and words that are not in a title.
  int nothing = 0;  // items of the palette while no command matches
  for (const char* word :
       {"xyzzy", "reload", "export", "screenshot", "shortcut", "help", "benchmark", "zoom", "theme", "undo"}) {
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ctx->Yield(2);
    ctx->KeyChars(word);
    ctx->Yield(2);
    ImGuiTestItemList found;
    ctx->GatherItems(&found, "//$FOCUSED", -1);
    if (std::string_view(word) == "xyzzy")
      nothing = found.GetSize();
    else
      IM_CHECK_STR_NE(found.GetSize() > nothing ? word : "", "");
    ctx->KeyPress(ImGuiKey_Escape);
    ctx->Yield(2);
  }
}

// A menu says what undo would change, and a message what it changed.
GUI_TEST(undo_says_what_it_changes) {
  start_over(ctx);
  app->ui().toast = {};
  focus_picture(ctx);
  ctx->KeyPress(ImGuiKey_RightBracket);
  IM_CHECK(until(ctx, [] { return app->status().undo == "radius 5 to 6"; }));
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("Edit/Undo");
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.radius, 5);
  IM_CHECK_STR_EQ(app->ui().toast.text.c_str(), "Undone: radius 5 to 6");
  IM_CHECK(until(ctx, [] { return app->status().redo == "radius 5 to 6"; }));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Y);
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.radius, 6);
}

// No two actions share a key while both are enabled, except those that mean the same.
GUI_TEST(keys_are_not_given_twice) {
  for (const Action& a : actions())
    for (const Action& b : actions()) {
      if (&a == &b || a.key == 0 || a.key != b.key) continue;
      const std::string pair = fmt::format("{} and {}", a.id, b.id);
      IM_CHECK((pair == "variant_b and blank" || pair == "blank and variant_b"));
    }
  IM_CHECK_STR_EQ(key_text(action("save_result").key).c_str(), "Ctrl+Shift+S");
  IM_CHECK_STR_EQ(key_text(action("radius_up").key).c_str(), "]");
  focus_picture(ctx);
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_Slash);
  ctx->Yield(3);
  const ImGuiWindow* sheet = ctx->WindowInfo("//Keyboard shortcuts").Window;
  IM_CHECK(sheet != nullptr);
  ctx->KeyPress(ImGuiKey_Escape);
}

GUI_TEST(keys_open_and_close_their_panels) {
  start_over(ctx);
  focus_picture(ctx);
  const auto windows = [] {
    std::set<std::string> names;
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
      if (window->WasActive && std::isalpha(window->Name[0]) && !std::strchr(window->Name, '/'))
        names.insert(window->Name);
    return names;
  };
  const auto both = [](const std::set<std::string>& few, const std::set<std::string>& many) {
    return many.size() == few.size() + 1 && std::includes(many.begin(), many.end(), few.begin(), few.end());
  };
  int tried = 0;
  for (const Action& a : actions()) {
    if (a.group != "Panels" || a.key == 0 || !a.checked) continue;
    const auto is_open = [&] { return a.checked(panel_context(app->ui(), app->status())); };
    const bool was_open = is_open();
    const std::set<std::string> before = windows();
    ctx->KeyPress(a.key);
    ctx->Yield(4);
    IM_CHECK_EQ(is_open(), !was_open);
    IM_CHECK(was_open ? both(windows(), before) : both(before, windows()));
    ctx->KeyPress(a.key);
    ctx->Yield(4);
    IM_CHECK_EQ(is_open(), was_open);
    IM_CHECK(windows() == before);
    ++tried;
  }
  IM_CHECK_GE(tried, 12);
}

GUI_TEST(a_key_that_is_held_steps_on_but_toggles_once) {
  start_over(ctx);
  focus_picture(ctx);
  const auto hold = [&](ImGuiKeyChord key) {
    ctx->KeyDown(key);
    const double start = ImGui::GetTime();
    until(ctx, [&] { return ImGui::GetTime() - start > 1; });
    ctx->KeyUp(key);
    ctx->Yield(2);
  };
  const int radius = settings().filter.radius;
  hold(ImGuiKey_RightBracket);
  IM_CHECK_GT(settings().filter.radius, radius + 2);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  IM_CHECK_EQ(settings().filter.radius, radius);  // one step
  IM_CHECK(app->ui().shown.inspector);
  hold(ImGuiMod_Ctrl | ImGuiKey_I);
  IM_CHECK(!app->ui().shown.inspector);
  hold(ImGuiMod_Ctrl | ImGuiKey_I);
  IM_CHECK(app->ui().shown.inspector);
}

GUI_TEST(full_screen_and_back) {
  start_over(ctx);
  focus_picture(ctx);
  const Size2 before = app->window().size();
  ctx->KeyPress(ImGuiKey_F11);
  until(ctx, [&] { return app->window().size() == Size2{1920, 1200}; });
  IM_CHECK(app->window().size() == (Size2{1920, 1200}));
  ctx->KeyPress(ImGuiKey_F11);
  until(ctx, [&] { return app->window().size() == before; });
  IM_CHECK(app->window().size() == before);
}

GUI_TEST(a_session_brings_back_what_was_seen) {
  start_over(ctx);
  focus_picture(ctx);
  ctx->MouseClick();
  ctx->KeyPress(ImGuiKey_Enter);
  ctx->KeyPress(ImGuiKey_RightArrow, 3);
  ctx->KeyPress(ImGuiKey_Enter);
  IM_CHECK_EQ(app->ui().probe.pins.size(), std::size_t{2});
  const std::vector<Point2> pins = app->ui().probe.pins;
  settings().filter.radius = 3;
  settings().view = ViewMode::wipe;
  app->ui().view = {.centre = {20.5f, 30.5f}, .zoom = 12, .fitted = false};
  settle(ctx);
  const auto path = folder / "seen.json", broken = folder / "broken.json";
  execute(ctx, command::SaveSession{path.string()});
  const Settings kept = settings();
  start_over(ctx);
  app->ui().probe.pins.clear();
  execute(ctx, command::OpenFile{(folder / "gone.json").string()});
  IM_CHECK(app->ui().toast.text.find("gone.json: no such file") != std::string::npos);
  std::FILE* file = std::fopen(broken.c_str(), "w");
  std::fputs("{\"convoscope_session\": 1, \"settings\": {\"source\": {\"path\": \"/no/such.png\"}}}", file);
  std::fclose(file);
  const Settings before = settings();
  execute(ctx, command::OpenFile{broken.string()});
  settle(ctx);
  IM_CHECK(app->ui().toast.text.find("broken.json: its picture /no/such.png was not found") == 0);
  IM_CHECK(settings().source == before.source);  // the picture is unchanged
  execute(ctx, command::OpenFile{path.string()});
  settle(ctx);
  IM_CHECK(settings() == kept);
  IM_CHECK(app->ui().probe.pins == pins);
  IM_CHECK_EQ(app->ui().view.zoom, 12.0f);
  IM_CHECK(shows_reference(0) && shows_reference(1));
  app->ui().probe.inspected_pin = 1;  // the inspector shows the pinned pixel wherever the pointer is
  ctx->Yield(5);
  IM_CHECK(app->status().probe.inspection && app->status().probe.inspection->pixel == pins[1]);
  app->ui().probe.inspected_pin = -1;
}

static bool kept_the_picture() {
  return read_file(folder / "convoscope/settings.json").value_or("").find("named.png") != std::string::npos;
}

// The window's display server is killed: the program says so and ends, and its settings are written.
GUI_TEST(settings_are_kept_when_the_display_is_gone) {
  IM_CHECK_EQ(run_on_own_display("sleep 3; kill -9 $server"), 1);
  IM_CHECK(read_file(folder / "said").value_or("").find("the display is gone") != std::string::npos);
  IM_CHECK(kept_the_picture());
}

GUI_TEST(the_log_keeps_the_newest_thousand_messages) {
  AppState state;
  for (int i = 0; i < 1200; ++i) state.say(std::to_string(i));
  IM_CHECK_EQ(state.ui.log.size(), 1000u);
  IM_CHECK_STR_EQ(state.ui.log.front().text.c_str(), "200");
  IM_CHECK_STR_EQ(state.ui.log.back().text.c_str(), "1199");
}

// A window that was held up takes a key and the release of Ctrl, which came before that of the key, at once.
GUI_TEST(a_shortcut_within_one_frame_has_its_modifier) {
  IM_CHECK_EQ(run_on_own_display("xdotool search --sync --onlyvisible --name Convoscope; sleep 2; "
                                 "child=$(cat /proc/$program/task/$program/children); "
                                 "xdotool mousemove 640 400 keydown ctrl sleep 0.5; kill -STOP $child; "
                                 "xdotool keydown q keyup ctrl keyup q; kill -CONT $child"),
              0);
}

// The display server stops answering, and is killed while the program closes its window: the program still ends.
GUI_TEST(the_program_ends_if_the_display_goes_while_it_closes) {
  // First it waits until the program has measured its picture and sleeps: else the server may be gone within a frame.
  const int status = run_on_own_display(
      "sleep 3; child=$(cat /proc/$program/task/$program/children); ticks() { cut -d' ' -f14 /proc/${child% }/stat; }; "
      "for i in $(seq 60); do before=$(ticks); sleep 0.5; [ $(($(ticks) - before)) -lt 3 ] && break; done; "
      "kill -STOP $server; kill $program; sleep 2; kill -9 $server");
  IM_CHECK(status != 124 && status != 137);  // those of a program that `timeout` had to end
  IM_CHECK_STR_EQ(read_file(folder / "said").value_or("?").c_str(), "");  // nothing is kept a second time
  IM_CHECK(kept_the_picture());
}

// The display server is killed while results are recorded: the video has what was recorded, and plays.
GUI_TEST(a_recording_is_kept_when_the_display_is_gone) {
  if (!no_video().empty()) return ctx->LogInfo("built without FFmpeg");
  const auto dialog = folder / "zenity", video = folder / "recorded.mkv";
  IM_CHECK(write_file(dialog, fmt::format("#!/bin/sh\necho '{}'\n", video.string())).has_value());
  std::filesystem::permissions(dialog, std::filesystem::perms::owner_all);
  const std::string script = R"(
      for i in $(seq 15); do
        xdotool mousemove 640 400 sleep 0.5 key ctrl+shift+p sleep 0.5 type 'record results'
        xdotool sleep 0.5 key Return sleep 1.5
        ls recorded* 2>/dev/null && touch began && break
        xdotool key Escape
      done
      sleep 3; kill -9 $server)";
  IM_CHECK_EQ(run_on_own_display(script, fmt::format("env PATH={}:$PATH " CONV_PROGRAM, folder.string()),
                                 "--pattern moving_scene --pattern-size 96x64 --variant cpu_separable"),
              1);
  IM_CHECK(std::filesystem::exists(folder / "began"));
  IM_CHECK(read_file(folder / "said").value_or("").find("any recording are saved") != std::string::npos);
  Feed feed(conv::video({.path = video}), {.playback = {.speed = 0, .loops = false}});
  int frames = 0;
  IM_CHECK(until(ctx, [&] {
    frames += feed.take() != nullptr;
    return feed.status().state == FeedState::ended || feed.status().state == FeedState::failed;
  }));
  IM_CHECK_STR_EQ(feed.status().text.c_str(), "");
  IM_CHECK_GT(frames, 1);
}

// Runs the program in the test's folder. Returns its exit status; its errors are then in the file `said`. limit:
// options of `timeout`.
static int run_here(std::string_view arguments, std::string_view limit = "60") {
  // Mesa leaks 112 bytes of a module that it has unloaded by then, which no suppression can name.
  const std::string command =
      fmt::format("cd '{}' && ASAN_OPTIONS=detect_leaks=0 XDG_CONFIG_HOME=$PWD timeout {} " CONV_PROGRAM " {} 2>said",
                  folder.string(), limit, arguments);
  return WEXITSTATUS(std::system(command.c_str()));
}

// A screenshot waits for its picture, whatever the number of frames.
GUI_TEST(a_screenshot_is_written_however_few_the_frames) {
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), folder / "named.png").has_value());
  IM_CHECK_EQ(run_here("named.png --variant cpu_separable --frames 2 --screenshot shot.png --size 1024x640"), 0);
  const Result<Picture> shot = load_picture(folder / "shot.png");
  IM_CHECK(shot && shot->size == (Size2{1024, 640}));
}

// What the difference view measures comes last, and makes its legend larger: the colour bar reaches its last colour.
GUI_TEST(a_screenshot_has_its_legend_in_full) {
  IM_CHECK_EQ(run_here("--pattern zone_plate --pattern-size 480x270 --variant tile_linear --variant-b cpu_separable "
                       "--view difference --screenshot shot.png --size 1024x640"),
              0);
  const Result<Picture> shot = load_picture(folder / "shot.png");
  IM_CHECK(shot.has_value());
  int run = 0, longest = 0;  // of pixels below each other in the last colour of Cividis
  for (int x = 0; x < shot->size.width; ++x)
    for (int y = 0; y < shot->size.height; ++y) {
      const auto [r, g, b] = levels_at(*shot, {x, y});
      run = r > 245 && g > 220 && b < 90 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  IM_CHECK_GT(longest, 8);
}

// A script is told that the picture would not be of its file.
GUI_TEST(there_is_no_screenshot_without_the_file) {
  for (const char* const file : {"bad.mp4", "bad.md"}) IM_CHECK(write_file(folder / file, "none of these").has_value());
  const std::string_view session = R"({"convoscope_session": 1, "settings": {"source": {"path": "gone.png"}}})";
  IM_CHECK(write_file(folder / "session.json", session).has_value());
  for (const char* const file : {"gone.png", "gone.mp4", "gone.md", "gone.json", "bad.mp4", "bad.md", "session.json"}) {
    IM_CHECK_EQ(run_here(fmt::format("{} --variant cpu_separable --screenshot shot.png --size 640x480", file)), 2);
    IM_CHECK(read_file(folder / "said").value_or("").find(file) != std::string::npos);
    IM_CHECK(!std::filesystem::exists(folder / "shot.png"));
  }
}

// How the program uses a picture or a session named on its command line, seen from the settings it saves.
GUI_TEST(a_file_is_taken_at_the_start) {
  const auto picture = folder / "named.png", session = folder / "start.json";
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), picture).has_value());
  const std::string path = fmt::format("\"path\": \"{}\"", picture.string());
  const std::string text =
      fmt::format("{{\"convoscope_session\": 1, \"settings\": {{\"iterations\": 3, \"source\": {{{}}}}}}}", path);
  IM_CHECK(write_file(session, text).has_value());
  const auto start = [&](std::string_view file) { return run_here(file, "--preserve-status 3"); };
  const auto kept = [] { return read_file(folder / "convoscope/settings.json").value_or(""); };
  IM_CHECK_EQ(start("named.png"), 0);
  IM_CHECK(kept().find(path) != std::string::npos);  // an absolute path, for a start from another folder
  IM_CHECK_EQ(start("start.json"), 0);
  IM_CHECK(kept().find(path) != std::string::npos && kept().find("\"iterations\": 3") != std::string::npos);
  std::filesystem::remove(picture);
  IM_CHECK_EQ(start("start.json"), 0);  // with another picture
  IM_CHECK(write_file(picture, "no picture").has_value());
  IM_CHECK_EQ(start("start.json"), 2);
  IM_CHECK(read_file(folder / "said").value_or("").find("start.json: its picture cannot be read: ") !=
           std::string::npos);
  // Nobody is there to answer whether a picture elsewhere may be opened.
  const auto elsewhere = folder / "elsewhere", lecture = elsewhere / "lecture.json";
  std::filesystem::create_directory(elsewhere);
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), picture).has_value());
  IM_CHECK(write_file(lecture, text).has_value());
  IM_CHECK_EQ(start("elsewhere/lecture.json --frames 2"), 2);
  IM_CHECK(read_file(folder / "said").value_or("").find("is outside its folder") != std::string::npos);
  IM_CHECK_EQ(start("elsewhere/lecture.json --frames 2 --trust"), 0);
  // What cannot be used is set aside, and the program starts.
  const auto settings_file = folder / "convoscope/settings.json";
  IM_CHECK(write_file(settings_file, std::string(100'000, '[')).has_value());
  IM_CHECK(write_file(folder / "convoscope/layout.ini", std::string(3'000'000, '[')).has_value());
  IM_CHECK_EQ(start(""), 0);
  IM_CHECK_EQ(read_file(folder / "convoscope/settings-unusable.json").value_or("").size(), std::size_t{100'000});
  std::filesystem::remove(settings_file);
  std::filesystem::create_symlink("settings.json", settings_file);
  IM_CHECK_EQ(start(""), 0);
  // It never starts a camera or a generator by itself.
  std::filesystem::remove(settings_file);
  IM_CHECK(write_file(settings_file, "{\"source\": {\"camera\": \"/dev/video9\", \"path\": \"lavfi:testsrc2\"}}")
               .has_value());
  IM_CHECK_EQ(start(""), 0);
  IM_CHECK(kept().find("lavfi") == std::string::npos && kept().find("video9") == std::string::npos);
}

// A session from somebody else asks before it opens a picture that is not beside it.
GUI_TEST(a_session_asks_before_it_leaves_its_folder) {
  start_over(ctx);
  const auto picture = folder / "private.png", lecture = folder / "sent/lecture.json";
  std::filesystem::create_directory(folder / "sent");
  IM_CHECK(save_picture(make_pattern(PatternKind::gradient, {61, 47}), picture).has_value());
  IM_CHECK(write_file(lecture,
                      "{\"convoscope_session\": 1, \"settings\": {\"iterations\": 3, \"source\": "
                      "{\"path\": \"../private.png\"}}}")
               .has_value());
  const SourceSettings before = settings().source;
  for (const bool opens : {false, true}) {
    dropped = lecture.string();
    until(ctx, [] { return app->ui().question.has_value(); });
    IM_CHECK(app->ui().question->text.find(picture.string()) != std::string::npos);
    ctx->Yield(2);
    IM_CHECK(settings().source == before);
    ctx->SetRef("###question");
    if (opens)
      ctx->ItemClick("Open it");
    else
      ctx->KeyPress(ImGuiKey_Escape);
    until(ctx, [] { return settings().iterations == 3; });
    IM_CHECK_EQ(settings().iterations, 3);
    settle(ctx);
    IM_CHECK(!app->ui().question);
    IM_CHECK(opens ? settings().source.path == picture : settings().source == before);
    settings().iterations = 1;
  }
}

GUI_TEST(an_empty_path_is_no_reason_to_end) {
  start_over(ctx);
  IM_CHECK(!app->open(""));
  IM_CHECK(app->ui().toast.text.find("Type the path") == 0);
  settle(ctx);
}

// A refused or unfinished result is not saved.
GUI_TEST(an_older_result_is_not_saved) {
  start_over(ctx);
  const std::string path = (folder / "result.png").string();
  settings().lanes[0].variant = "direct_shuffle";
  settings().filter.radius = 60;
  until(ctx, [] { return !lane(0).refusal.empty(); });
  execute(ctx, command::SaveResult{path});
  IM_CHECK(app->ui().toast.text.find("Not saved: lane A cannot run") == 0);
  IM_CHECK(!std::filesystem::exists(path));
  settings().filter.radius = 2;
  settle(ctx);
  execute(ctx, command::SaveResult{path});
  IM_CHECK(until(ctx, [&] { return app->ui().toast.text == "Saved " + path; }));
  IM_CHECK(std::filesystem::exists(path));
}

// Both by the menu. The picture is a pattern; the format holds floats, so that every bit counts.
GUI_TEST(the_copied_command_gives_the_exported_result) {
  start_over(ctx);
  settings().source = {.pattern = PatternKind::noise, .pattern_size = {61, 43}, .seed = 7};
  settings().lanes[0].variant = "cpu_separable";
  settings().lanes[0].format = PixelType::f32;
  settings().filter.sigma = 1.37;
  settings().border = Border::mirror;
  settle(ctx);
  const std::string exported = (folder / "exported.npy").string(), computed = (folder / "computed.npy").string();
  execute(ctx, command::SaveResult{exported});
  IM_CHECK(until(ctx, [&] { return app->ui().toast.text == "Saved " + exported; }));
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("File/Copy as command");
  ctx->Yield(3);
  const std::string command = ImGui::GetClipboardText();
  IM_CHECK(command.starts_with("convoscope convolve result.png --pattern=noise "));
  const std::string words = replaced(command.substr(command.find(' ')), "result.png", computed);
  IM_CHECK_EQ(run_program(words + " --device=cpu").status, 0);
  IM_CHECK(*read_file(computed) == *read_file(exported));
}

GUI_TEST(a_copied_link_opens_the_same_state) {
  start_over(ctx);
  settings().filter.radius = 9;
  settings().border = Border::wrap;
  settings().view = ViewMode::wipe;
  settle(ctx);
  ctx->SetRef("##MainMenuBar");
  ctx->MenuClick("File/Copy link");
  ctx->Yield(3);
  const Settings copied = settings();
  settings().filter.radius = 2;
  settings().border = Border::zero;
  settings().view = ViewMode::single;
  settle(ctx);
  focus_picture(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  ctx->Yield(3);
  settle(ctx);
  IM_CHECK_STR_EQ(app->ui().toast.text.c_str(), "Opened the link");
  IM_CHECK(settings() == copied);
  // A wrong link changes nothing.
  ImGui::SetClipboardText("convoscope:radius=3/camera=%2Fdev%2Fvideo0");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_V);
  ctx->Yield(3);
  IM_CHECK(app->ui().toast.text.starts_with("The link cannot be opened: "));
  IM_CHECK(settings() == copied);
}

// Starts to save a result that takes seconds to encode, and waits until a frame shows that it is being written. Were it
// written in the window's thread, no frame could show it.
void save_much(ImGuiTestContext* ctx, const std::string& path) {
  start_over(ctx);
  settings().source.pattern = PatternKind::noise;
  settings().source.pattern_size = {4000, 3000};
  settings().lanes[0].variant = "cpu_separable";
  settings().filter.radius = 1;
  settle(ctx);
  execute(ctx, command::SaveResult{path});
  IM_CHECK(until(ctx, [] { return app->status().saving && app->status().saving->share > 0; }));
}

// Each frame of the recording takes seconds to encode, and as many of the window go by.
GUI_TEST(a_recording_of_large_results_holds_nothing_up) {
  start_over(ctx);
  settings().source = {.pattern = PatternKind::moving_scene, .pattern_size = {3000, 2000}};
  settings().lanes[0].variant = "cpu_separable";
  settings().filter.radius = 1;
  settle(ctx);
  execute(ctx, command::Record{(folder / "out%03d.png").string()});
  const auto written = [] { return app->status().source.recording ? app->status().source.recording->written : -1; };
  float slowest = 0;
  int frames = 0;
  IM_CHECK(until(ctx, [&] {
    slowest = std::max(slowest, ImGui::GetIO().DeltaTime);
    ++frames;
    return written() > 2;
  }));
  IM_CHECK_LT(slowest, 0.25f);
  IM_CHECK_GT(frames, 30);
  execute(ctx, command::StopRecording{});
  IM_CHECK(until(ctx, [] { return !app->status().source.recording; }));
}

GUI_TEST(a_large_result_is_saved_in_the_background) {
  const auto path = folder / "large.png";
  save_much(ctx, path.string());
  IM_CHECK(until(ctx, [] { return !app->status().saving; }));
  const Result<Picture> saved = load_picture(path);
  IM_CHECK(saved.has_value());
  const HostImage shown = *result(0);
  IM_CHECK(saved->size == shown.size);
  for (const Point2 at : {Point2{0, 0}, Point2{2001, 1498}, Point2{3999, 2999}}) {
    const Rgba8 pixel = shown.pixels<Rgba8>()[at.y * 4000 + at.x];
    IM_CHECK(levels_at(*saved, at) == (std::array<unsigned char, 3>{pixel.r, pixel.g, pixel.b}));
  }
}

GUI_TEST(saving_is_cancelled_and_holds_the_window_open) {
  const auto path = folder / "large.png";
  IM_CHECK(write_file(path, "what was there before").has_value());
  save_much(ctx, path.string());
  IM_CHECK(until(ctx, [] { return app->status().saving->seconds > 0.3f; }));
  ctx->SetRef("##status");
  ctx->ItemClick("Cancel");
  IM_CHECK(until(ctx, [] { return !app->status().saving; }));
  IM_CHECK(app->ui().toast.text.ends_with("large.png: not saved: stopped"));
  IM_CHECK(*read_file(path) == "what was there before");

  execute(ctx, command::SaveResult{path.string()});
  IM_CHECK(until(ctx, [] { return app->status().saving.has_value(); }));
  execute(ctx, command::Quit{});
  ctx->Yield(3);
  IM_CHECK(app->running());
  IM_CHECK(app->ui().toast.text.starts_with("The program ends when"));
  execute(ctx, command::CancelSaving{});  // the window closes in the next frame
}

GUI_TEST(the_code_says_what_is_fixed_and_what_the_compiler_makes) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_unrolled";
  settings().view = ViewMode::side;
  settle(ctx);
  focus_picture(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  ctx->SetRef("Code");
  ctx->ItemClick("##code/PTX");
  until(ctx, [&] { return app->status().code.answers[0] && app->status().code.answers[1]; });
  const auto& code = app->status().code.answers[0];
  IM_CHECK(code != nullptr);
#if defined(CONV_WITH_CUDA)
  IM_CHECK(code->ptx.text.find(".entry") != std::string::npos);
  IM_CHECK(code->ptx.text.find("fma.rn.f32") != std::string::npos);
  IM_CHECK(code->ptx.counts.find(" · fma ") != std::string::npos);
  // The line of the sum has the multiply-adds, in both lanes and in both texts.
  for (int lane = 0; lane < 2; ++lane) {
    const CodeAnswer& answer = *app->status().code.answers[lane];
    const std::string& source = answer.question.texts->files.at(answer.question.job.file);
    const auto sum = source.begin() + static_cast<std::ptrdiff_t>(source.find("weighted("));
    const int line = 1 + static_cast<int>(std::count(source.begin(), sum, '\n'));
    IM_CHECK(instruction_counts(answer.ptx, {line}).find(" · fma ") != std::string::npos);
#if defined(__x86_64__)
    IM_CHECK_STR_EQ(answer.sass.why_not.c_str(), "");
    IM_CHECK(instruction_counts(answer.sass, {line}).find(" · fma ") != std::string::npos);
#endif
  }
#else
  IM_CHECK(!code->ptx.why_not.empty());
#endif
  ctx->ItemClick("##code/SASS");
  ctx->ItemClick("##code/Source");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_K);
  ctx->Yield(3);
  IM_CHECK(ctx->WindowInfo("//Occupancy").Window != nullptr);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_H);
  ctx->Yield(3);
  IM_CHECK(ctx->WindowInfo("//How it works").Window != nullptr);
  IM_CHECK(ctx->WindowInfo("//How it works").Window->DockNode == ctx->WindowInfo("//Occupancy").Window->DockNode);
}

GUI_TEST(presenting_shows_pictures_and_large_figures_alone) {
  start_over(ctx);
  settings().view = ViewMode::side;
  settle(ctx);
  focus_picture(ctx);
  const ViewArea at_desk = app->ui().areas[0].view;
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(5);
  const ViewArea area = app->ui().areas[0].view;
  IM_CHECK_GT(area.width * area.height, 1.2f * at_desk.width * at_desk.height);
  IM_CHECK(shows_reference(0) && shows_reference(1));
  IM_CHECK_GT(screen().levels[0] + 0, 230);  // bright, for a projector
  const Presenter::Presented& figures = app->ui().presenter.presented;
  until(ctx, [&] { return figures.times[0] != "–" && figures.times[1] != "–" && !figures.verdict.empty(); });
  const Presenter::Presented read = figures;  // an audience needs a second to read it
  while (ImGui::GetTime() < read.since + 0.95) {
    IM_CHECK(figures.times == read.times && figures.verdict == read.verdict);
    ctx->Yield();
  }
  until(ctx, [&] { return figures.since > read.since; });
  IM_CHECK_GE(figures.since, read.since + 1);
  settings().lanes[0].variant = "cpu_direct";  // with another plan the numbers change immediately
  ctx->Yield(2);
  IM_CHECK(figures.plans[0] != read.plans[0] && figures.times[0] != read.times[0]);
  settle(ctx);
  ctx->KeyPress(ImGuiKey_B);
  ctx->Yield(3);
  IM_CHECK_EQ(app->ui().areas[0].view.width, 0.0f);
  const Picture& seen = screen();
  for (const std::size_t part : {2, 3, 5, 7})  // positions from the top, at the left
    IM_CHECK_GT(seen.levels[seen.levels.size() / part / 3 / seen.size.width * seen.size.width * 3 + 30] + 0, 230);
  ctx->KeyPress(ImGuiKey_B);
  ctx->Yield(3);
  ctx->KeyPress(ImGuiKey_Z);
  IM_CHECK(!app->ui().view.fitted);
  ctx->KeyPress(ImGuiKey_Z);
  ctx->KeyPress(ImGuiKey_B);
  for (const bool on : {false, true}) {  // the next presentation does not begin with a blank screen
    ctx->KeyPress(ImGuiKey_F5);
    ctx->Yield(3);
    IM_CHECK(app->ui().presenter.on == on && !app->ui().presenter.blank);
  }
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(3);
  IM_CHECK(!app->ui().presenter.on && app->preferences().theme == Theme::dark);
}

// The keys of six panels show them in place of the pictures, with text for the back row. The desk keeps its panels.
GUI_TEST(presenting_shows_a_panel_in_place_of_the_pictures) {
  start_over(ctx);
  settings().view = ViewMode::side;
  settings().filter.radius = 2;
  choose_variant(ctx, 'A', "tile_linear");
  settle(ctx);
  focus_picture(ctx);
  const ShownPanels at_desk = app->ui().shown;
  ctx->KeyPress(ImGuiKey_F5);
  ctx->Yield(3);
  const struct {
    ImGuiKeyChord key;
    bool ShownPanels::*panel;
  } panels[] = {{ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_K, &ShownPanels::kernel},
                {ImGuiMod_Ctrl | ImGuiKey_H, &ShownPanels::idea},
                {ImGuiMod_Ctrl | ImGuiKey_B, &ShownPanels::block},
                {ImGuiMod_Ctrl | ImGuiKey_T, &ShownPanels::trace},
                {ImGuiMod_Ctrl | ImGuiKey_I, &ShownPanels::inspector},
                {ImGuiKey_R, &ShownPanels::race}};
  for (const auto& [key, panel] : panels) {
    ctx->KeyPress(key);
    ctx->Yield(5);
    IM_CHECK(app->ui().presenter.panel == panel);
    IM_CHECK_EQ(app->ui().areas[0].view.width, 0.0f);
    float smallest = FLT_MAX;
    ImGuiWindow* shown = nullptr;
    after_frame(ctx, [&] {
      for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (window->WasActive && std::string_view(window->Name).contains("##panel")) {
          smallest = window->FontRefSize;
          shown = window;
        }
    });
    // A caption is 0.8 of the base size.
    IM_CHECK_GE(0.8f * smallest, 0.025f * ImGui::GetMainViewport()->WorkSize.y);
    if (panel == &ShownPanels::block) {  // the slide's tile of 20x20 pixels has room for the numbers of its loads
      IM_CHECK(until(ctx, [] { return app->status().block != nullptr; }));
      ctx->Yield(2);
      ctx->SetRef(shown);
      IM_CHECK_GE(ctx->ItemInfo("**/tile").RectFull.GetWidth(), 20 * 3 * 0.6f * 8);
    }
  }
  IM_CHECK(until(ctx, [] { return app->status().race.running; }));
  ctx->KeyPress(ImGuiKey_Escape);  // the pictures are back, and the race has ended
  ctx->Yield(3);
  IM_CHECK(app->ui().presenter.on && !app->ui().presenter.panel);
  IM_CHECK_GT(app->ui().areas[0].view.width, 0.0f);
  IM_CHECK(until(ctx, [] { return !app->status().race.running; }));
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->Yield(3);
  IM_CHECK(!app->ui().presenter.on);
  for (const auto& [key, panel] : panels) IM_CHECK_EQ(app->ui().shown.*panel, at_desk.*panel);
}

// The palette finds every control by its label, opens what hides it, and gives it the keyboard.
GUI_TEST(the_palette_brings_a_control_to_the_keyboard) {
  start_over(ctx);
  choose_variant(ctx, 'A', "tile_linear");
  const auto find = [&](const char* words) {
    ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
    ctx->Yield(2);
    ctx->KeyCharsAppend(words);
    ctx->Yield(2);
    ctx->KeyPress(ImGuiKey_Enter);
    ctx->Yield(6);
  };
  const auto has_keyboard = [&](const char* item) {
    const ImGuiID id = ctx->ItemInfo(item, ImGuiTestOpFlags_NoError).ID;
    return id != 0 && ImGui::GetCurrentContext()->NavId == id;
  };
  app->ui().shown.settings = false;
  focus_picture(ctx);
  find("settings: sigma");
  IM_CHECK(app->ui().shown.settings && has_keyboard("//Settings/filter/##sigma"));
  ctx->KeyPress(ImGuiKey_Escape);
  focus_picture(ctx);
  find("settings: iterations");  // folded until now
  IM_CHECK(has_keyboard("//Settings/outcome/##iterations"));
  ctx->KeyPress(ImGuiKey_Escape);
  focus_picture(ctx);
  find("display: gamma");
  IM_CHECK(has_keyboard("//$FOCUSED/display/##gamma"));
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->KeyPress(ImGuiKey_Escape);
  focus_picture(ctx);
  find("source: pattern");
  IM_CHECK(has_keyboard("//$FOCUSED/rows/##pattern"));
}

}  // namespace

}  // namespace conv
