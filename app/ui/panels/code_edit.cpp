#include "app/ui/panels/code_edit.h"

#include <fmt/format.h>

#include "app/live/kernel_twin.h"
#include "app/live/live_kernels.h"
#include "app/ui/panels/code_diff.h"
#include "app/ui/panels/kernel_editor.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

const Variant& variant_of(const PanelContext& context) {
  return *find_variant(context.settings.lanes[context.ui.panels.block.lane].variant);
}

// The text that the lanes are to run now.
const std::string& text_in_use(const PanelContext& context) {
  return context.status.code.kernels->files.at(context.ui.panels.code.edit.kernel.file);
}

// What was found in the text in the editor; null if that is not known yet.
const LiveReport* report_of(const PanelContext& context) {
  const auto& report = context.status.lanes[context.ui.panels.block.lane].edited;
  return report && report->text == context.ui.panels.code.edit.kernel.text ? report.get() : nullptr;
}

// From the editor; it is kept in the user's folder.
void take_text(EditView& view) {
  view.kernel.text = view.editor->text();
  view.changed = view.kernel;
}

void open(PanelContext& context, const std::string& file) {
  EditView& view = context.ui.panels.code.edit;
  if (!view.kernel.file.empty()) view.texts[view.kernel.file] = view.kernel.text;
  view.in_use = context.status.code.kernels->files.at(file);
  view.marked.reset();
  view.editor = view.editors[file];
  if (view.editor) {
    view.kernel = {file, view.texts[file]};
    return;
  }
  view.editor = view.editors[file] = std::make_shared<KernelEditor>();
  const auto kept = context.status.code.own->find(file);
  view.kernel = {file, kept == context.status.code.own->end() ? view.in_use : kept->second};
  view.editor->set_text(view.kernel.text);
}

// A file that was changed by another editor, if it has not been changed here.
void follow_file(PanelContext& context) {
  EditView& view = context.ui.panels.code.edit;
  const std::string& now = text_in_use(context);
  if (view.in_use == now) return;
  if (view.kernel.text == view.in_use) {
    view.kernel.text = now;
    view.editor->set_text(now);
  }
  view.in_use = now;
}

void run(PanelContext& context, bool unchecked = false) {
  const OwnKernel& kernel = context.ui.panels.code.edit.kernel;
  context.commands.push_back(command::RunKernel{kernel.file, kernel.text, unchecked});
}

bool has_gpu(const PanelContext& context) {
  return context.status.device.no_gpu.empty();
}

void draw_buttons(PanelContext& context) {
  EditView& view = context.ui.panels.code.edit;
  const bool is_own = view.kernel.text != built_in_kernel(view.kernel.file);
  if (ImGui::Button("Run")) run(context);
  tooltip(fmt::format("Checks this text of {} in a process of its own. If it passes, the lanes run it. (Ctrl+Enter)",
                      view.kernel.file));
  flow("Revert");
  ImGui::BeginDisabled(!is_own && text_in_use(context) == view.kernel.text);
  if (ImGui::Button("Revert")) {
    view.editor->replace_text(std::string(built_in_kernel(view.kernel.file)));
    take_text(view);
    run(context);
  }
  ImGui::EndDisabled();
  tooltip("Brings the program's own kernel back. Ctrl+Z in the editor brings your text back.");
  flow("Compare");
  ImGui::BeginDisabled(!is_own);
  ImGui::Checkbox("Compare", &view.compares);
  ImGui::EndDisabled();
  tooltip("Shows what you have changed in the program's kernel.");
  if (!view.large) {
    flow("Larger");
    if (ImGui::Button("Larger")) view.large = true;
    tooltip("Opens the editor in a window of its own.");
  }
  if (variant_of(context).group != VariantGroup::mine) return;
  flow("Export…");
  if (ImGui::Button("Export…")) {
    view.to_export = view.kernel;
    context.commands.push_back(command::ChooseSaveFile{command::What::kernel});
  }
  tooltip("Saves your kernel as the two files of a variant: NAME.cu and NAME.cpp.");
}

// A bundle has another text of this kernel. It stays a text until the user runs it.
void draw_offer(PanelContext& context) {
  EditView& view = context.ui.panels.code.edit;
  const auto offered = view.offered.find(view.kernel.file);
  if (offered == view.offered.end()) return;
  const bool is_own = view.kernel.text != built_in_kernel(view.kernel.file);
  caption(fmt::format("{} has a text of this kernel. It has not run.", offered->second.bundle),
          context.look.colours.text);
  const bool uses = ImGui::Button("Put it into the editor");
  tooltip(fmt::format(
      "Read it there, then press Run: it is checked in a process of its own.{}",
      is_own ? " Ctrl+Z brings your text back. A copy of it is kept in the folder of your kernels, with the "
               "time in its name."
             : ""));
  flow("Ignore");
  const bool ignores = ImGui::Button("Ignore");
  if (uses && is_own)
    view.set_aside = {dated_file(std::filesystem::path(view.kernel.file).stem().string(), ".cu"), view.kernel.text};
  if (uses) {
    view.editor->replace_text(offered->second.text);
    take_text(view);
  }
  if (uses || ignores) view.offered.erase(offered);
}

