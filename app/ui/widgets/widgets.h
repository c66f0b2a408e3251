// The few widgets every panel is made of.
#pragma once
#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/ui/frame/style.h"

namespace conv {

// A table: label left and quiet, control right and filling; in a narrow panel the control is below its label.
bool begin_properties(const char* id);
void end_properties();
// The label of the next row; tip is its tooltip. The control that follows fills its column.
void property(const char* label, const char* tip);

// Tooltip of the last item, also while it is disabled.
void tooltip(std::string_view text);
// Text in the numbers' font.
void number(const Fonts& fonts, std::string_view text, ImVec4 colour, float size = text_size::base);
void caption(std::string_view text, ImVec4 colour);
// Words that say what is wrong, wrapped, with a cross before them.
void complaint(const Palette& colours, std::string_view text);

// The next button, or checkbox, of this label goes on in the line while there is room for it.
void flow(const char* label, bool checkbox = false);

// Three significant digits: "0.0813", "12.3", "1 230".
std::string three_digits(double value);
// Groups of three parted by thin spaces.
std::string grouped(long long value);

// A right click puts the value of the last item back.
template <class T>
void resettable(T& value, T initial) {
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right)) value = initial;
}

// ImGui::BeginCombo for as many rows as the screen takes. It leaves its arrow out where that would cut the text.
bool begin_combo(const char* id, std::string_view chosen);

// The titles of a table's rows; get tells the value of one.
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

// Hatches the part of the last slider beyond `fits`, which the chosen variant cannot do.
void shade_beyond(int fits, int least, int most, const Palette& p);

}  // namespace conv
