// The few widgets that every panel uses.
#pragma once
#include <imgui.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "app/model/settings.h"
#include "app/ui/window/style.h"
#include "kernels/core/number_text.h"

namespace conv {

// A table: label on the left, controls right of it, one per column. In a narrow panel a single control is below its
// label.
bool begin_properties(const char* id, int controls = 1);
void end_properties();
// The label of the next row; tip is its tooltip. The control that follows fills its column.
void property(const char* label, const char* tip);

// Where a property is: in the Settings window, or in a popup that a button opens.
enum class PropertyPlace { settings, source, display };
// The property with this label takes the keyboard and is scrolled to, once it is drawn there within some frames.
void find_property(PropertyPlace place, std::string_view label);
// Whether one is being looked for there: what hides it has to open.
bool looks_for_property(PropertyPlace place);

// The headers of the current table, with space below them. tips: one per column, or none.
void header_row(std::span<const std::string_view> tips = {});

// Tooltip of the last item, also while it is disabled.
void tooltip(std::string_view text);
// ✓ or ×, in the colour of what passed or failed.
void verdict_mark(const Palette& p, bool right);
// Text in the numbers' font.
void number(const Fonts& fonts, std::string_view text, ImVec4 colour, float size = text_size::base);
void caption(std::string_view text, ImVec4 colour);
// A tap, short enough for a cell: ".0124", "-1", "4.5e-06".
std::string weight_text(double weight);
// Text at a place of the window, and its width. size: in pixels.
void text_at(ImFont* font, float size, ImVec2 at, ImVec4 colour, std::string_view text);
float width_of(ImFont* font, float size, std::string_view text);
// Text in one line of this width; an ellipsis replaces what does not fit. The caller has the tooltip with the rest.
void shortened(std::string_view text, float width);
// A text that says what is wrong, wrapped, with a cross before it.
void complaint(const Palette& colours, std::string_view text);
// A caption beside the last item, or below it where only a narrow column would be left for it.
void caption_beside(std::string_view text, ImVec4 colour);

// The next window is large and lies over the panels on the right, until it is moved; there again if it would reach out
// of the program's window.
void place_large_window(const char* title);

// Where the next item on the same line would begin, without the space between them; screen pixels.
float end_of_line();
// Puts the next item of this width on the same line, if it fits.
void flow(float width);
// The same for a button or checkbox with this label.
void flow(const char* label, bool checkbox = false);
float control_width(const char* label, bool checkbox = false);

// A right click resets the last item to this value.
template <class T>
void resettable(T& value, T initial) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) value = initial;
}

// ImGui::BeginCombo with as many rows as fit on the screen. Omits its arrow if that would cut the text, and
// then ends a text that is too long with an ellipsis.
bool begin_combo(const char* id, std::string_view chosen);

// The titles of a table's rows; get returns the value of one.
template <class Infos, class Value, class Get>
bool combo(const char* id, const Infos& infos, Value& value, Get get) {
  const auto current = std::find_if(infos.begin(), infos.end(), [&](const auto& info) { return get(info) == value; });
  if (!begin_combo(id, current->title)) return false;
  const Value before = value;
  for (const auto& info : infos) {
    if (ImGui::Selectable(std::string(info.title).c_str(), get(info) == value)) value = get(info);
  }
  ImGui::EndCombo();
  return value != before;
}

// A slider with its value right of it. The value is typed after a double click on the slider, a click on the value, or
// Ctrl+click; without AlwaysClamp it may be beyond the range. format: as in printf, with the unit. Returns whether the
// value changed.
bool slider(const char* id, int& value, int least, int most, const char* format);
bool slider(const char* id, float& value, float least, float most, const char* format,
            ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp);
bool slider(const char* id, double& value, double least, double most, const char* format,
            ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp);

// A slider and a field for a value that is stored as a part of full scale.
bool value_slider(const char* id, float& share, float least, float most, ValueUnit unit,
                  ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp);
bool value_input(const char* id, double& share, ValueUnit unit);

// Escape closes the popup that is being drawn, also while text is typed in it.
void close_on_escape();

// Hatches the part of the last slider beyond `fits`, where the chosen variant cannot run.
void shade_beyond(int fits, int least, int most, const Palette& p);

}  // namespace conv
