// What the tests share that drive the window by mouse and keyboard through Dear ImGui's test engine.
#pragma once
#include <fmt/format.h>
#include <imgui_te_context.h>

#include <filesystem>
#include <optional>
#include <string>

#include "app/shell/app.h"
#include "app/ui/panels/panels.h"

namespace conv {

extern App* app;
extern std::filesystem::path folder;  // the test's own, removed with it

// Tests run on a thread of the engine's, which has no OpenGL context: the main loop fills these after each frame.
extern Picture screen;
extern std::optional<HostImage> results[2];

// A file that the main loop drops on the window before the next frame, and clears.
extern std::string dropped;

LaneStatus lane(int index);
Settings& settings();

// Frames until all active lanes show what is chosen.
void settle(ImGuiTestContext* ctx);
// Colours of a pixel of lane A or B, read back from its texture, which is RGBA8.
std::array<unsigned char, 3> result_at(int index, Point2 pixel);
// What lane A or B shows, read back from its texture, is what the reference says of the settings.
bool shows_reference(int index);
// A small picture, so that the reference is quick; settings as at the first start, but for variants that are quick
// here.
void start_over(ImGuiTestContext* ctx);

// What a panel is given, with another state and status than the window's. What it asks for is not done.
PanelContext panel_context(UiState& ui, const AppStatus& status);

// Frames until this is so, or too many.
template <class Done>
void until(ImGuiTestContext* ctx, Done done) {
  for (int i = 0; i < 3000 && !done(); ++i) ctx->Yield();
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
