// Values along a line through the pictures, and the statistics of a region.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

constexpr const char* names[] = {"Original", "A", "B"};
constexpr const char* channel_names[] = {"R", "G", "B"};

// Of the pictures in the region, the most channels.
int channels_of(const RegionStatus& region) {
  int channels = 1;
  for (const auto& values : region.of)
    if (values) channels = std::max(channels, values->channels);
  return channels;
}

const ChannelValues& of_channel(const RegionValues& values, int channel) {
  return values.of[std::min(channel, values.channels - 1)];
}

ImVec4 colour_of(const Palette& p, std::size_t which) {
  return which == 0 ? p.quiet : p.lane[which - 1];
}

// The direction of the profile, the channel, and what is selected.
void draw_choices(PanelContext& context, int channels) {
  Probe& probe = context.ui.probe;
  if (ImGui::RadioButton("Row", !probe.column)) probe.column = false;
  tooltip("Values from left to right. In a region, each is the mean of a column.");
  flow("Column", true);
  if (ImGui::RadioButton("Column", probe.column)) probe.column = true;
  tooltip("Values from top to bottom. In a region, each is the mean of a row.");
  for (int c = 0; channels > 1 && c < channels; ++c) {
    flow(channel_names[c], true);
    if (ImGui::RadioButton(channel_names[c], probe.channel == c)) probe.channel = c;
  }
  if (!probe.region) return;
  flow("No region");
  if (ImGui::Button("No region")) probe.region.reset();
  tooltip("The profile is of the line through the pixel under the pointer again.");
}

// Positions in the source, and a value for each.
struct Line {
  std::vector<double> at, values;
};
Line line_of(const RegionValues& values, Point2 corner, bool down, int channel, double full_scale) {
  const ChannelValues& of = of_channel(values, channel);
  Line line;
  const int first = down ? corner.y + values.part.at.y : corner.x + values.part.at.x;
  for (const double value : down ? of.along_y : of.along_x) {
    line.at.push_back(first + static_cast<double>(line.at.size()));
    line.values.push_back(value * full_scale);
  }
  return line;
}

// The visible part of the picture, which zoom and pan move; of a region, all of it.
std::pair<double, double> shown_range(const PanelContext& context, const PixelRect& rect, bool down) {
  double first = down ? rect.top : rect.left, last = first + (down ? rect.height : rect.width) - 1;
  const ViewArea& area = context.ui.areas[0].view;
  if (context.ui.probe.region || area.width < 1) return {first, std::max(last, first + 1)};
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  const Vec2 from = context.ui.view.image_at_screen({area.left, area.top}, middle);
  const Vec2 to = context.ui.view.image_at_screen({area.left + area.width, area.top + area.height}, middle);
  first = std::max(first, static_cast<double>(down ? from.y : from.x));
  last = std::min(last, static_cast<double>(down ? to.y : to.x));
  return {first, std::max(last, first + 1)};
}

void draw_lines(PanelContext& context, const RegionStatus& region, ImVec2 size) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const Probe& probe = context.ui.probe;
  const double full_scale = info(context.settings.display.unit).full_scale;
  if (!ImPlot::BeginPlot("##profile", size, ImPlotFlags_NoMenus | ImPlotFlags_NoTitle | ImPlotFlags_NoLegend)) return;
  ImPlot::SetupAxes(probe.column ? "y, pixels" : "x, pixels", nullptr, 0, ImPlotAxisFlags_AutoFit);
  const auto [first, last] = shown_range(context, region.rect, probe.column);
  ImPlot::SetupAxisLimits(ImAxis_X1, first, last, ImPlotCond_Always);
  constexpr float widths[] = {1, 2.6f, 1.2f};  // where both are equal, A is seen on both sides of B
  for (std::size_t i = 0; i < region.of.size(); ++i) {
    if (!region.of[i]) continue;
    const Line line = line_of(*region.of[i], region.corner[i], probe.column, probe.channel, full_scale);
    ImPlotSpec spec;
    spec.LineColor = colour_of(p, i);
    spec.LineWeight = widths[i] * scale;
    // B differs also by shape, where there is space for it.
    const bool marks = i == 2 && (last - first) * 8 * scale < ImPlot::GetPlotSize().x;
    if (marks) spec.Marker = ImPlotMarker_Circle, spec.MarkerSize = 2 * scale;
    ImPlot::PlotLine(names[i], line.at.data(), line.values.data(), static_cast<int>(line.at.size()), spec);
  }
  ImPlot::EndPlot();
}

