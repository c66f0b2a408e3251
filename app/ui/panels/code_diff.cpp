#include "app/ui/panels/code_diff.h"

#include <TextDiff.h>

namespace conv {

struct CodeDiff::Widget {
  TextDiff diff;
  std::string a, b;
};

namespace {

TextEditor::Palette colours_of(const Palette& p) {
  TextEditor::Palette colours;
  colours.fill(ImGui::GetColorU32(p.text));
  const auto set = [&](TextEditor::Color what, ImVec4 colour) {
    colours[static_cast<std::size_t>(what)] = ImGui::GetColorU32(colour);
  };
  set(TextEditor::Color::background, p.panel);
  set(TextEditor::Color::comment, p.quiet);
  set(TextEditor::Color::lineNumber, p.quiet);
  return colours;
}

ImU32 ground(ImVec4 colour) {
  colour.w = 0.3f;
  return ImGui::GetColorU32(colour);
}

}  // namespace

CodeDiff::CodeDiff() : widget_(std::make_unique<Widget>()) {
  widget_->diff.SetLanguage(TextEditor::Language::Cpp());  // knows comments, in all three kinds of text
  widget_->diff.SetShowWhitespacesEnabled(false);
  widget_->diff.SetTabSize(4);
}
CodeDiff::~CodeDiff() = default;

void CodeDiff::draw(const Look& look, const std::string& a, const std::string& b,
                    std::string (*prepared)(const std::string&)) {
  TextDiff& diff = widget_->diff;
  if (widget_->a != a || widget_->b != b) {
    widget_->a = a;
    widget_->b = b;
    if (prepared)
      diff.SetText(prepared(a), prepared(b));
    else
      diff.SetText(a, b);
  }
  diff.SetPalette(colours_of(look.colours));
  diff.SetColors(ground(look.colours.lane[1]), ground(look.colours.lane[0]));
  ImGui::PushFont(look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  diff.SetSideBySideMode(ImGui::GetContentRegionAvail().x > 120 * ImGui::CalcTextSize("0").x);
  diff.Render("##diff");
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace conv
