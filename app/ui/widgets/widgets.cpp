#include "app/ui/widgets/widgets.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstring>

namespace conv {

bool begin_properties(const char* id, int controls) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const int columns = controls == 1 && ImGui::GetContentRegionAvail().x < 180 * scale ? 1 : 1 + controls;
  if (!ImGui::BeginTable(id, columns, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_NoPadOuterX)) return false;
  if (columns > 1) ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, 88 * scale);
  for (int i = 0; i < controls; ++i) ImGui::TableSetupColumn("control", ImGuiTableColumnFlags_WidthStretch);
  return true;
}

void end_properties() {
  ImGui::EndTable();
}

// There is one keyboard, so there is one property that gets it.
static struct WantedProperty {
  PropertyPlace place = PropertyPlace::settings;
  std::string label;
  int until = 0;  // the last frame in which it may appear
} wanted_property;

void find_property(PropertyPlace place, std::string_view label) {
  wanted_property = {place, std::string(label), ImGui::GetFrameCount() + 10};
}

bool looks_for_property(PropertyPlace place) {
  const WantedProperty& wanted = wanted_property;
  return !wanted.label.empty() && wanted.place == place && ImGui::GetFrameCount() <= wanted.until;
}

static void take_keyboard_if_wanted(const char* label) {
  const bool in_popup = (ImGui::GetCurrentWindow()->RootWindow->Flags & ImGuiWindowFlags_Popup) != 0;
  if (wanted_property.label != label || !looks_for_property(wanted_property.place) ||
      in_popup != (wanted_property.place != PropertyPlace::settings))
    return;
  wanted_property.label.clear();
  ImGui::SetScrollHereY(0.5f);
  ImGui::SetKeyboardFocusHere();
}

void property(const char* label, const char* tip) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos(0);
  ImGui::TextDisabled("%s", label);
  ImGui::PopTextWrapPos();
  tooltip(tip);
  if (ImGui::TableGetColumnCount() > 1) ImGui::TableNextColumn();
  ImGui::SetNextItemWidth(-FLT_MIN);
  take_keyboard_if_wanted(label);
}

void header_row(std::span<const std::string_view> tips) {
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers, ImGui::GetTextLineHeight() + 8 * ImGui::GetStyle().FontScaleMain);
  for (int i = 0; i < ImGui::TableGetColumnCount(); ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::PushID(i);
    ImGui::TableHeader(ImGui::TableGetColumnName(i));
    ImGui::PopID();
    if (!tips.empty() && !tips[i].empty()) tooltip(tips[i]);
  }
}

bool begin_combo(const char* id, std::string_view chosen) {
  std::string text(chosen);
  const float padding = 2 * ImGui::GetStyle().FramePadding.x, width = ImGui::CalcItemWidth();
  const bool arrow = ImGui::CalcTextSize(text.c_str()).x + padding + ImGui::GetFrameHeight() <= width;
  while (!text.empty() && ImGui::CalcTextSize(text.c_str()).x + padding > width) {  // ends with an ellipsis
    if (text.ends_with("…")) text.resize(text.size() - std::strlen("…"));
    while (!text.empty() && (text.back() & 0xc0) == 0x80) text.pop_back();  // the rest of a character of UTF-8
    if (!text.empty()) text.pop_back();
    if (!text.empty()) text += "…";
  }
  return ImGui::BeginCombo(id, text.c_str(),
                           ImGuiComboFlags_HeightLargest | (arrow ? 0 : ImGuiComboFlags_NoArrowButton));
}

void verdict_mark(const Palette& p, bool right) {
  ImGui::TextColored(right ? p.pass : p.fault, right ? "✓" : "×");
}

