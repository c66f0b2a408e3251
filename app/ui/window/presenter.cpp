// Presenter mode: pictures, the settings in one line, and one large number per lane. Sizes depend on the window's
// height.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/verdict.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Relative to the window's height: 20 points on a slide of 540.
constexpr float body = 0.037f, least = 0.025f, big = 0.075f;

std::string chosen(const PanelContext& context) {
  const Settings& s = context.settings;
  std::string text(info(s.filter.kind).title);
  if (has_sigma(s.filter.kind)) text += fmt::format("   σ {:.1f}", s.filter.sigma);
  if (context.status.filter.taps)
    text += fmt::format("   {}×{}", context.status.filter.taps->size.width, context.status.filter.taps->size.height);
  const Size2 block = s.lanes[0].block;
  text += fmt::format("   block {}×{}", block.width, block.height);
  return text + fmt::format("   {}", info(s.border).title);
}

// Times and verdict change once per second, so that they can be read; with new plans they change immediately.
const Presenter::Presented& presented(PanelContext& context) {
  Presenter::Presented& shown = context.ui.presenter.presented;
  Presenter::Presented now{
      .since = ImGui::GetTime(), .times = {}, .plans = {}, .verdict = verdict_on(context.status).text};
  for (int i = 0; i < 2; ++i) {
    const auto& ms = context.status.best.ms[i];
    now.times[i] = ms ? three_digits(ms->median) : "–";
    now.plans[i] = context.status.lanes[i].plan;
  }
  const auto blank = [](const Presenter::Presented& p) {
    return std::array{p.times[0] == "–", p.times[1] == "–", p.verdict.empty()};
  };
  if (shown.plans != now.plans || blank(shown) != blank(now) || now.since - shown.since >= 1) shown = now;
  return shown;
}

// Variant and time of a lane, below its share of the pictures.
void draw_lane(PanelContext& context, int index, const std::string& time, ImVec2 at, float height) {
  const LaneStatus& lane = context.status.lanes[index];
  const Palette& p = context.look.colours;
  const Fonts& fonts = context.look.fonts;
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 0.008f * height, at.y + (big + body) * height},
                                            ImGui::GetColorU32(p.lane[index]));
  const float left = at.x + 0.02f * height;
  text_at(fonts.numbers, big * height, {left, at.y}, p.text, time);
  text_at(fonts.words, body * height, {left + width_of(fonts.numbers, big * height, time), at.y + 0.035f * height},
          p.quiet, lane.on_cpu ? " ms CPU" : " ms");
  text_at(fonts.words, body * height, {left, at.y + big * height}, p.lane[index],
          fmt::format("{}  {}", static_cast<char>('A' + index), context.settings.lanes[index].variant));
}

// Minutes and seconds since it began, in a corner.
void draw_timer(PanelContext& context, ImVec2 right_end, float height) {
  const int seconds = static_cast<int>(ImGui::GetTime() - context.ui.presenter.since);
  const std::string text = fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  ImFont* font = context.look.fonts.numbers;
  text_at(font, least * height, {right_end.x - width_of(font, least * height, text), right_end.y},
          context.look.colours.quiet, text);
}

// The pointer leaves a fading trail, so that the audience can follow it.
void draw_trail(PanelContext& context, float height) {
  constexpr double seconds = 0.7;
  auto& trail = context.ui.presenter.trail;
  const double now = ImGui::GetTime();
  const ImVec2 mouse = ImGui::GetMousePos();
  if (ImGui::IsMousePosValid(&mouse) && (trail.empty() || trail.back().at.x != mouse.x || trail.back().at.y != mouse.y))
    trail.push_back({{mouse.x, mouse.y}, now});
  while (!trail.empty() && now - trail.front().when > seconds) trail.pop_front();
  for (std::size_t i = 1; i < trail.size(); ++i) {
    const auto age = static_cast<float>((now - trail[i].when) / seconds);
    ImVec4 colour = context.look.colours.fault;
    colour.w = 0.8f * (1 - age);
    ImGui::GetForegroundDrawList()->AddLine({trail[i - 1].at.x, trail[i - 1].at.y}, {trail[i].at.x, trail[i].at.y},
                                            ImGui::GetColorU32(colour), 0.008f * height * (1 - age));
  }
}

}  // namespace

void draw_presenter(PanelContext& context) {
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const Palette& p = context.look.colours;
  const float width = viewport->WorkSize.x, height = viewport->WorkSize.y, gap = 0.02f * height;
  ImGui::SetNextWindowPos(viewport->WorkPos);
  ImGui::SetNextWindowSize(viewport->WorkSize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                                     ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_NoNavInputs | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::Begin("##presenter", nullptr, flags);
  ImGui::PopStyleVar();
  const ImVec2 origin = viewport->WorkPos;
  UiState& ui = context.ui;
  if (ui.presenter.blank) {
    ui.areas = {};
    ui.probe.hovered = false;
  } else {
    const float top = body * height + 2 * gap, bottom = (big + body) * height + 2 * gap;
    text_at(context.look.fonts.words, body * height, {origin.x + gap, origin.y + gap}, p.text, chosen(context));
    PanelContext large{context.settings,
                       context.preferences,
                       ui,
                       context.status,
                       {p, context.look.fonts, least * height / ImGui::GetStyle().FontScaleMain},
                       context.commands};
    draw_views(large, {origin.x + gap, origin.y + top, width - 2 * gap, height - top - bottom});
    const float line = origin.y + height - bottom + gap;
    const int lanes = context.status.lanes[1].active ? 2 : 1;
    const Presenter::Presented& figures = presented(context);
    for (int i = 0; i < lanes; ++i)
      draw_lane(context, i, figures.times[i], {origin.x + gap + static_cast<float>(i) * width / 3, line}, height);
    const float of_text = width_of(context.look.fonts.words, body * height, figures.verdict);
    text_at(context.look.fonts.words, body * height, {origin.x + width - gap - of_text, line + 0.035f * height}, p.text,
            figures.verdict);
    draw_trail(context, height);
  }
  if (ui.presenter.shows_timer) draw_timer(context, {origin.x + width - gap, origin.y + gap}, height);
  ImGui::End();
}

}  // namespace conv
