// The window under random use: clicks, keys, drags, wheels, resizes, dropped files, moving sources, recordings,
// dialogs, lab and sweep. The seed makes a run repeatable:
//   CONVOSCOPE_SEED=7 CONVOSCOPE_SECONDS=600 gui_test random_use_breaks_nothing
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_engine.h>
#include <imgui_te_internal.h>

#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "gui_support.h"
// glad, which app.h includes, must come before
#include <GLFW/glfw3.h>

#if defined(__SANITIZE_ADDRESS__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
extern "C" void __sanitizer_print_memory_profile(std::size_t percent, std::size_t most_stacks);
#endif

namespace conv {

namespace {

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

// What is allocated and not freed, in MB, with that of the libraries.
double live_mb() {
#if defined(__SANITIZE_ADDRESS__)
  return static_cast<double>(__sanitizer_get_current_allocated_bytes()) / 1e6;
#else
  const struct mallinfo2 all = mallinfo2();
  return static_cast<double>(all.uordblks + all.hblkhd) / 1e6;
#endif
}

// Who has allocated what is live.
void print_owners() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_print_memory_profile(95, 12);
#endif
}

// All keys except those that open the desktop's dialogs, use the clipboard, or end the program.
constexpr ImGuiKeyChord plain_keys[] = {
    ImGuiKey_1,      ImGuiKey_2,     ImGuiKey_3,     ImGuiKey_4,         ImGuiKey_5,           ImGuiKey_6,
    ImGuiKey_W,      ImGuiKey_D,     ImGuiKey_G,     ImGuiKey_L,         ImGuiKey_V,           ImGuiKey_Space,
    ImGuiKey_A,      ImGuiKey_B,     ImGuiKey_X,     ImGuiKey_K,         ImGuiKey_N,           ImGuiKey_O,
    ImGuiKey_R,      ImGuiKey_F,     ImGuiKey_Z,     ImGuiKey_C,         ImGuiKey_Tab,         ImGuiKey_Enter,
    ImGuiKey_Escape, ImGuiKey_F1,    ImGuiKey_F5,    ImGuiKey_F12,       ImGuiKey_LeftBracket, ImGuiKey_RightBracket,
    ImGuiKey_Minus,  ImGuiKey_Equal, ImGuiKey_Comma, ImGuiKey_Semicolon, ImGuiKey_Apostrophe,  ImGuiKey_LeftArrow};
constexpr ImGuiKeyChord keys_with_ctrl[] = {ImGuiKey_Z, ImGuiKey_Y, ImGuiKey_0,     ImGuiKey_G,
                                            ImGuiKey_L, ImGuiKey_B, ImGuiKey_E,     ImGuiKey_K,
                                            ImGuiKey_I, ImGuiKey_R, ImGuiKey_Equal, ImGuiKey_Minus};

class RandomUser {
 public:
  RandomUser(ImGuiTestContext* ctx, unsigned seed) : ctx_(ctx), random_(seed) {
    save(make_pattern(PatternKind::gradient, {61, 47}), "small.png");
    save(make_pattern(PatternKind::noise, {1, 1}), "one.png");
    save(make_pattern(PatternKind::checkerboard, {200, 3}), "flat.png");
    std::ofstream(folder / "words.txt") << "no picture";
    std::ofstream(folder / "broken.json") << "{\"convoscope_session\": 1, \"settings\": 5}";
    std::ofstream(folder / "cut.png") << "\x89PNG\r\n";
    // In place of the desktop's dialogs: chooses this after a moment.
    const std::filesystem::path dialog = folder / "zenity";
    std::ofstream(dialog) << "#!/bin/sh\nsleep 0.1\necho " << (folder / "small.png").string() << "\n";
    std::filesystem::permissions(dialog, std::filesystem::perms::owner_all);
    setenv("PATH", (folder.string() + ":" + std::getenv("PATH")).c_str(), 1);
  }

  void act() {
    switch (pick(13)) {
      case 0:
      case 1:
      case 2: return click();
      case 3:
      case 4: return drag();
      case 5:
      case 6:
      case 7: return key();
      case 8: return ctx_->MouseWheelY(pick(2) ? 1.0f : -1.0f);
      case 9: return drop();
      case 10: return resize();
      case 11: return order();
      default: return ctx_->KeyChars("3.7");
    }
  }

