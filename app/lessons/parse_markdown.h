// Reads Markdown by MD4C, which calls a writer for each piece of it.
#pragma once
#include <md4c.h>

#include <string_view>

namespace conv {

// Writer has enter_block(type, detail), leave_block(type), enter_span(type, detail), leave_span(type) and
// add(type, text), where detail is as md4c.h says for the type. HTML is text.
template <class Writer>
void parse_markdown(std::string_view markdown, Writer& writer) {
  static constexpr auto at = [](void* user) -> Writer& { return *static_cast<Writer*>(user); };
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    return at(user).enter_block(type, detail), 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { return at(user).leave_block(type), 0; };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) { return at(user).enter_span(type, detail), 0; };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) { return at(user).leave_span(type), 0; };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* from, MD_SIZE size, void* user) {
    return at(user).add(type, {from, size}), 0;
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &writer);
}

}  // namespace conv