std::string in_unit(double share, const PanelContext& context) {
  return fmt::format("{:.4g}", share * info(context.settings.display.unit).full_scale);
}

void draw_statistics(PanelContext& context, const RegionStatus& region) {
  const Palette& p = context.look.colours;
  const bool selected = context.ui.probe.region.has_value();
  caption(selected ? fmt::format("Region {}, {}: {}×{} pixels", region.rect.left, region.rect.top, region.rect.width,
                                 region.rect.height)
                   : fmt::format("{} {}", context.ui.probe.column ? "Column" : "Row",
                                 context.ui.probe.column ? region.rect.left : region.rect.top),
          p.quiet);
  if (!ImGui::BeginTable("statistics", 5, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingStretchSame)) return;
  for (const char* column : {"", "mean", "std. dev.", "smallest", "largest"}) ImGui::TableSetupColumn(column);
  constexpr std::string_view tips[] = {"", "The mean of all pixels.", "The standard deviation of all pixels.",
                                       "The smallest value.", "The largest value."};
  header_row(tips);
  for (std::size_t i = 0; i < region.of.size(); ++i) {
    if (!region.of[i]) continue;
    const ChannelValues& of = of_channel(*region.of[i], context.ui.probe.channel);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(colour_of(p, i), "%s", names[i]);
    for (const double share : {of.mean, of.deviation, of.least, of.most}) {
      ImGui::TableNextColumn();
      number(context.look.fonts, in_unit(share, context), p.text);
    }
  }
  ImGui::EndTable();
  long long not_finite = 0;
  for (const auto& values : region.of)
    if (values) not_finite += of_channel(*values, context.ui.probe.channel).not_finite;
  if (not_finite > 0)
    caption(fmt::format("{} values are infinite or not a number, and are left out.", not_finite), p.fault);
  if (context.status.source.playing()) caption("The original is shown while the source is paused.", p.quiet);
  if (region.difference)
    caption(fmt::format("A and B differ by at most {}, root mean square {}, over all channels.",
                        in_unit(region.difference->largest, context),
                        in_unit(region.difference->root_mean_square, context)),
            p.text);
}

}  // namespace

void draw_profile_contents(PanelContext& context) {
  context.ui.wants.region = true;
  const RegionStatus& region = context.status.probe.region;
  draw_choices(context, channels_of(region));
  if (!region.none.empty()) return caption(region.none, context.look.colours.quiet);
  const ImVec2 space = ImGui::GetContentRegionAvail();
  const float line = ImGui::GetTextLineHeightWithSpacing();
  // The numbers are beside the plot in a low panel, and below it in a high or narrow one.
  const bool beside = space.x > 46 * ImGui::GetFontSize() && space.y < 16 * line;
  const float below = 7 * line;
  draw_lines(context, region,
             {beside ? 0.6f * space.x : space.x, beside ? space.y : std::max(6 * line, space.y - below)});
  if (beside) ImGui::SameLine();
  if (ImGui::BeginChild("##statistics")) draw_statistics(context, region);
  ImGui::EndChild();
}

void draw_profile(PanelContext& context) {
  if (!context.ui.shown.profile) return;
  if (ImGui::Begin("Profile", &context.ui.shown.profile)) draw_profile_contents(context);
  ImGui::End();
}

}  // namespace conv
