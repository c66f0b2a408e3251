// Puzzles in the window, by mouse and keyboard.
#include <imgui.h>

#include "app/live/puzzle.h"
#include "gui_support.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

const PuzzleStatus& status() {
  return app->status().puzzles;
}
const PuzzleView& view() {
  return app->ui().panels.puzzle;
}

void open_puzzles(ImGuiTestContext* ctx) {
  start_over(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
  IM_CHECK(until(ctx, [] { return view().kernel.number > 0; }));
  ctx->SetRef("Puzzles");
}

// The check of the kernel in the editor.
const KernelReport* checked(ImGuiTestContext* ctx) {
  const auto is_checked = [] { return status().checked && status().checked->kernel == view().kernel; };
  return until(ctx, is_checked) ? &status().checked->report : nullptr;
}

void take_solution(ImGuiTestContext* ctx) {
  ctx->ItemClick("**/Solution…");
  ctx->ItemClick("//$FOCUSED/Show the solution");
  ctx->Yield(3);
}

GUI_TEST(a_puzzle_is_solved_in_the_window) {
  open_puzzles(ctx);
  IM_CHECK_STR_EQ(view().kernel.text.c_str(), starting_kernel(*find_puzzle(1)).c_str());
  ctx->ItemClick("**/Check");
  const KernelReport* start = checked(ctx);
  IM_CHECK(start && !start->passed());
  ctx->ItemClick("**/Next hint");
  IM_CHECK_EQ(view().hints, 2);
  take_solution(ctx);
  IM_CHECK(view().kernel.text != starting_kernel(*find_puzzle(1)));
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
  const KernelReport* solved = checked(ctx);
  IM_CHECK(solved && solved->passed());
  IM_CHECK(status().passed.contains(1));
  ctx->ItemClick("**/Next puzzle");
  IM_CHECK_EQ(view().kernel.number, 2);
  // Kernel and result are kept.
  const std::filesystem::path folder = config_folder() / "puzzles";
  IM_CHECK(until(ctx, [&] { return file_exists(folder / "copy.json"); }));
  IM_CHECK(read_file(folder / "copy.cu").value_or("").find("target.contains") != std::string::npos);
}

// In a narrow window the editor is in a tab of its own, which need not be shown.
GUI_TEST(a_solution_is_taken_while_the_text_is_shown) {
  open_puzzles(ctx);
  ctx->WindowResize("//Puzzles", {500, 500});
  ctx->Yield(3);
  IM_CHECK(ctx->ItemExists("**/Your kernel"));
  take_solution(ctx);
  IM_CHECK(view().kernel.text == solution_of(*find_puzzle(1)));
}

// Letters and Ctrl+Z belong to the editor while it has the keyboard.
GUI_TEST(keys_belong_to_the_editor_while_one_writes) {
  open_puzzles(ctx);
  take_solution(ctx);
  const std::string before = view().kernel.text;
  const Settings settings_before = settings();
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Home);
  ctx->KeyChars("k");
  ctx->Yield(3);
  IM_CHECK(view().kernel.text == "k" + before);
  IM_CHECK(settings() == settings_before);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
  const KernelReport* wrong = checked(ctx);
  IM_CHECK(wrong && wrong->errors.find("kernels/mine.cu:1:") != std::string::npos);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Z);
  ctx->Yield(3);
  IM_CHECK(view().kernel.text == before);
  IM_CHECK(settings() == settings_before);
}

}  // namespace

}  // namespace conv
