#include "app/shell/app_state.h"

#include <fmt/format.h>
#include <imgui.h>

#include <ctime>

namespace conv {

namespace {

constexpr double toast_seconds = 8;
constexpr std::size_t most_messages = 1000;  // in the log; the oldest go

}  // namespace

void AppState::keep(const std::string& text, bool is_error) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  ui.log.push_back({.time = fmt::format("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec),
                    .text = text,
                    .is_error = is_error});
  if (ui.log.size() > most_messages) ui.log.erase(ui.log.begin());
}

void AppState::add_message(const std::string& text, bool is_error) {
  keep(text, is_error);
  ui.toast = {.text = text.substr(0, text.find('\n')),
              .is_error = is_error,
              .until = (ImGui::GetCurrentContext() ? ImGui::GetTime() : 0) + toast_seconds};
}

void AppState::say_saved(const std::string& path, const Result<void>& saved) {
  saved ? say(fmt::format("Saved {}", path)) : warn(saved.error().text);
}

}  // namespace conv
