// Everything that can be done by a key or by name: menus, keys, the list of keys and the command palette use this
// table.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/panels/panels.h"

namespace conv {

// The sizes of the controls, in rising order.
inline constexpr float ui_scales[] = {0.75f, 1.0f, 1.25f, 1.5f, 2.0f, 3.0f};

struct Action {
  std::string_view id;     // "open"
  std::string_view group;  // in the list of keys
  std::string_view title;  // "Open a picture"
  ImGuiKeyChord key = 0, second = 0;
  void (*run)(PanelContext&) = nullptr;
  bool (*enabled)(const PanelContext&) = nullptr;  // null: always
  bool (*checked)(const PanelContext&) = nullptr;  // for actions that are on or off
  bool repeats = false;                            // while the key is held
};

std::span<const Action> actions();
const Action& action(std::string_view id);  // it must exist
// Its title now: "Undo radius 5 to 9".
std::string title_of(const PanelContext& context, const Action& action);
// Words by which the palette finds it too, in addition to its title: "screenshot". Empty if there are none.
std::string_view words_of(const Action& action);
bool enabled(const PanelContext& context, const Action& action);
// "Ctrl+Shift+S", "[": as on a keyboard.
std::string key_text(ImGuiKeyChord key);
// A menu item with its key.
void menu_item(PanelContext& context, std::string_view id);

// What is done while a key is held, or with the mouse; shown only in the list of keys.
struct Gesture {
  std::string_view group, keys, title;
};
std::span<const Gesture> gestures();

}  // namespace conv
