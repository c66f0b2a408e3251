// Where the time of a frame went: the medians of its stages, with one row for everything that works in parallel.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

struct Stage {
  std::string title;
  float ms = 0;
};
struct Place {
  std::string_view title;
  std::vector<Stage> stages;
  float ms() const {
    float sum = 0;
    for (const Stage& stage : stages) sum += stage.ms;
    return sum;
  }
};

std::vector<Place> places_of(const AppStatus& status) {
  Place source{"source"}, gpu{status.device.no_gpu.empty() ? "GPU" : "CPU"}, host{"window"};
  const auto add = [](Place& place, std::string title, const std::optional<Summary>& ms) {
    if (ms && ms->median > 0) place.stages.push_back({std::move(title), ms->median});
  };
  if (status.source.feed) {
    add(source, "wait", status.source.wait_ms);
    add(source, "decode", status.source.decode_ms);
    add(gpu, "upload", status.source.upload_ms);
    for (const StepTime& step : status.source.conversions) add(gpu, step.title, step.ms);
  }
  for (int i = 0; i < max_lanes; ++i) {
    const LaneStatus& lane = status.lanes[i];
    if (!lane.active) continue;
    for (const StepTime& step : lane.times.steps) add(gpu, fmt::format("{} {}", char('A' + i), step.title), step.ms);
    add(gpu, fmt::format("{} to texture", char('A' + i)), lane.times.to_texture_ms);
  }
  add(host, "submit", status.frame.launch_ms);
  add(host, "panels", status.frame.panels_ms);
  add(host, "GL draw", status.frame.draw_ms);
  add(host, "swap", status.frame.swap_ms);
  std::vector<Place> places;
  for (Place* place : {&source, &gpu, &host})
    if (!place->stages.empty()) places.push_back(std::move(*place));
  return places;
}

// The upload, with its share of the link's rate.
std::string upload_text(const PanelContext& context) {
  const AppStatus& status = context.status;
  if (!status.source.feed || !status.source.upload_ms || status.source.upload_ms->median <= 0) return "";
  const double bytes = static_cast<double>(status.source.upload_bytes), ms = status.source.upload_ms->median;
  std::string text =
      fmt::format("upload {} in {} ms: {} GB/s", bytes_text(bytes), three_digits(ms), three_digits(bytes / ms / 1e6));
  if (status.source.link_rate) text += fmt::format(" of the link's {}", three_digits(*status.source.link_rate));
  return text;
}

}  // namespace

// The stages side by side; neighbours differ in shade and are apart by a gap, not by hue.
static void draw_stages(const Place& place, const Palette& p, ImVec2 at, float px_per_ms, float height) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float scale = ImGui::GetStyle().FontScaleMain;
  float x = at.x;
  for (std::size_t i = 0; i < place.stages.size(); ++i) {
    const Stage& stage = place.stages[i];
    const ImVec2 from{x, at.y}, to{x + std::max(1.0f, px_per_ms * stage.ms), at.y + height};
    ImVec4 colour = i % 2 == 0 ? p.quiet : p.disabled;
    if (stage.title.starts_with("A ")) colour = p.lane[0];
    if (stage.title.starts_with("B ")) colour = p.lane[1];
    draw->AddRectFilled(from, {std::max(from.x + 1, to.x - scale), to.y}, ImGui::GetColorU32(colour));
    if (ImGui::IsMouseHoveringRect(from, to) && ImGui::IsWindowHovered())
      ImGui::SetTooltip("%s", fmt::format("{}: {} ms", stage.title, three_digits(stage.ms)).c_str());
    x = to.x;
  }
}

static void draw_places(const Look& look, const std::vector<Place>& places) {
  const Palette& p = look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, height = 14 * scale, gap = 4 * scale;
  const float label = 60 * scale, figure = 52 * scale;
  const float width = ImGui::GetContentRegionAvail().x - label - figure;
  float longest = 0;
  for (const Place& place : places) longest = std::max(longest, place.ms());
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImVec2 top = ImGui::GetCursorScreenPos();
  float y = top.y;
  for (const Place& place : places) {
    ImGui::PushFont(look.fonts.words, text_size::caption);
    draw->AddText({top.x, y - 1 * scale}, ImGui::GetColorU32(p.quiet), place.title.data());
    ImGui::PopFont();
    draw_stages(place, p, {top.x + label, y}, width / longest, height);
    ImGui::PushFont(look.fonts.numbers, text_size::caption);
    const std::string sum = three_digits(place.ms());
    const float at = top.x + label + width + figure - ImGui::CalcTextSize(sum.c_str()).x;
    draw->AddText({at, y - 1 * scale}, ImGui::GetColorU32(p.text), sum.c_str());
    ImGui::PopFont();
    y += height + gap;
  }
  ImGui::Dummy({label + width + figure, y - top.y});
}

void draw_frame_path(PanelContext& context) {
  const AppStatus& status = context.status;
  const std::vector<Place> places = places_of(status);
  if (places.empty()) return;
  const Palette& p = context.look.colours;
  ImGui::Spacing();
  caption("Where the frame went, ms", p.text);
  tooltip("Medians of the last 64. The rows run in parallel: the longest one limits the frame rate.");
  draw_places(context.look, places);
  draw_frame_timeline(context);
  if (const std::string text = upload_text(context); !text.empty()) caption(text, p.quiet);
  if (status.source.feed && status.source.latency_ms && status.frame.ms)
    caption(fmt::format("captured to shown: {} ms, {:.1f} frames", three_digits(status.source.latency_ms->median),
                        status.source.latency_ms->median / std::max(1e-3f, status.frame.ms->median)),
            p.quiet);
}

}  // namespace conv
