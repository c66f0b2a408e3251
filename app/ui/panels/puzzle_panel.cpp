// Puzzles: a text, a kernel to complete, what was found in it, hints.
#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/lessons/diagram.h"
#include "app/live/check_task.h"
#include "app/live/puzzle.h"
#include "app/ui/panels/kernel_editor.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/diagram_view.h"
#include "app/ui/widgets/markdown.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

// The check of the kernel as it is in the editor; null if it has not been checked.
const CheckedPuzzle* checked(const PanelContext& context) {
  const PuzzleView& view = context.ui.panels.puzzle;
  const auto& checked = context.status.puzzles.checked;
  return checked && checked->kernel == view.kernel ? checked.get() : nullptr;
}

void open(PanelContext& context, int number) {
  PuzzleView& view = context.ui.panels.puzzle;
  const auto& folder = context.status.puzzles.folder;
  if (!view.editor) view.editor = std::make_shared<KernelEditor>();
  if (view.kernel.number > 0) view.texts[view.kernel.number] = view.kernel.text;
  std::string text = starting_kernel(*find_puzzle(number));
  if (const auto saved = folder->texts.find(number); saved != folder->texts.end()) text = saved->second;
  if (const auto begun = view.texts.find(number); begun != view.texts.end()) text = begun->second;
  view.editor->set_text(text);
  view.kernel = {number, view.editor->text()};
  view.hints = 1;
  view.marked.clear();
}

void draw_choice(PanelContext& context) {
  const PuzzleStatus& status = context.status.puzzles;
  const int current = context.ui.panels.puzzle.kernel.number;
  const auto name = [&](const Puzzle& puzzle) {
    const bool passed = status.folder->passed.contains(puzzle.number) || status.passed.contains(puzzle.number);
    return fmt::format("{}  {}{}", puzzle.number, title_of(puzzle), passed ? "  (passed)" : "");
  };
  ImGui::SetNextItemWidth(-1);
  if (!begin_combo("##puzzle", name(*find_puzzle(current)))) return;
  int chosen = current;
  for (const Puzzle& puzzle : puzzles())
    if (ImGui::Selectable(name(puzzle).c_str(), puzzle.number == current)) chosen = puzzle.number;
  ImGui::EndCombo();
  if (chosen != current) open(context, chosen);
}

// From the editor; it is kept in the user's folder.
void take_text(PuzzleView& view) {
  view.kernel.text = view.editor->text();
  view.changed = view.kernel;
}

void check(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  view.wanted = view.kernel;
  view.hints = 1;
}

void replace(PanelContext& context, const std::string& text) {
  PuzzleView& view = context.ui.panels.puzzle;
  view.editor->replace_text(text);
  view.editor->focus();
  take_text(view);  // the editor may be in a tab that is not shown
}

void draw_buttons(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  const Puzzle& puzzle = *find_puzzle(view.kernel.number);
  ImGui::BeginDisabled(context.status.puzzles.checking);
  if (ImGui::Button("Check")) check(context);
  ImGui::EndDisabled();
  tooltip("Compiles the kernel, runs it over small pictures, and watches every access (Ctrl+Enter).");
  flow("Start over");
  if (ImGui::Button("Start over")) replace(context, starting_kernel(puzzle));
  tooltip("The kernel that the puzzle starts with. Ctrl+Z in the editor brings yours back.");
  flow("Solution…");
  if (ImGui::Button("Solution…")) ImGui::OpenPopup("##solution");
  if (ImGui::BeginPopup("##solution")) {
    close_on_escape();
    ImGui::TextUnformatted("Replace your kernel with a solution? Ctrl+Z brings yours back.");
    if (ImGui::Button("Show the solution")) {
      replace(context, solution_of(puzzle));
      ImGui::CloseCurrentPopup();
    }
    ImGui::EndPopup();
  }
  const CheckedPuzzle* answer = checked(context);
  flow("Copy result");
  ImGui::BeginDisabled(!answer);
  if (ImGui::Button("Copy result")) context.commands.push_back(command::CopyText{answer->result});
  ImGui::EndDisabled();
  tooltip("Copies the result of this check as text, to hand in: what was found, with a hash of the kernel.");
}