void tooltip(std::string_view text) {
  // After a click there is none until the pointer has left the item: it would cover what the click has changed.
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g.LastItemData.ID != 0 && g.LastItemData.ID == g.LastActiveId && g.LastActiveIdTimer <= g.HoveredIdTimer) return;
  if (!ImGui::BeginItemTooltip()) return;
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 22);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void number(const Fonts& fonts, std::string_view text, ImVec4 colour, float size) {
  ImGui::PushFont(fonts.numbers, size);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void caption(std::string_view text, ImVec4 colour) {
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.data(), text.data() + text.size());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

std::string weight_text(double weight) {
  std::string text = std::fabs(weight) < 1 && std::fabs(weight) >= 1e-4 ? fmt::format("{:.4f}", weight)
                                                                        : fmt::format("{:.2g}", weight);
  if (const auto zero = text.find("0."); zero <= 1) text.erase(zero, 1);
  return text;
}

void text_at(ImFont* font, float size, ImVec2 at, ImVec4 colour, std::string_view text) {
  ImGui::GetWindowDrawList()->AddText(font, size, at, ImGui::GetColorU32(colour), text.data(),
                                      text.data() + text.size());
}

float width_of(ImFont* font, float size, std::string_view text) {
  return font->CalcTextSizeA(size, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

void shortened(std::string_view text, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos() + ImVec2(0, ImGui::GetCurrentWindow()->DC.CurrLineTextBaseOffset);
  const ImVec2 end = at + ImVec2(width, ImGui::GetTextLineHeight());
  ImGui::Dummy(end - ImGui::GetCursorScreenPos());
  ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), at, end, end.x, text.data(), text.data() + text.size(),
                            nullptr);
}

void complaint(const Palette& colours, std::string_view text) {
  caption(fmt::format("× {}", text), colours.fault);
}

void caption_beside(std::string_view text, ImVec4 colour) {
  const float narrowest = 240 * ImGui::GetStyle().FontScaleMain;  // in which a caption of several lines is easy to read
  ImGui::PushFont(nullptr, text_size::caption);
  const float width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
  ImGui::PopFont();
  flow(std::min(width, narrowest));
  caption(text, colour);
}

void place_large_window(const char* title) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const ImVec2 room = viewport->WorkSize, corner{viewport->WorkPos.x + room.x, viewport->WorkPos.y + room.y};
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec2 size{std::clamp(0.62f * room.x, std::min(620 * scale, room.x), 1000 * scale),
                    std::max(0.8f * room.y, std::min(560 * scale, 0.96f * room.y))};
  const ImGuiWindow* window = ImGui::FindWindowByName(title);
  const bool is_outside =
      window && !window->DockIsActive && !ImGui::IsMouseDown(ImGuiMouseButton_Left) &&
      (window->Pos.x + window->Size.x > corner.x + 1 || window->Pos.y + window->Size.y > corner.y + 1);
  const ImGuiCond when = is_outside ? ImGuiCond_Always : ImGuiCond_FirstUseEver;
  ImGui::SetNextWindowSize(size, when);
  ImGui::SetNextWindowPos({corner.x - size.x, corner.y - size.y - 0.03f * room.y}, when);
}

float end_of_line() {
  return ImGui::GetCurrentWindow()->DC.CursorPosPrevLine.x;
}

void flow(float width) {
  const float right = end_of_line() + ImGui::GetStyle().ItemSpacing.x + width;
  if (right < ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) ImGui::SameLine();
}

void flow(const char* label, bool checkbox) {
  flow(control_width(label, checkbox));
}

float control_width(const char* label, bool checkbox) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float mark = checkbox ? ImGui::GetFrameHeight() + style.ItemInnerSpacing.x : 2 * style.FramePadding.x;
  return ImGui::CalcTextSize(label).x + mark;
}

