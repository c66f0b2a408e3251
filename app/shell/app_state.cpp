#include "app/shell/app_state.h"

#include <fmt/format.h>
#include <imgui.h>

namespace conv {

namespace {

constexpr double toast_seconds = 8;

}  // namespace

void AppState::say(const std::string& text) {
  ui.log.push_back(text);
  ui.toast = {.text = text.substr(0, text.find('\n')),
              .until = (ImGui::GetCurrentContext() ? ImGui::GetTime() : 0) + toast_seconds};
}

void AppState::say_saved(const std::string& path, const Result<void>& saved) {
  say(saved ? fmt::format("Saved {}", path) : saved.error().text);
}

}  // namespace conv
