// How values are displayed. The data are unchanged.
#include <fmt/format.h>
#include <implot.h>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Counts of lane A's values over the displayed range from black to white.
void draw_histogram(PanelContext& context) {
  if (!ImGui::TreeNodeEx("Histogram of A", ImGuiTreeNodeFlags_SpanAvailWidth)) return;
  context.ui.wants.histogram = true;
  const Palette& p = context.look.colours;
  if (const std::optional<Histogram>& h = context.status.picture.histogram) {
    constexpr auto flags = ImPlotFlags_CanvasOnly;
    const float scale = ImGui::GetStyle().FontScaleMain;
    ImPlot::PushStyleVar(ImPlotStyleVar_PlotPadding, ImVec2(0, 4 * scale));
    if (ImPlot::BeginPlot("##histogram", {-1, 110 * scale}, flags)) {
      ImPlot::SetupAxes(nullptr, nullptr, ImPlotAxisFlags_NoGridLines,
                        ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit);
      ImPlot::SetupAxisLimits(ImAxis_X1, h->low, h->high, ImPlotCond_Always);
      ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_SymLog);
      const double width = (h->high - h->low) / Histogram::bin_count;
      // The lines differ in width too: red is the thickest, blue the thinnest.
      const ImVec4 colours[] = {{0.86f, 0.37f, 0.34f, 1}, {0.35f, 0.68f, 0.40f, 1}, {0.38f, 0.56f, 0.90f, 1}};
      for (int c = 0; c < h->channels; ++c) {
        std::array<float, Histogram::bin_count> counts;
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<float>(h->bins[c][i]);
        const ImVec4 colour = h->channels == 1 ? p.text : colours[c];
        ImPlotSpec spec;
        spec.LineColor = colour;
        spec.LineWeight = static_cast<float>(3 - c) * 0.6f * scale;
        ImPlot::PlotStairs(h->channels == 1 ? "luma"
                           : c == 0         ? "R"
                           : c == 1         ? "G"
                                            : "B",
                           counts.data(), static_cast<int>(counts.size()), width, h->low, spec);
      }
      ImPlot::EndPlot();
    }
    ImPlot::PopStyleVar();
    long long below = 0, above = 0;
    for (int c = 0; c < h->channels; ++c) below += h->below[c], above += h->above[c];
    caption(fmt::format("{} values below black, {} above white", grouped(below), grouped(above)),
            below + above > 0 ? p.fault : p.quiet);
    tooltip("Of all channels. Exposure and offset define black and white. Counts are on a logarithmic axis.");
  } else {
    caption("counting", p.quiet);
  }
  ImGui::TreePop();
}

}  // namespace

void draw_display_section(PanelContext& context) {
  DisplaySettings& s = context.settings.display;
  if (!begin_properties("display")) return;
  property("Shown", "Automatic: results around 0 are drawn with 0 as grey, if the format has negative values.");
  combo("##shown", display_ranges, s.range, [](const DisplayRangeInfo& row) { return row.range; });
  property("Exposure", "The displayed values are multiplied by 2 to this power.");
  slider("##exposure", s.exposure, -10, 10, "%+.2f stops");
  resettable(s.exposure, 0.0f);
  property("Offset", "Added after the exposure; 1 is full scale.");
  slider("##display offset", s.offset, -1, 1, "%+.3f", ImGuiSliderFlags_None);
  resettable(s.offset, 0.0f);
  property("Curve", "sRGB: for linear light, such as HDR files.");
  int curve = s.srgb;
  if (ImGui::Combo("##curve", &curve, "Gamma\0sRGB\0")) s.srgb = curve != 0;
  ImGui::BeginDisabled(s.srgb);
  property("Gamma", "1 shows 8-bit files unchanged. 2.2 is for linear light, such as HDR files.");
  slider("##gamma", s.gamma, 0.2f, 5, "%.2f");
  resettable(s.gamma, 1.0f);
  ImGui::EndDisabled();
  property("Channels", "A single channel is shown as grey.");
  constexpr const char* names[] = {"R", "G", "B"};
  for (int c = 0; c < 3; ++c) {
    if (c > 0) ImGui::SameLine();
    ImGui::Checkbox(names[c], &s.channels[c]);
  }
  property("Pixel grid",
           "Lines between pixels from 8 screen pixels each on, and their values from 24 on. Shift: the bits.");
  ImGui::Checkbox("##pixel grid", &s.pixel_grid);
  end_properties();
  draw_histogram(context);
}

}  // namespace conv
