// Below the picture of a moving source: pause, steps, position, and dropped frames.
#include <fmt/format.h>
#include <imgui.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "app/ui/window/actions.h"

namespace conv {

namespace {

std::string clock_text(double seconds) {
  const int whole = static_cast<int>(seconds);
  return fmt::format("{}:{:02}.{:01}", whole / 60, whole % 60, static_cast<int>((seconds - whole) * 10));
}

std::string speed_text(float speed) {
  return speed > 0 ? fmt::format("{:g}×", speed) : "fastest";
}

// The state of the stream in words, and its counts.
std::string state_text(const FeedStatus& feed) {
  switch (feed.state) {
    case FeedState::lost:
    case FeedState::failed: return feed.text;
    case FeedState::ended: return "ended";
    default: break;
  }
  std::string text = fmt::format("frame {}", feed.number);
  if (feed.info.rate > 0) text += fmt::format(" · {:.4g} fps", feed.info.rate);
  return text + fmt::format(" · {} dropped", feed.dropped);
}

void draw_opening(PanelContext& context, const FeedStatus& opening) {
  ImGui::AlignTextToFramePadding();
  ImGui::Text("Opening %s… %.0f s", camera_title(context.status, opening.info.name).c_str(), opening.opening_s);
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) context.commands.push_back(command::CancelOpening{});
}

void draw_steps(PanelContext& context, float gap) {
  ImGui::SameLine(0, gap);
  if (ImGui::Button("←##back")) action("frame_before").run(context);
  tooltip("The frame before. Ctrl+Left");
  ImGui::SameLine(0, gap);
  if (ImGui::Button("→##on")) action("next_frame").run(context);
  tooltip("The next frame. Ctrl+Right");
}

// room: width for the rest of the line.
void draw_position(PanelContext& context, const FeedStatus& feed, float room) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const float width = ImGui::GetWindowWidth() - ImGui::GetCursorPosX() - room;
  ImGui::SetNextItemWidth(std::max(80 * scale, width));
  std::optional<float>& seeking = context.ui.seeking;
  float at = seeking.value_or(static_cast<float>(feed.at_s));
  if (ImGui::SliderFloat("##position", &at, 0, static_cast<float>(feed.info.duration_s), "",
                         ImGuiSliderFlags_NoInput | ImGuiSliderFlags_AlwaysClamp))
    context.commands.push_back(command::Seek{*(seeking = at)});
  if (!ImGui::IsItemActive()) seeking.reset();
  tooltip("Drag to seek.");
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  number(context.look.fonts, fmt::format("{} / {}", clock_text(feed.at_s), clock_text(feed.info.duration_s)),
         context.look.colours.text, text_size::caption);
}

void draw_speed(PlaybackSettings& playback) {
  ImGui::SetNextItemWidth(84 * ImGui::GetStyle().FontScaleMain);
  if (begin_combo("##speed", speed_text(playback.speed))) {
    for (const float speed : playback_speeds)
      if (ImGui::Selectable(speed_text(speed).c_str(), speed == playback.speed)) playback.speed = speed;
    ImGui::EndCombo();
  }
  tooltip("Relative to the source's own speed. Fastest: as fast as frames can be shown, without dropping any.");
}

// For a source that is played at the user's speed: steps, position, speed, loop.
void draw_playback(PanelContext& context, const FeedStatus& feed, float caption_width) {
  const float scale = ImGui::GetStyle().FontScaleMain, gap = 12 * scale;
  PlaybackSettings& playback = context.settings.playback;
  draw_steps(context, 4 * scale);
  if (feed.info.duration_s > 0) {
    ImGui::SameLine(0, gap);
    draw_position(context, feed, 340 * scale + caption_width);
  }
  ImGui::SameLine(0, gap);
  draw_speed(playback);
  if (feed.info.duration_s <= 0) return;
  ImGui::SameLine(0, gap);
  ImGui::Checkbox("Loop", &playback.loops);
}

}  // namespace

// A source that takes long enough to open that its line should be shown.
static bool opens_slowly(const AppStatus& status) {
  return status.source.opening && status.source.opening->opening_s > 0.3;
}

bool has_transport(const AppStatus& status) {
  return status.source.feed || opens_slowly(status);
}

void draw_transport(PanelContext& context) {
  const AppStatus& status = context.status;
  if (opens_slowly(status)) return draw_opening(context, *status.source.opening);
  const FeedStatus& feed = *status.source.feed;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, gap = 12 * scale;
  const std::string state = state_text(feed);
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const float caption_width = ImGui::CalcTextSize(state.c_str()).x + gap;
  ImGui::PopFont();
  const bool stopped = feed.state == FeedState::paused || feed.state == FeedState::ended;
  if (ImGui::Button(stopped ? "Play" : "Pause", {64 * scale, 0})) action("pause").run(context);
  tooltip("Pause the source; the kernels continue. P");
  if (!feed.info.paces_itself) draw_playback(context, feed, caption_width);
  ImGui::SameLine(0, gap);
  const bool fault = feed.state == FeedState::lost || feed.state == FeedState::failed;
  if (ImGui::GetCursorPosX() + caption_width > ImGui::GetWindowWidth() && !fault) return;  // a narrow window
  ImGui::AlignTextToFramePadding();
  number(context.look.fonts, state, fault ? p.fault : p.quiet, text_size::caption);
  if (!feed.info.note.empty()) tooltip(feed.info.note);
}

}  // namespace conv
