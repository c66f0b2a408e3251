// The few widgets every panel is made of.
#pragma once
#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>

#include "app/ui/style.h"

// A two-column table: label left and quiet, control right and filling.
bool begin_properties(const char* id);
void end_properties();
// The label of the next row; tip is its tooltip. The control that follows fills the right column.
void property(const char* label, const char* tip);

// Tooltip of the last item, also while it is disabled.
void tooltip(std::string_view text);
// Text in the numbers' font.
void number(const Fonts& fonts, std::string_view text, ImVec4 colour, float size = text_size::base);
void caption(std::string_view text, ImVec4 colour);
// Words that say what is wrong, wrapped, with a cross before them.
void complaint(const Palette& colours, std::string_view text);

// Three significant digits: "0.0813", "12.3", "1 230".
std::string three_digits(double value);
// Groups of three parted by thin spaces.
std::string grouped(long long value);
