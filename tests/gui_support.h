// Shared by the tests that drive the window by mouse and keyboard through Dear ImGui's test engine.
#pragma once
#include <fmt/format.h>
#include <imgui_te_context.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/shell/app.h"
#include "app/ui/panels/panels.h"

namespace conv {

extern App* app;
extern std::filesystem::path folder;  // the test's own, removed with it

// What the window showed after the last frame, and what the texture of lane A or B held. Tests run on a thread of the
// engine without an OpenGL context: the main loop reads both, and only when a test asks, because reading takes longer
// than drawing. The first call after a frame runs two more.
const Picture& screen();
const std::optional<HostImage>& result(int index);
// From now on every frame is drawn in pixels. Otherwise only those that screen() and result() read are, because the
// OpenGL driver of a machine without a GPU takes far longer for the pixels than the window takes for everything else.
void draw_every_frame();
// Whether this pixel of the screen has this colour, but for rounding.
bool screen_shows(ImVec4 colour, Point2 at);

// Whether the program goes on when a test chooses Quit, or closes the window.
extern bool stays_open;

// A file that the main loop drops on the window before the next frame, and clears.
extern std::string dropped;
// Executed by the main loop before the next frame: commands may use OpenGL.
void execute(ImGuiTestContext* ctx, const Command& command);

// Called by the main loop after a frame, when Dear ImGui's draw lists are complete.
void after_frame(ImGuiTestContext* ctx, std::function<void()> read);

// All words of the next frame, in the order in which they are drawn. Each line break becomes a space.
std::string words_of_frame(ImGuiTestContext* ctx);

LaneStatus lane(int index);
Settings& settings();

// Runs frames until all active lanes show what is chosen.
void settle(ImGuiTestContext* ctx);
// The colour of a pixel of lane A or B, read back from its RGBA8 texture.
std::array<unsigned char, 3> result_at(int index, Point2 pixel);
// Whether the result of lane A or B, read back from its texture, equals the reference.
bool shows_reference(int index);
// Opens the list of lane 'A' or 'B' in the toolbar by the mouse, and clicks the variant there.
void choose_variant(ImGuiTestContext* ctx, char lane, const std::string& id);
// Starts the program on a display server of its own, in the test's folder, and then runs this shell script. In it,
// $server is the process of the server, and $program that of `timeout`, which passes signals on to its child, the
// program. Returns the status with which the program ended; its errors are then in the file `said`, and the time of its
// end, in ms, in the file `ended`. arguments: `named.png` is a small picture.
int run_on_own_display(std::string_view script, std::string_view program = CONV_PROGRAM,
                       std::string_view arguments = "named.png --variant cpu_separable");
// A small picture, so that the reference is fast; settings as at the first start, except for variants that are fast
// here.
void start_over(ImGuiTestContext* ctx);

// What a panel is given, with another state and status than the window's. Its commands are not executed.
PanelContext panel_context(UiState& ui, const AppStatus& status);

// Runs frames until the condition holds, or for a minute, or until the test has failed. Tells whether it held.
template <class Done>
bool until(ImGuiTestContext* ctx, Done done) {
  const auto start = std::chrono::steady_clock::now();
  while (!done()) {
    if (ctx->IsError() || std::chrono::steady_clock::now() - start > std::chrono::minutes(1)) return false;
    ctx->Yield();
  }
  return true;
}

// Runs frames for this long, in the time of the clock: some numbers are renewed only a few times a second.
inline void run_for(ImGuiTestContext* ctx, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  until(ctx, [end] { return std::chrono::steady_clock::now() >= end; });
}

struct GuiTest {
  GuiTest(const char* name, void (*run)(ImGuiTestContext*));
  const char* name;
  void (*run)(ImGuiTestContext*);
};
// A test of this name, for the program's command line and for ctest.
#define GUI_TEST(name)                    \
  void name(ImGuiTestContext* ctx);       \
  const GuiTest name##_test{#name, name}; \
  void name([[maybe_unused]] ImGuiTestContext* ctx)

}  // namespace conv