namespace {

// The value's column: as wide as its longest text; the same for all sliders where there is space.
float value_width(ImGuiDataType type, const void* most, const char* format) {
  const float scale = ImGui::GetStyle().FontScaleMain, usual = 76 * scale;
  if (ImGui::CalcItemWidth() > 2 * usual) return usual;
  char text[64];
  ImGui::DataTypeFormatString(text, sizeof text, type, most, format);
  return ImGui::CalcTextSize(text).x + 6 * scale;
}

bool slider_of(const char* id, ImGuiDataType type, void* value, const void* least, const void* most, const char* format,
               ImGuiSliderFlags flags) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  const ImGuiID item = ImGui::GetID(id);
  const ImGuiStyle& style = ImGui::GetStyle();
  const bool double_clicked = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && g.HoveredIdPreviousFrame == item;
  const bool restores = double_clicked && g.LastActiveId == item;  // the first of the two clicks has moved the value
  if (restores) std::memcpy(value, &g.ActiveIdValueOnActivation, ImGui::DataTypeGetInfo(type)->Size);
  const bool typing = double_clicked || ImGui::TempInputIsActive(item);
  const float values = value_width(type, most, format);
  ImGui::SetNextItemWidth(ImGui::CalcItemWidth() - values);
  const bool ctrl = std::exchange(g.IO.KeyCtrl, g.IO.KeyCtrl || double_clicked);  // makes a click the start of typing
  if (!typing) ImGui::PushStyleColor(ImGuiCol_Text, ImVec4());
  const bool changed = ImGui::SliderScalar(id, type, value, least, most, format, flags);
  if (!typing) ImGui::PopStyleColor();
  g.IO.KeyCtrl = ctrl;
  // No item of its own: the slider remains the last item. The next one on this line is behind the value.
  ImGuiWindowTempData& layout = ImGui::GetCurrentWindow()->DC;
  layout.CursorPosPrevLine.x += values;
  layout.CursorMaxPos.x = std::max(layout.CursorMaxPos.x, layout.CursorPosPrevLine.x);
  const ImVec2 at{ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y};
  char text[64];
  ImGui::DataTypeFormatString(text, sizeof text, type, value, format);
  const float right = at.x + values - ImGui::CalcTextSize(text).x;
  ImGui::GetWindowDrawList()->AddText({right, at.y + style.FramePadding.y}, ImGui::GetColorU32(ImGuiCol_Text), text);
  const bool on_value =
      ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, {at.x + values, ImGui::GetItemRectMax().y});
  if (on_value && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !(g.CurrentItemFlags & ImGuiItemFlags_Disabled)) {
    g.NavNextActivateId = item;
    g.NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
  }
  return changed || restores;
}

}  // namespace

bool slider(const char* id, int& value, int least, int most, const char* format) {
  return slider_of(id, ImGuiDataType_S32, &value, &least, &most, format, ImGuiSliderFlags_AlwaysClamp);
}
bool slider(const char* id, float& value, float least, float most, const char* format, ImGuiSliderFlags flags) {
  return slider_of(id, ImGuiDataType_Float, &value, &least, &most, format, flags);
}
bool slider(const char* id, double& value, double least, double most, const char* format, ImGuiSliderFlags flags) {
  return slider_of(id, ImGuiDataType_Double, &value, &least, &most, format, flags);
}

bool value_slider(const char* id, float& share, float least, float most, ValueUnit unit, ImGuiSliderFlags flags) {
  const auto full = static_cast<float>(info(unit).full_scale);
  float value = share * full;
  if (!slider(id, value, least * full, most * full, unit == ValueUnit::levels ? "%.1f" : "%.3f", flags)) return false;
  share = value / full;
  return true;
}
bool value_input(const char* id, double& share, ValueUnit unit) {
  double value = share * info(unit).full_scale;
  if (!ImGui::InputDouble(id, &value, 0, 0, "%.6g")) return false;
  share = value / info(unit).full_scale;
  return true;
}

void close_on_escape() {
  if (ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
}

void shade_beyond(int fits, int least, int most, const Palette& p) {
  if (fits >= most) return;
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const float from =
      min.x + (max.x - min.x) * static_cast<float>(fits + 1 - least) / static_cast<float>(most + 1 - least);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({from, min.y}, max, true);
  ImVec4 colour = p.fault;
  colour.w = 0.45f;
  const float step = 6 * ImGui::GetStyle().FontScaleMain;
  for (float x = from - (max.y - min.y); x < max.x; x += step)
    list->AddLine({x, max.y}, {x + (max.y - min.y), min.y}, ImGui::GetColorU32(colour));
  list->PopClipRect();
}

}  // namespace conv