 private:
  unsigned pick(std::size_t count) { return static_cast<unsigned>(random_() % count); }
  static void save(const Picture& picture, const char* name) {
    static_cast<void>(save_picture(picture, folder / name));
  }
  ImVec2 somewhere() {
    const Size2 size = app->window().size();
    return {static_cast<float>(pick(static_cast<std::size_t>(size.width))),
            static_cast<float>(pick(static_cast<std::size_t>(size.height)))};
  }
  void click() {
    ctx_->MouseTeleportToPos(somewhere());
    ctx_->MouseClick(pick(8) == 0 ? ImGuiMouseButton_Right : ImGuiMouseButton_Left);
  }
  void drag() {
    ctx_->MouseTeleportToPos(somewhere());
    ctx_->MouseDown();
    for (int i = 0; i < 3; ++i) {
      ctx_->MouseTeleportToPos(somewhere());
      ctx_->Yield();
    }
    ctx_->MouseUp();
  }
  void key() {
    ctx_->KeyPress(pick(3) == 0 ? ImGuiMod_Ctrl | keys_with_ctrl[pick(std::size(keys_with_ctrl))]
                                : plain_keys[pick(std::size(plain_keys))]);
  }
  void drop() {
    static constexpr const char* names[] = {"small.png",   "one.png", "flat.png", "words.txt",
                                            "broken.json", "cut.png", "gone.png"};
    dropped = (folder / names[pick(std::size(names))]).string();
    while (!dropped.empty()) ctx_->Yield();
  }
  void order() {
    const auto file = [](const char* name) { return (folder / name).string(); };
    const BenchJob sweep{.id = "random", .groups = {{{.image = {64, 48}, .lane = {.variant = "cpu_direct"}}}}};
    const Command orders[] = {command::Pause{pick(2) == 0},
                              command::Step{1},
                              command::Seek{0.5},
                              command::Record{file("recorded.mkv")},
                              command::RecordWindow{file("window.mkv")},
                              command::StopRecording{},
                              command::SaveResult{file("result.npy")},
                              command::SaveView{file("view.png")},
                              command::SaveSession{file("session.json")},
                              command::OpenSession{.path = file("session.json")},
                              command::OpenFile{.path = file("small.png")},
                              command::ChooseFile{},
                              command::ChooseSaveFile{},
                              command::RunLab{},
                              command::CancelLab{},
                              command::RunBench{{sweep}, {}},
                              command::CancelBench{},
                              command::ResetLayout{},
                              command::Quit{}};
    const std::size_t which = pick(std::size(orders) + 2);
    if (which < std::size(orders)) return execute(ctx_, orders[which]);
    settings().source = {.pattern = PatternKind::moving_scene, .pattern_size = {160, 90}};
  }
  void resize() {
    static constexpr Size2 sizes[] = {{1024, 640}, {1600, 900}, {640, 480}, {900, 1000}};
    const Size2 size = sizes[pick(std::size(sizes))];
    glfwSetWindowSize(app->window().handle(), size.width, size.height);
    ctx_->Yield(3);
  }

  ImGuiTestContext* ctx_;
  std::mt19937 random_;
};

// Everything that runs ends, every panel is closed, and the first picture is shown.
void come_to_rest(ImGuiTestContext* ctx) {
  for (const Command& order : {Command(command::StopRecording{}), Command(command::CancelLab{}),
                               Command(command::CancelBench{}), Command(command::CancelSaving{})})
    execute(ctx, order);
  until(ctx, [] {
    const AppStatus& status = app->status();
    return !status.bench.running && !status.lab.running && !status.saving && !status.source.recording;
  });
  app->ui().presenter.on = false;
  app->ui().shown = {};
  glfwSetWindowSize(app->window().handle(), 1600, 900);
  ctx->PopupCloseAll();
  start_over(ctx);
}

GUI_TEST(random_use_breaks_nothing) {
  draw_every_frame();
  stays_open = true;  // a click may choose Quit in the menu
  const int seconds = from_environment("CONVOSCOPE_SECONDS", 12);
  start_over(ctx);
  RandomUser user(ctx, static_cast<unsigned>(from_environment("CONVOSCOPE_SEED", 1)));
  const auto start = std::chrono::steady_clock::now();
  long long actions = 0;
  std::vector<double> live;  // in MB, after each sixth
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(seconds)) {
    user.act();
    // Avoids settings that would keep the CPU executor busy for long.
    if (app->status().source.size.area() > 300 * 200) settings().source = {.pattern_size = {96, 64}};
    settings().filter.radius = std::min(settings().filter.radius, 12);
    settings().iterations = std::min(settings().iterations, 2);
    ++actions;
    const double sixths = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / seconds * 6;
    if (sixths < static_cast<double>(live.size()) + 1) continue;
    come_to_rest(ctx);
    live.push_back(live_mb());
  }
  come_to_rest(ctx);
  live.push_back(live_mb());
  fmt::print("{} random actions in {} s, live memory after each sixth: {:.1f} MB\n", actions, seconds,
             fmt::join(live, ", "));
  // Before ten minutes, some of what the program has was not used yet.
  const bool grew = seconds >= 3600 && live.back() > live.front() + 8;
  if (grew) print_owners();
  IM_CHECK(!grew);
  settings().view = ViewMode::side;
  settle(ctx);
  IM_CHECK(shows_reference(0) && shows_reference(1));
}

}  // namespace

}  // namespace conv
