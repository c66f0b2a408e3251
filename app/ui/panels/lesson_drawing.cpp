#include "app/ui/panels/lesson_drawing.h"

#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/lessons/lesson_curve.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Every radius between the two points gets its value on the line through them.
void draw_between(const LessonQuestion& question, LessonAnswer& answer, ImPlotPoint a, ImPlotPoint b) {
  const auto [from, to] = *question.curve;
  if (a.x > b.x) std::swap(a, b);
  const int first = std::clamp(static_cast<int>(std::lround(a.x)), from, to);
  const int last = std::clamp(static_cast<int>(std::lround(b.x)), from, to);
  for (int radius = first; radius <= last; ++radius) {
    const double share = b.x > a.x ? std::clamp((radius - a.x) / (b.x - a.x), 0.0, 1.0) : 1;
    answer.drawn[radius - from] = std::clamp(a.y + share * (b.y - a.y), 0.0, answer.top);
  }
}

void take_mouse(const LessonQuestion& question, LessonAnswer& answer) {
  const bool begins = ImPlot::IsPlotHovered() && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  answer.draws = begins || (answer.draws && ImGui::IsMouseDown(ImGuiMouseButton_Left));
  if (!answer.draws) return;
  const ImGuiIO& io = ImGui::GetIO();
  const ImPlotPoint now = ImPlot::PixelsToPlot(io.MousePos);
  draw_between(question, answer, begins ? now : ImPlot::PixelsToPlot(io.MousePos - io.MouseDelta), now);
  const auto [from, to] = *question.curve;
  answer.radius = std::clamp(static_cast<int>(std::lround(now.x)), from, to);
}

void plot(const char* name, const LessonQuestion& question, const Curve& curve, ImVec4 colour, ImPlotMarker marker,
          bool names_it) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (!curve[i]) continue;
    x.push_back(question.curve->from + static_cast<double>(i));
    y.push_back(*curve[i]);
  }
  ImPlotSpec spec;
  spec.LineColor = colour;
  spec.LineWeight = 2 * ImGui::GetStyle().FontScaleMain;
  spec.Marker = marker;
  spec.MarkerSize = 2 * ImGui::GetStyle().FontScaleMain;
  spec.MarkerFillColor = colour;
  ImPlot::PlotLine(name, x.data(), y.data(), static_cast<int>(x.size()), spec);
  if (names_it && !x.empty()) ImPlot::Annotation(x.back(), y.back(), colour, {-8, -8}, true, "%s", name);
}

// The value at the chosen radius, how much is missing, and after the answer how far it is off.
void draw_state(const Palette& p, const LessonQuestion& question, const LessonAnswer& answer) {
  if (answer.verdict) {
    verdict_mark(p, answer.verdict->right);
    ImGui::SameLine();
    return caption(fmt::format("off by {} % of the largest value on average; {:.3g} % are allowed",
                               answer.verdict->number, 100 * question.within),
                   p.text);
  }
  const auto& value = answer.drawn[answer.radius - question.curve->from];
  const auto missing = std::ranges::count(answer.drawn, false, &std::optional<double>::has_value);
  std::string text = fmt::format("radius {}: {}", answer.radius, value ? fmt::format("{:.3g}", *value) : "nothing yet");
  if (missing > 0) text += fmt::format(" · {} of {} radii are missing", missing, answer.drawn.size());
  caption(text, p.quiet);
}

}  // namespace

void draw_curve(const PanelContext& context, const LessonQuestion& question, LessonAnswer& answer) {
  if (answer.drawn.empty()) return;
  const Palette& p = context.look.colours;
  const auto [from, to] = *question.curve;
  const float em = ImGui::GetFontSize();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size{std::min(room.x, 36 * em), std::clamp(room.y - 3 * em, 8 * em, 12 * em)};
  constexpr ImPlotFlags flags = ImPlotFlags_NoMenus | ImPlotFlags_NoBoxSelect | ImPlotFlags_NoTitle |
                                ImPlotFlags_NoMouseText | ImPlotFlags_NoLegend;
  if (ImPlot::BeginPlot("##curve", size, flags)) {
    ImPlot::SetupAxes("radius", nullptr, ImPlotAxisFlags_NoHighlight, ImPlotAxisFlags_NoHighlight);
    ImPlot::SetupAxisLimits(ImAxis_X1, from - 0.5, to + 0.5, ImPlotCond_Always);
    ImPlot::SetupAxisLimits(ImAxis_Y1, 0, answer.top, ImPlotCond_Always);
    if (!answer.revealed) take_mouse(question, answer);
    const double radius = answer.radius;
    ImPlotSpec line;
    line.LineColor = p.quiet;
    if (!answer.revealed) ImPlot::PlotInfLines("##radius", &radius, 1, line);
    if (answer.verdict) plot("right", question, answer.curve, p.pass, ImPlotMarker_Square, true);
    plot("yours", question, answer.drawn, p.lane[0], ImPlotMarker_Circle, answer.verdict.has_value());
    ImPlot::EndPlot();
  }
  draw_state(p, question, answer);
}

void take_curve_keys(const LessonQuestion& question, LessonAnswer& answer) {
  if (answer.drawn.empty()) return;  // it has not been shown yet
  const auto [from, to] = *question.curve;
  const bool fast = ImGui::GetIO().KeyShift;
  const auto steps = [](ImGuiKey more, ImGuiKey less) {
    return static_cast<int>(ImGui::IsKeyPressed(more)) - static_cast<int>(ImGui::IsKeyPressed(less));
  };
  const int along = steps(ImGuiKey_RightArrow, ImGuiKey_LeftArrow), up = steps(ImGuiKey_UpArrow, ImGuiKey_DownArrow);
  const std::optional<double> before = answer.drawn[answer.radius - from];
  answer.radius = std::clamp(answer.radius + along * (fast ? 4 : 1), from, to);
  std::optional<double>& value = answer.drawn[answer.radius - from];
  if (along != 0 && !value) value = before;  // the curve goes on as it was
  const double step = answer.top / (fast ? 10 : 50);
  if (up != 0) value = std::clamp(value.value_or(0) + up * step, 0.0, answer.top);
}

}  // namespace conv
