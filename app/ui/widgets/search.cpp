#include "app/ui/widgets/search.h"

#include <imgui.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "app/ui/widgets/widgets.h"

namespace conv {

static std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return copy;
}

void search_field(Search& search, const char* hint) {
  close_on_escape();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-FLT_MIN);
  if (ImGui::InputTextWithHint("##typed", hint, &search.typed)) search.chosen = 0;
}

bool matches(const Search& search, std::string_view text) {
  const std::string in = lower(text), words = lower(search.typed);
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (in.find(words.substr(at, end - at)) == std::string::npos) return false;
    at = end + 1;
  }
  return true;
}

bool search_keys(Search& search, int count) {
  const bool down = ImGui::IsKeyPressed(ImGuiKey_DownArrow), up = ImGui::IsKeyPressed(ImGuiKey_UpArrow);
  search.chosen = std::clamp(search.chosen + (down ? 1 : 0) - (up ? 1 : 0), 0, std::max(0, count - 1));
  search.moved = down || up;
  return count > 0 && (ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter));
}

}  // namespace conv
