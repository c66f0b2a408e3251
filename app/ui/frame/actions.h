// Everything the program can be told by a key or a word: menus, keys, the key sheet and the command palette are made of
// this one table.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panels/panels.h"

namespace conv {

// Sizes of the controls to choose from, the smallest first.
inline constexpr float ui_scales[] = {0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 3.0f};

struct Action {
  std::string_view id;     // "open"
  std::string_view group;  // of the key sheet
  std::string_view title;  // "Open a picture"
  ImGuiKeyChord key = 0, second = 0;
  void (*run)(PanelContext&) = nullptr;
  bool (*enabled)(const PanelContext&) = nullptr;  // null: always
  bool (*checked)(const PanelContext&) = nullptr;  // of those that are on or off
  bool repeats = false;                            // while the key is held
};

std::span<const Action> actions();
const Action& action(std::string_view id);  // which there is
bool enabled(const PanelContext& context, const Action& action);
// "Ctrl+Shift+S", "[": as a keyboard has it.
std::string key_text(ImGuiKeyChord key);
// A menu's row, with its key.
void menu_item(PanelContext& context, std::string_view id);

// What is done while a key is held, or with the mouse: part of the sheet alone.
struct Gesture {
  std::string_view group, keys, title;
};
std::span<const Gesture> gestures();

}  // namespace conv