void draw_flaws(const PanelContext& context, const LiveReport& found) {
  const Palette& p = context.look.colours;
  const std::string& file = context.ui.panels.code.edit.kernel.file;
  const FoundFlaw& first = found.report.flaws.front();  // the others are often consequences
  ImGui::TextColored(p.fault, "Failed: %s", std::string(info(first.flaw).id).c_str());
  tooltip(fmt::format("{}\nSeen with {}.", info(first.flaw).hint, first.where));
  ImGui::TextWrapped("%s", without_file(first.text, file).c_str());
  std::string others;
  for (const FoundFlaw& flaw : found.report.flaws)
    if (&flaw != &first) others += fmt::format("{}{}", others.empty() ? "also: " : ", ", info(flaw.flaw).id);
  if (!others.empty()) caption(others, p.quiet);
}

void draw_outcome(PanelContext& context) {
  const Palette& p = context.look.colours;
  const OwnKernel& kernel = context.ui.panels.code.edit.kernel;
  if (!context.status.code.own_error.empty()) complaint(p, context.status.code.own_error);
  const bool is_in_use = text_in_use(context) == kernel.text;
  if (is_in_use && kernel.text == built_in_kernel(kernel.file))
    return caption("The program's own kernel. Change it, then press Ctrl+Enter.", p.quiet);
  if (!is_in_use) return caption("Changed. Ctrl+Enter checks it and runs it.", p.text);
  const LiveReport* found = report_of(context);
  if (!found) return caption("Checking…", p.quiet);
  if (!found->ended.empty()) return complaint(p, found->ended);
  if (!found->cannot.empty()) {
    complaint(p, found->cannot);
    if (agree_to_no_sandbox()) run(context);
    if (!has_gpu(context)) return;
    if (ImGui::Button("Run it unchecked")) run(context, true);
    return tooltip(
        "The GPU runs it without a check. If it accesses memory that is not its own, the program can lose the GPU.");
  }
  if (!found->report.errors.empty()) {
    ImGui::TextColored(p.fault, "Does not compile");
    return complaint(p, without_file(found->report.errors, kernel.file));
  }
  if (!found->report.passed()) return draw_flaws(context, *found);
  ImGui::TextColored(p.pass, "Passed");
  ImGui::SameLine();
  caption(fmt::format("{} cases, every access watched. The lanes run it.", found->report.checked), p.quiet);
}

// The lines that the check of this text has named.
void mark_lines(PanelContext& context) {
  EditView& view = context.ui.panels.code.edit;
  const LiveReport* found = report_of(context);
  const auto& report = context.status.lanes[context.ui.panels.block.lane].edited;
  const std::shared_ptr<const LiveReport> wanted = found ? report : nullptr;
  if (view.marked == wanted) return;
  view.marked = wanted;
  std::string named;
  if (found) {
    named = found->report.errors;
    for (const FoundFlaw& flaw : found->report.flaws) named += flaw.text + "\n";
  }
  view.editor->set_marks(marks_of(named, view.kernel.file), context.look);
}

void draw_text(PanelContext& context) {
  EditView& view = context.ui.panels.code.edit;
  const std::string_view built_in = built_in_kernel(view.kernel.file);
  if (view.compares && view.kernel.text != built_in && !view.kernel.text.empty()) {
    if (!view.diff) view.diff = std::make_shared<CodeDiff>();
    return view.diff->draw(context.look, std::string(built_in), view.kernel.text);
  }
  mark_lines(context);
  if (view.editor->draw(context.look)) take_text(view);
}

void draw_edit(PanelContext& context) {
  const Palette& p = context.look.colours;
  if (!context.status.lanes[1].active) context.ui.panels.block.lane = 0;
  const Variant& variant = variant_of(context);
  const std::string file = kernel_file_of(variant);
  for (const auto& [other, offered] : context.ui.panels.code.edit.offered)
    if (other != file)
      caption(fmt::format("{} has a text of {}: choose this variant to see it.", offered.bundle,
                          std::filesystem::path(other).stem().string()),
              p.text);
  if (file.empty())
    return caption(
        fmt::format("{} has no kernel file of its own. Choose another variant to edit its kernel.", variant.id),
        p.quiet);
  context.ui.wants.own_kernels = true;
  if (!context.status.code.own && !context.status.code.own_error.empty())
    return complaint(p, context.status.code.own_error);
  if (!context.status.code.own || !context.status.code.kernels) return caption("Reading your kernels…", p.quiet);
  if (context.ui.panels.code.edit.kernel.file != file) open(context, file);
  follow_file(context);
  const float beside = 390 * ImGui::GetStyle().FontScaleMain;
  if (ImGui::GetContentRegionAvail().x > 2.3f * beside) {
    if (ImGui::BeginChild("##edited", {beside, 0})) {
      draw_offer(context);
      draw_buttons(context);
      draw_outcome(context);
    }
    ImGui::EndChild();
    ImGui::SameLine();
  } else {
    draw_offer(context);
    draw_buttons(context);
    draw_outcome(context);
  }
  draw_text(context);
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
      ImGui::Shortcut(ImGuiMod_Ctrl | ImGuiKey_Enter, ImGuiInputFlags_RouteGlobal | ImGuiInputFlags_RouteOverFocused))
    run(context);
}

}  // namespace

void draw_edit_tab(PanelContext& context) {
  bool& large = context.ui.panels.code.edit.large;
  if (!large) return draw_edit(context);
  caption("The editor is in a window of its own.", context.look.colours.quiet);
  if (ImGui::Button("Put it back here")) large = false;
}

void draw_large_edit(PanelContext& context) {
  bool& large = context.ui.panels.code.edit.large;
  if (!large) return;
  constexpr const char* title = "Edit kernel";
  place_large_window(title);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin(title, &large, ImGuiWindowFlags_NoDocking)) draw_edit(context);
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace conv
