#include "app/ui/widgets/markdown.h"

#include <algorithm>

#include "app/lessons/parse_markdown.h"

namespace conv {

namespace {

// Puts one word after the other, as md4c finds them.
class Writer {
 public:
  explicit Writer(const Look& look)
      : look_(look), from_(ImGui::GetCursorPosX()), right_(ImGui::GetContentRegionAvail().x) {}

  void enter_block(MD_BLOCKTYPE type, const void*) {
    if (type == MD_BLOCK_DOC || type == MD_BLOCK_UL || type == MD_BLOCK_OL) return;
    if (type == MD_BLOCK_LI) {
      in_list_ = true;
      begin_line();
      ImGui::TextColored(look_.colours.quiet, "•");
      indent_ = ImGui::GetStyle().FontScaleMain * 16;
      continues_ = true;
      at_line_start_ = true;
      return;
    }
    heading_ = type == MD_BLOCK_H;
    if (!at_line_start_ || !continues_) begin_line();
  }
  void leave_block(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_LI) indent_ = 0;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) in_list_ = false;
    if (type == MD_BLOCK_H) heading_ = false;
    continues_ = false;
    const bool is_paragraph = type == MD_BLOCK_P || type == MD_BLOCK_H || type == MD_BLOCK_UL;
    if (is_paragraph && !in_list_) ImGui::Dummy({0, 0.4f * ImGui::GetTextLineHeight()});
  }
  void enter_span(MD_SPANTYPE type, const void*) { (type == MD_SPAN_CODE ? code_ : strong_) = true; }
  void leave_span(MD_SPANTYPE type) { (type == MD_SPAN_CODE ? code_ : strong_) = false; }
  void add(MD_TEXTTYPE, std::string_view text) {
    while (!text.empty()) {
      const bool is_space = text.front() == ' ' || text.front() == '\n';
      const std::size_t end = is_space ? 1 : std::min(text.find_first_of(" \n"), text.size());
      if (is_space)
        space_ = true;
      else
        add_word(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

 private:
  void begin_line() {
    continues_ = false;
    at_line_start_ = true;
    space_ = false;
  }
  // Of the current font, from its top to the line on which letters stand.
  static float ascent() { return ImGui::GetFontBaked()->Ascent; }

  void add_word(std::string_view word) {
    const float size = heading_ ? text_size::title : text_size::base;
    ImGui::PushFont(look_.fonts.words, size);
    const float line_ascent = ascent(), line_height = ImGui::GetTextLineHeight();
    const float gap = space_ ? ImGui::CalcTextSize(" ").x : 0;
    if (code_) ImGui::PushFont(look_.fonts.numbers, 0.9f * size);
    const float width = ImGui::CalcTextSize(word.data(), word.data() + word.size()).x;
    float x = at_line_start_ ? indent_ : used_ + gap;
    if (x + width > right_ && !at_line_start_) {
      x = indent_;
      continues_ = false;
    }
    if (!continues_) ImGui::Dummy({0, line_height});
    ImGui::SameLine(from_ + x, 0);
    if (code_) ImGui::SetCursorPosY(ImGui::GetCursorPosY() + line_ascent - ascent());
    ImGui::PushStyleColor(ImGuiCol_Text, strong_ || heading_ ? look_.colours.lane[0] : look_.colours.text);
    ImGui::TextUnformatted(word.data(), word.data() + word.size());
    ImGui::PopStyleColor();
    if (code_) ImGui::PopFont();
    ImGui::PopFont();
    used_ = x + width;
    at_line_start_ = space_ = false;
    continues_ = true;
  }

  const Look& look_;
  const float from_, right_;     // of the text, in the window; its width
  float indent_ = 0, used_ = 0;  // used_: of the current line
  bool heading_ = false, code_ = false, strong_ = false, in_list_ = false;
  bool continues_ = false;  // the next word is on the line of the last item
  bool at_line_start_ = true, space_ = false;
};

}  // namespace

void draw_markdown(const Look& look, std::string_view text) {
  Writer to(look);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 2 * ImGui::GetStyle().FontScaleMain);
  parse_markdown(text, to);
  ImGui::PopStyleVar();
}

}  // namespace conv
