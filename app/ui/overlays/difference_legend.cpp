#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/model/value_text.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

struct LegendTexts {
  std::string title, start, end;  // the values at the ends of the colour bar
  std::string figures;            // how different the pictures are
  bool measured = false;          // figures has numbers
};

// in_ulp: both pictures are 32-bit floats.
std::string metrics_text(const ImageMetrics& m, ValueUnit unit, bool in_ulp) {
  if (m.max_abs == 0) return "identical to the last bit";
  const std::string ulp = in_ulp ? fmt::format(" · at most {} ulp anywhere", m.max_ulp) : "";
  return fmt::format("max {}{} at {}, {}{} · mean {} · PSNR {:.1f} dB\nrel. L2 {:.3g} · SSIM {:.6f} · {} px beyond {}",
                     difference_text(m.max_abs, unit), info(unit).name, m.where.x, m.where.y, ulp,
                     difference_text(m.mean_abs, unit), m.psnr(), m.relative_l2, m.similarity, m.beyond,
                     difference_text(m.tolerance, unit));
}

// Of 32 bits, or nothing.
bool shows_floats(const LaneStatus& lane) {
  return !lane.active || !lane.plan || (!is_8_bit(lane.plan->format) && !is_half(lane.plan->format));
}

LegendTexts legend_texts(const PanelContext& context) {
  const DifferenceSettings& s = context.settings.difference;
  const ValueUnit unit = context.settings.display.unit;
  const std::optional<ImageMetrics>& metrics = context.status.picture.metrics;
  LegendTexts texts;
  const char* const a = context.ui.compare.shows_original(0) ? "original" : "A";
  texts.title = fmt::format(fmt::runtime(s.with_sign ? "{} − B" : "|{} − B|"), a) +
                fmt::format(", full scale is {}", info(unit).full_scale);
  if (s.hatched) texts.title += fmt::format("; hatched beyond {}", difference_text(s.threshold, unit));
  texts.end = difference_text(1 / context.status.picture.gain, unit);
  texts.start = s.with_sign ? "-" + texts.end : "0";
  texts.measured = metrics.has_value();
  if (metrics)
    texts.figures = metrics_text(*metrics, unit, std::ranges::all_of(context.status.lanes, shows_floats));
  else
    texts.figures = context.status.source.playing() ? "pause the source (P) to measure" : "measuring";
  return texts;
}

void draw_colour_bar(const PanelContext& context, const LegendTexts& texts, ImVec2 from, ImVec2 size) {
  const DifferenceSettings& s = context.settings.difference;
  const ImU32 quiet = ImGui::GetColorU32(context.look.colours.quiet);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float row = (static_cast<float>(s.shown_map()) + 0.5f) / static_cast<float>(colour_maps.size());
  list->AddImage(static_cast<ImTextureID>(context.textures.colour_maps), from, from + size, {0, row}, {1, row});
  const float below = from.y + size.y;
  list->AddText({from.x, below}, quiet, texts.start.c_str());
  if (s.with_sign) list->AddText({from.x + (size.x - ImGui::CalcTextSize("0").x) / 2, below}, quiet, "0");
  list->AddText({from.x + size.x - ImGui::CalcTextSize(texts.end.c_str()).x, below}, quiet, texts.end.c_str());
}

// The numbers, where they are known a link to the largest difference.
void draw_figures(PanelContext& context, const LegendTexts& texts) {
  const Palette& p = context.look.colours;
  const std::optional<ImageMetrics>& metrics = context.status.picture.metrics;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushStyleColor(ImGuiCol_Text, texts.measured ? p.text : p.quiet);
  ImGui::TextUnformatted(texts.figures.c_str());
  ImGui::PopStyleColor();
  if (!metrics || metrics->max_abs == 0) return;
  const ImVec2 size = ImGui::GetItemRectSize();
  ImGui::SetCursorScreenPos(at);
  if (ImGui::InvisibleButton("largest difference", size)) {
    const Point2 corner = corner_in_source(context.status.lanes[0].plan->image, context.status.source.size);
    go_to(context.ui, {metrics->where.x + corner.x, metrics->where.y + corner.y},
          std::max(context.ui.view.zoom, 24.0f));
  }
  tooltip(
      "Click: go to the largest difference. ulp: how many steps from one float to the next lie between A and B. SSIM: "
      "mean over windows of 8×8 pixels side by side. A is compared with B.");
}

}  // namespace

void draw_difference_legend(PanelContext& context) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const LegendTexts texts = legend_texts(context);
  ImGui::PushFont(context.look.fonts.numbers, context.look.caption);
  ImGui::TextUnformatted(texts.title.c_str());
  const float inside =
      std::max({256 * scale, ImGui::GetItemRectSize().x, ImGui::CalcTextSize(texts.figures.c_str()).x});
  const ImVec2 bar{inside, 12 * scale}, at = ImGui::GetCursorScreenPos();
  draw_colour_bar(context, texts, at, bar);
  ImGui::Dummy({inside, bar.y + ImGui::GetTextLineHeight()});
  draw_figures(context, texts);
  ImGui::PopFont();
}

}  // namespace conv
