#include "app/ui/panels/kernel_editor.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <cstdlib>
#include <utility>

#include "app/live/kernel_worker.h"
#include "app/ui/panels/code_colours.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/replaced.h"

namespace conv {

static constexpr const char* child_name = "##kernel text";

std::string without_file(std::string text, std::string_view file) {
  return replaced(std::move(text), fmt::format("{}:", file), "line ");
}

bool agree_to_no_sandbox() {
  if (!are_kernels_refused()) return false;
  const bool agreed = ImGui::Button("Run without a sandbox");
  tooltip("A kernel could then read your files. Holds for all kernels until the program ends.");
  if (agreed) allow_kernels_without_sandbox();
  return agreed;
}

std::vector<LineMark> marks_of(const std::string& text, std::string_view file) {
  std::vector<LineMark> marks;
  const std::string name = fmt::format("{}:", file);
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    const std::size_t from = std::exchange(at, at + name.size());
    const int line = std::atoi(text.c_str() + at);
    if (line > 0) marks.push_back({line, without_file(text.substr(from, text.find('\n', at) - from), file)});
  }
  return marks;
}

struct KernelEditor::Widget {
  TextEditor editor;
  std::size_t changes = 0;  // that can be undone
};

KernelEditor::KernelEditor() : widget_(std::make_unique<Widget>()) {
  TextEditor& editor = widget_->editor;
  editor.SetLanguage(TextEditor::Language::Cpp());
  editor.SetShowWhitespacesEnabled(false);
  editor.SetTabSize(2);
  editor.SetInsertSpacesOnTabs(true);
  editor.SetCompletePairedGlyphs(false);  // a bracket that is typed after one that it has added would stand twice
  editor.SetShowScrollbarMiniMapEnabled(false);
  editor.SetWordWrapEnabled(true);
}
KernelEditor::~KernelEditor() = default;

void KernelEditor::set_text(const std::string& text) {
  widget_->editor.SetText(text);
  widget_->changes = widget_->editor.GetUndoIndex();
}

void KernelEditor::replace_text(const std::string& text) {
  widget_->editor.SelectAll();
  widget_->editor.ReplaceTextInCurrentCursor(text);
}

std::string KernelEditor::text() const {
  return widget_->editor.GetText();
}

void KernelEditor::set_marks(std::span<const LineMark> marks, const Look& look) {
  widget_->editor.ClearMarkers();
  ImVec4 ground = look.colours.fault, gutter = ground;
  ground.w = 0.3f;
  gutter.w = 0.5f;  // the line's number stays legible
  for (const LineMark& mark : marks)
    widget_->editor.AddMarker(static_cast<std::size_t>(mark.line - 1), ImGui::GetColorU32(gutter),
                              ImGui::GetColorU32(ground), mark.text, mark.text);
}

void KernelEditor::focus() {
  widget_->editor.SetFocus();
}

bool KernelEditor::draw(const Look& look) {
  TextEditor& editor = widget_->editor;
  editor.SetPalette(code_colours(look.colours));
  ImGui::PushFont(look.fonts.numbers, 0.9f * text_size::base);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  editor.Render(child_name);
  ImGui::PopStyleVar();
  ImGui::PopFont();
  const ImGuiWindow* focused = ImGui::GetCurrentContext()->NavWindow;
  focused_ = focused && std::string_view(focused->Name).find(child_name) != std::string_view::npos;
  // As while text is typed: letters are not keys of the program.
  if (focused_) ImGui::GetCurrentContext()->WantTextInputNextFrame = 1;
  const bool changed = editor.GetUndoIndex() != widget_->changes;
  widget_->changes = editor.GetUndoIndex();
  return changed;
}

}  // namespace conv
