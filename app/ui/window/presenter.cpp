// Presenter mode: pictures, the settings in one line, and one large number per lane. Sizes depend on the window's
// height.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/verdict.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Relative to the window's height: 20 points on a slide of 540.
constexpr float body = 0.037f, least = 0.025f, figure = 0.055f, verdict_least = 0.06f, verdict_most = 0.09f;
constexpr float of_lesson = 0.3f, most_of_lesson = 0.55f;  // of the height: a step of an open lesson
constexpr double hint_seconds = 10;

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
  const LanesVerdict verdict = verdict_on(context.status);
  Presenter::Presented now{
      .since = ImGui::GetTime(), .times = {}, .plans = {}, .verdict = verdict.text, .faster = verdict.faster};
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

// Variant and time of a lane, below its pictures: A at the left end, B at the right end. Returns its width.
float draw_lane(PanelContext& context, int index, const std::string& time, ImVec2 end, float height) {
  const LaneStatus& lane = context.status.lanes[index];
  const Palette& p = context.look.colours;
  const Fonts& fonts = context.look.fonts;
  const std::string unit = lane.on_cpu ? " ms CPU" : " ms";
  const std::string name = fmt::format("{}  {}", static_cast<char>('A' + index), context.settings.lanes[index].variant);
  const float of_time = width_of(fonts.numbers, figure * height, time), indent = 0.02f * height;
  const bool is_long = width_of(fonts.words, body * height, name) > 0.24f * ImGui::GetWindowWidth();
  const float name_size = (is_long ? least : body) * height;  // the verdict needs its space
  const float width =
      indent + std::max(of_time + width_of(fonts.words, body * height, unit), width_of(fonts.words, name_size, name));
  const ImVec2 at{index == 0 ? end.x : end.x - width, end.y};
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 0.008f * height, at.y + (figure + body) * height},
                                            ImGui::GetColorU32(p.lane[index]));
  const float left = at.x + indent;
  text_at(fonts.numbers, figure * height, {left, at.y}, p.text, time);
  text_at(fonts.words, body * height, {left + of_time, at.y + (figure - body) * 0.8f * height}, p.quiet, unit);
  text_at(fonts.words, name_size, {left, at.y + figure * height}, p.lane[index], name);
  return width;
}

// The largest text of the screen, between the lanes.
void draw_verdict(PanelContext& context, const Presenter::Presented& figures, ImVec2 from, ImVec2 to, float height) {
  if (figures.verdict.empty()) return;
  ImFont* font = context.look.fonts.words;
  const float at_one = width_of(font, height, figures.verdict) / height;  // per pixel of its size
  const float size = std::clamp((to.x - from.x) / at_one, verdict_least * height, verdict_most * height);
  const Palette& p = context.look.colours;
  text_at(font, size, {(from.x + to.x - at_one * size) / 2, (from.y + to.y - size) / 2},
          figures.faster < 0 ? p.text : p.lane[figures.faster], figures.verdict);
}

struct PresentedPanel {
  bool ShownPanels::*flag;
  void (*draw)(PanelContext&);
};
constexpr PresentedPanel presented_panels[] = {
    {&ShownPanels::race, draw_race_contents},           {&ShownPanels::block, draw_block_contents},
    {&ShownPanels::trace, draw_trace_contents},         {&ShownPanels::idea, draw_idea_contents},
    {&ShownPanels::inspector, draw_inspector_contents}, {&ShownPanels::kernel, draw_kernel_contents},
    {&ShownPanels::puzzle, draw_puzzle_contents},       {&ShownPanels::concepts, draw_concepts_contents},
    {&ShownPanels::profile, draw_profile_contents}};
static_assert(std::ranges::equal(presented_panels, presentable_panels, {}, &PresentedPanel::flag));

// A panel in place of the pictures, with its smallest text as large as the smallest of presenter mode.
void draw_panel(PanelContext& context, const PresentedPanel& panel, const ViewArea& area, float height) {
  ImGuiStyle& style = ImGui::GetStyle();
  const float scale = std::exchange(style.FontScaleMain,
                                    std::ceil(least * height * text_size::base / text_size::caption) / text_size::base);
  ImGui::PushFont(nullptr, text_size::base);
  ImGui::SetCursorScreenPos({area.left, area.top});
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.look.colours.panel);
  if (ImGui::BeginChild("##panel", {area.width, area.height}, ImGuiChildFlags_AlwaysUseWindowPadding))
    panel.draw(context);
  ImGui::EndChild();
  ImGui::PopStyleColor();
  style.FontScaleMain = scale;
  ImGui::PopFont();
}

// In a corner: minutes and seconds since it began, and at first how to leave.
void draw_timer(PanelContext& context, ImVec2 right_end, float height) {
  const Presenter& presenter = context.ui.presenter;
  const double since = ImGui::GetTime() - presenter.since;
  const int seconds = static_cast<int>(since);
  std::string text = presenter.shows_timer ? fmt::format("{}:{:02}", seconds / 60, seconds % 60) : "";
  if (since < hint_seconds) text = "F5 or Esc leaves   " + text;
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
    const float top = body * height + 2 * gap, bottom = (figure + body) * height + 2 * gap;
    text_at(context.look.fonts.words, body * height, {origin.x + gap, origin.y + gap}, p.text, chosen(context));
    PanelContext large{context.settings,
                       context.preferences,
                       ui,
                       context.status,
                       {p, context.look.fonts, least * height / ImGui::GetStyle().FontScaleMain},
                       context.commands,
                       context.textures};
    const float band = std::min(of_lesson * height + ui.panels.lesson.band, most_of_lesson * height);
    const float lesson = lesson_is_open(context) ? band : 0;
    const ViewArea views{origin.x + gap, origin.y + top, width - 2 * gap, height - top - bottom - lesson};
    draw_lesson_band(context, {views.left, views.top + views.height + gap / 2, views.width, lesson - gap},
                     least * height);
    const auto panel = std::find_if(std::begin(presented_panels), std::end(presented_panels),
                                    [&](const PresentedPanel& any) { return any.flag == ui.presenter.panel; });
    if (panel == std::end(presented_panels)) {
      draw_views(large, views);
      draw_view_figures(large, views, 0);
    } else {
      ui.areas = {};
      ui.probe.hovered = false;
      draw_panel(context, *panel, views, height);
    }
    const float line = origin.y + height - bottom + gap;
    const int lanes = context.status.lanes[1].active ? 2 : 1;
    const Presenter::Presented& figures = presented(context);
    const float left = origin.x + gap, right = origin.x + width - gap;
    const float of_a = draw_lane(context, 0, figures.times[0], {left, line}, height);
    const float of_b = lanes == 2 ? draw_lane(context, 1, figures.times[1], {right, line}, height) : 0;
    draw_verdict(context, figures, {left + of_a + 2 * gap, line},
                 {right - of_b - 2 * gap, line + (figure + body) * height}, height);
    draw_trail(context, height);
  }
  if (!ui.presenter.blank || ui.presenter.shows_timer)
    draw_timer(context, {origin.x + width - gap, origin.y + gap}, height);
  ImGui::End();
}

}  // namespace conv