void draw_work(const PanelContext& context, const CheckedPuzzle& answer) {
  const Palette& p = context.look.colours;
  if (!answer.before || !answer.report.work) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  if (!ImGui::BeginTable("##work", 3, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("In one block of 16×16 threads");
  ImGui::TableSetupColumn("start", ImGuiTableColumnFlags_WidthFixed, 56 * scale);
  ImGui::TableSetupColumn("yours", ImGuiTableColumnFlags_WidthFixed, 56 * scale);
  header_row();
  for (const WorkInfo& work : kinds_of_work) {
    const auto at = static_cast<std::size_t>(work.work);
    const double before = (*answer.before)[at], now = (*answer.report.work)[at];
    if (before == 0 && now == 0) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    caption(work.title, p.quiet);
    ImGui::TableNextColumn();
    number(context.look.fonts, fmt::format("{:.2f}", before), p.quiet, text_size::caption);
    ImGui::TableNextColumn();
    number(context.look.fonts, fmt::format("{:.2f}", now), now < before ? p.pass : p.text, text_size::caption);
  }
  ImGui::EndTable();
}

void draw_hints(PanelContext& context, const CheckedPuzzle& answer) {
  const Palette& p = context.look.colours;
  PuzzleView& view = context.ui.panels.puzzle;
  const FoundFlaw& flaw = answer.report.flaws.front();
  const std::vector<std::string> hints = hints_for(*find_puzzle(view.kernel.number), flaw);
  const int count = static_cast<int>(hints.size());
  ImGui::TextColored(p.fault, "Failed: %s", std::string(info(flaw.flaw).id).c_str());
  tooltip(fmt::format("{}\nSeen with {}.", info(flaw.flaw).hint, flaw.where));
  for (int i = 0; i < std::min(view.hints, count); ++i)
    draw_markdown(context.look, without_file(hints[i], declared_kernel_file));
  if (view.hints < count) {
    if (ImGui::Button("Next hint")) ++view.hints;
    tooltip("The last one names the line.");
  }
}

void draw_outcome(PanelContext& context) {
  const Palette& p = context.look.colours;
  const PuzzleStatus& status = context.status.puzzles;
  if (status.checking) return caption("Checking…", p.quiet);
  if (!status.error.empty()) {
    complaint(p, status.error);
    if (agree_to_no_sandbox()) check(context);
    return;
  }
  const CheckedPuzzle* answer = checked(context);
  if (!answer) return caption("Not checked yet. Ctrl+Enter checks the kernel.", p.quiet);
  const KernelReport& report = answer->report;
  if (!report.errors.empty()) {
    ImGui::TextColored(p.fault, "Does not compile");
    return complaint(p, without_file(report.errors, declared_kernel_file));
  }
  if (!report.passed()) return draw_hints(context, *answer);
  ImGui::TextColored(p.pass, "Passed");
  ImGui::SameLine();
  caption(fmt::format("{} cases, every access watched", report.checked), p.quiet);
  draw_work(context, *answer);
  const int next = answer->kernel.number + 1;
  if (find_puzzle(next) && ImGui::Button("Next puzzle")) open(context, next);
}

// The lines that compiler or hints have named so far.
void mark_lines(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  const CheckedPuzzle* answer = checked(context);
  std::string named;
  if (answer && !answer->report.errors.empty()) named = answer->report.errors;
  if (answer && !answer->report.flaws.empty()) {
    const FoundFlaw& flaw = answer->report.flaws.front();
    const auto hints = hints_for(*find_puzzle(view.kernel.number), flaw).size();
    if (view.hints >= static_cast<int>(hints)) named = flaw.text;
  }
  if (view.marked == named) return;
  view.marked = named;
  view.editor->set_marks(marks_of(named, declared_kernel_file), context.look);
}

// The picture of the puzzle's idea, with its own plan.
std::optional<Diagram> idea_of(const PanelContext& context, const Puzzle& puzzle) {
  const Result<LessonPicture> picture = parse_picture(picture_of(puzzle));
  const CheckCase counted = check_task(check_name(puzzle))->counted;
  Result<LaunchPlan> plan = plan_case(puzzle.launch, counted, context.status.device.limits);
  if (!picture || !plan) return std::nullopt;
  const Settings settings{.filter = puzzle.filter};
  LessonFacts facts{.settings = settings, .image = counted.image};
  facts.plans[0] = std::make_shared<const LaunchPlan>(std::move(*plan));
  return diagram_of(*picture, facts);
}

// The picture is above the task.
void draw_text(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  const Puzzle& puzzle = *find_puzzle(view.kernel.number);
  if (std::exchange(view.drawn, puzzle.number) != puzzle.number) view.idea = idea_of(context, puzzle);
  const std::string text = text_of(puzzle);
  const std::size_t task = std::min(text.find("**Task:**"), text.size());
  draw_markdown(context.look, text.substr(0, task));
  if (view.idea) draw_diagram(context.look, *view.idea);
  draw_markdown(context.look, text.substr(task));
}

void draw_editor(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  mark_lines(context);
  if (view.editor->draw(context.look)) take_text(view);
}

// Text and kernel side by side.
void draw_beside(PanelContext& context) {
  if (ImGui::BeginChild("##text", {0.42f * ImGui::GetContentRegionAvail().x, 0})) {
    draw_choice(context);
    draw_buttons(context);
    ImGui::Separator();
    draw_outcome(context);
    ImGui::Separator();
    draw_text(context);
  }
  ImGui::EndChild();
  ImGui::SameLine();
  draw_editor(context);
}

// In a narrow window, one of them at a time.
void draw_in_tabs(PanelContext& context) {
  draw_choice(context);
  draw_buttons(context);
  draw_outcome(context);
  if (!ImGui::BeginTabBar("##parts")) return;
  if (ImGui::BeginTabItem("Task")) {
    if (ImGui::BeginChild("##text")) draw_text(context);
    ImGui::EndChild();
    ImGui::EndTabItem();
  }
  if (ImGui::BeginTabItem("Your kernel")) {
    draw_editor(context);
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

}  // namespace

void draw_puzzle_contents(PanelContext& context) {
  PuzzleView& view = context.ui.panels.puzzle;
  const PuzzleStatus& status = context.status.puzzles;
  context.ui.wants.puzzles = true;
  if (!status.folder) return caption("Reading your kernels…", context.look.colours.quiet);
  if (view.kernel.number == 0) open(context, 1);
  if (ImGui::GetContentRegionAvail().x > 760 * ImGui::GetStyle().FontScaleMain)
    draw_beside(context);
  else
    draw_in_tabs(context);
  const bool asks =
      ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
      ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Enter, ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused);
  if (asks && !status.checking) check(context);
}

void draw_puzzle(PanelContext& context) {
  if (!context.ui.shown.puzzle) return;
  constexpr const char* title = "Puzzles";
  place_large_window(title);
  if (context.ui.layout.focus_settings == 0 && std::exchange(context.ui.panels.puzzle.rises, false))
    ImGui::SetNextWindowFocus();  // above the other windows, also at the start
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin(title, &context.ui.shown.puzzle)) draw_puzzle_contents(context);
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace conv
