// The colours of the theme, for widgets that show code.
#pragma once
#include <TextEditor.h>

#include "app/ui/window/style.h"

namespace conv {

inline TextEditor::Palette code_colours(const Palette& p) {
  TextEditor::Palette colours;
  colours.fill(ImGui::GetColorU32(p.text));
  const auto set = [&](TextEditor::Color what, ImVec4 colour) {
    colours[static_cast<std::size_t>(what)] = ImGui::GetColorU32(colour);
  };
  set(TextEditor::Color::background, p.panel);
  set(TextEditor::Color::comment, p.quiet);
  set(TextEditor::Color::lineNumber, p.quiet);
  const auto faint = [&](TextEditor::Color what, ImVec4 colour, float alpha) {
    colour.w = alpha;
    set(what, colour);
  };
  faint(TextEditor::Color::selection, p.lane[0], 0.35f);
  faint(TextEditor::Color::matchingBracketBackground, p.lane[0], 0.2f);
  faint(TextEditor::Color::whitespace, p.text, 0.25f);  // lines between brackets, too
  faint(TextEditor::Color::matchingBracketActive, p.text, 0.25f);
  set(TextEditor::Color::matchingBracketError, p.fault);
  faint(TextEditor::Color::currentLineHighlight, p.text, 0.05f);
  faint(TextEditor::Color::currentLineHighlightBorder, p.text, 0);
  return colours;
}

}  // namespace conv
