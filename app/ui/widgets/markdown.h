// Text in Markdown: headings, paragraphs, lists, **strong**, *emphasised* and `code`.
#pragma once
#include <string_view>

#include "app/ui/window/style.h"

namespace conv {

// Wrapped to the width of the window. Other Markdown appears as plain text.
void draw_markdown(const Look& look, std::string_view text);

}  // namespace conv
