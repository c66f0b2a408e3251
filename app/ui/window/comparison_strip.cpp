// The strip under the toolbar: A's time, the verdict, B's time. It is always visible, whatever panel is open.
#include <fmt/format.h>
#include <imgui_internal.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/verdict.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Two lines in a cell of the strip, cut at its end.
class Cell {
 public:
  Cell(const char* id, ImVec2 at, ImVec2 size) : scale_(ImGui::GetStyle().FontScaleMain), at_(at) {
    ImGui::SetCursorScreenPos(at);
    ImGui::InvisibleButton(id, size);
    ImGui::PushClipRect(at, at + size, true);
  }
  ~Cell() { ImGui::PopClipRect(); }
  Cell(const Cell&) = delete;  // it is the end of its clip rectangle
  Cell& operator=(const Cell&) = delete;

  // Each call continues the line.
  void first(ImFont* font, float size, ImVec4 colour, std::string_view text) {
    add(font, size, colour, text, first_, -scale_);
  }
  void second(ImFont* font, float size, ImVec4 colour, std::string_view text) {
    add(font, size, colour, text, second_, 20 * scale_);
  }
  void indent(float by) { first_ += by, second_ += by; }

 private:
  void add(ImFont* font, float size, ImVec4 colour, std::string_view text, float& at, float line) {
    const float to_baseline = 0.8f * (text_size::title - size) * scale_;  // sizes of one line share their baseline
    text_at(font, size * scale_, {at_.x + at, at_.y + line + to_baseline}, colour, text);
    at += width_of(font, size * scale_, text);
  }

  float scale_;
  ImVec2 at_;
  float first_ = 0, second_ = 0;
};

// The variant, its time and how much it varies, or why there is no time.
void draw_lane(const PanelContext& context, int index, ImVec2 at, ImVec2 size) {
  const Palette& p = context.look.colours;
  const Fonts& fonts = context.look.fonts;
  const LaneStatus& lane = context.status.lanes[index];
  const auto& ms = context.status.best.ms[index];
  const float scale = ImGui::GetStyle().FontScaleMain;
  Cell cell(index == 0 ? "A" : "B", at, size);
  tooltip(!lane.refusal.empty() ? lane.refusal
                                : fmt::format("{}: median, and from the 10th to the 90th percentile of {}.",
                                              context.settings.lanes[index].variant,
                                              context.status.best.of_race ? "the race" : "the live view"));
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 4 * scale, at.y + size.y}, ImGui::GetColorU32(p.lane[index]),
                                            2 * scale);
  cell.indent(12 * scale);
  cell.first(fonts.words, text_size::base, p.lane[index], fmt::format("{}  ", static_cast<char>('A' + index)));
  cell.first(fonts.numbers, 14, p.text, context.settings.lanes[index].variant);
  if (lane.on_cpu) cell.first(fonts.words, text_size::caption, p.quiet, "  CPU");
  if (!lane.refusal.empty())
    return cell.second(fonts.words, text_size::caption, p.fault, "× cannot run with these settings");
  const auto shown = ms ? std::optional(ms->median) : lane.times.before_ms;
  if (shown) {
    cell.second(fonts.numbers, text_size::title, ms ? p.text : p.disabled, three_digits(*shown));
    cell.second(fonts.words, text_size::caption, ms ? p.quiet : p.disabled, " ms   ");
  }
  if (ms)
    cell.second(fonts.words, text_size::caption, p.quiet,
                fmt::format("{} to {}", three_digits(ms->p10), three_digits(ms->p90)));
  else
    cell.second(fonts.words, text_size::caption, p.quiet, lane.note.empty() ? "not measured yet" : lane.note);
}

void draw_verdict(const PanelContext& context, ImVec2 at, ImVec2 size) {
  const Palette& p = context.look.colours;
  const Fonts& fonts = context.look.fonts;
  const LanesVerdict verdict = verdict_on(context.status);
  Cell cell("verdict", at, size);
  if (verdict.text.empty()) {
    cell.first(fonts.words, text_size::base, p.quiet, "One variant");
    return cell.second(fonts.words, text_size::caption, p.quiet, "Key 2 shows another beside it");
  }
  tooltip(verdict_rule);
  cell.first(fonts.words, text_size::title, verdict.faster < 0 ? p.text : p.lane[verdict.faster], verdict.text);
  const char* const source = context.status.best.of_race ? " · race" : " · live";
  cell.second(fonts.words, text_size::caption, p.quiet, verdict.detail + source);
}

}  // namespace

void draw_comparison_strip(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain, margin = 12 * scale;
  const bool open = ImGui::BeginViewportSideBar("##comparison", ImGui::GetMainViewport(), ImGuiDir_Up, 48 * scale,
                                                ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar |
                                                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavInputs);
  if (open) {
    const ImVec2 origin = ImGui::GetWindowPos() + ImVec2(margin, 2 * scale);
    const float third = (ImGui::GetWindowWidth() - 2 * margin) / 3;
    const ImVec2 size{third - margin, 44 * scale};
    draw_lane(context, 0, origin, size);
    draw_verdict(context, {origin.x + third, origin.y}, size);
    if (context.status.lanes[1].active) draw_lane(context, 1, {origin.x + 2 * third, origin.y}, size);
  }
  ImGui::End();
}

}  // namespace conv
