#include "app/ui/panels/code_diff.h"

#include <TextDiff.h>

#include "app/ui/panels/code_colours.h"

namespace conv {

struct CodeDiff::Widget {
  TextDiff diff;
  std::string a, b;
};

static ImU32 ground(ImVec4 colour) {
  colour.w = 0.3f;
  return ImGui::GetColorU32(colour);
}

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
  diff.SetPalette(code_colours(look.colours));
  diff.SetColors(ground(look.colours.lane[1]), ground(look.colours.lane[0]));
  ImGui::PushFont(look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  diff.SetSideBySideMode(ImGui::GetContentRegionAvail().x > 120 * ImGui::CalcTextSize("0").x);
  diff.Render("##diff");
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace conv
