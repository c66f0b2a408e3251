// The roofs measured on this GPU, and the variants below them.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/measure/roofline.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

struct Dot {
  std::string name;
  RooflinePoint at;
  Cost cost;  // sum of all steps
  std::vector<Cost> steps;
  double ms = 0;
  int lane = -1;
};

Dot dot_of(std::string name, std::vector<Cost> steps, float ms, int lane) {
  Dot dot{.name = std::move(name), .steps = std::move(steps), .ms = ms, .lane = lane};
  for (const Cost& step : dot.steps) dot.cost += step;
  const double operations = 2.0 * static_cast<double>(dot.cost.multiply_adds);
  dot.at = {operations / static_cast<double>(std::max(1LL, dot.cost.compulsory_bytes)), operations / dot.ms / 1e6};
  return dot;
}

// A dot for each pass of the lanes in view, and one for each variant in the race.
std::vector<Dot> dots_of(const PanelContext& context) {
  std::vector<Dot> dots;
  for (int i = 0; i < max_lanes; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || lane.on_cpu || !lane.plan || !lane.settled ||
        lane.times.steps.size() != lane.plan->steps.size())
      continue;
    const std::vector<Cost> costs = step_costs(*lane.plan);
    for (std::size_t step = 0; step < costs.size(); ++step)
      if (lane.times.steps[step].ms)
        dots.push_back(dot_of(
            fmt::format("{}{}", static_cast<char>('A' + i), costs.size() > 1 ? " " + lane.times.steps[step].title : ""),
            {costs[step]}, lane.times.steps[step].ms->median, i));
  }
  for (const RaceEntryStatus& entry : context.status.race.entries)
    if (entry.ms && entry.checked && !entry.transfers && !context.status.race.on_cpu)
      dots.push_back(dot_of(entry.variant, entry.costs, entry.ms->median, -1));
  std::erase_if(dots, [](const Dot& dot) { return dot.cost.multiply_adds == 0 || dot.cost.compulsory_bytes == 0; });
  return dots;
}

double load_bytes_of(const Dot& dot) {
  return static_cast<double>(dot.cost.load_bytes) / static_cast<double>(dot.cost.multiply_adds);
}

void draw_words(PanelContext& context, const std::vector<Dot>& dots, const Ceilings& ceilings) {
  const Palette& p = context.look.colours;
  for (const Dot& dot : dots) {
    const Roof roof = binding_roof(dot.cost, ceilings);
    number(context.look.fonts,
           fmt::format("{}: {} GFLOP/s at {} operations per byte", dot.name, three_digits(dot.at.gflop_per_s),
                       three_digits(dot.at.intensity)),
           dot.lane >= 0 ? p.of_lane(dot.lane) : p.text, text_size::caption);
    caption(fmt::format("{:.0f} % of the roof above it: {}", 100 * least_ms(roof, dot.cost, ceilings) / dot.ms,
                        roofs[static_cast<int>(roof)].title),
            p.quiet);
    caption(fmt::format("measured {} ms; the model predicts {}", three_digits(dot.ms),
                        prediction_text(predicted_ms(dot.steps, ceilings), dot.ms)),
            p.quiet);
  }
  if (dots.empty()) caption("No GPU times yet. The race (R) adds every variant.", p.quiet);
}

struct RoofRange {
  double least, most;  // operations per byte
};

void draw_roof(const PanelContext& context, const RoofInfo& roof, const Ceilings& ceilings, double load_bytes,
               RoofRange range) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const bool slopes = roof.roof == Roof::memory || roof.roof == Roof::cache;
  const auto height = [&](double at) {
    return std::min(roof_at(roof.roof, at, load_bytes, ceilings), ceilings.gflop_per_s);
  };
  std::vector<double> x, y;
  for (double at = range.least / 4; at < range.most * 4; at *= 1.25) {
    x.push_back(at);
    y.push_back(height(at));
  }
  ImPlotSpec spec;
  spec.LineColor = context.look.colours.quiet;
  spec.LineWeight = (roof.roof == Roof::memory ? 2 : 1) * scale;
  ImPlot::PlotLine(roof.title, x.data(), y.data(), static_cast<int>(x.size()), spec);
  const double label_x = slopes ? range.least * 1.3 : range.most / 1.2;
  const ImVec2 at = ImPlot::PlotToPixels(label_x, height(label_x));
  const ImVec2 text = ImGui::CalcTextSize(roof.title);
  // The label of the loads is under its line, because the roof above it may be near.
  const float up = roof.roof == Roof::loads ? -2 * scale : text.y + 2 * scale;
  ImPlot::GetPlotDrawList()->AddText({slopes ? at.x : at.x - text.x, at.y - up},
                                     ImGui::GetColorU32(context.look.colours.quiet), roof.title);
}

void draw_trail(const PanelContext& context, int lane) {
  std::vector<double> x, y;
  for (const RooflinePoint& point : context.ui.panels.roofline.trails[lane]) {
    x.push_back(point.intensity);
    y.push_back(point.gflop_per_s);
  }
  ImPlotSpec spec;
  spec.LineColor = context.look.colours.lane[lane];
  spec.LineColor.w = 0.5f;
  ImPlot::PlotLine(lane == 0 ? "trail A" : "trail B", x.data(), y.data(), static_cast<int>(x.size()), spec);
}

void draw_dot(const PanelContext& context, const Dot& dot) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec4 colour = dot.lane >= 0 ? p.of_lane(dot.lane) : p.text;
  ImPlotSpec spec;
  spec.MarkerFillColor = spec.MarkerLineColor = colour;
  spec.Marker = dot.lane == 0 ? ImPlotMarker_Circle : dot.lane == 1 ? ImPlotMarker_Square : ImPlotMarker_Diamond;
  spec.MarkerSize = 5 * scale;
  ImPlot::PlotScatter(dot.name.c_str(), &dot.at.intensity, &dot.at.gflop_per_s, 1, spec);
  const ImVec2 at = ImPlot::PlotToPixels(dot.at.intensity, dot.at.gflop_per_s);
  ImPlot::GetPlotDrawList()->AddText({at.x + 8 * scale, at.y - 8 * scale}, ImGui::GetColorU32(colour),
                                     dot.name.c_str());
}

void draw_plot(PanelContext& context, const std::vector<Dot>& dots, const Ceilings& ceilings, double load_bytes,
               ImVec2 size) {
  ImGui::PushFont(nullptr, text_size::caption);
  if (ImPlot::BeginPlot("##roofline", size, ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText)) {
    ImPlot::SetupAxes("operations per byte of memory, compulsory", "GFLOP/s");
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    RoofRange range{0.25, 256};
    for (const Dot& dot : dots) range.most = std::max(range.most, 2 * dot.at.intensity);
    ImPlot::SetupAxesLimits(range.least, range.most, ceilings.copy_gb_per_s * range.least / 8, ceilings.gflop_per_s * 2,
                            ImPlotCond_Once);
    for (const RoofInfo& roof : roofs) draw_roof(context, roof, ceilings, load_bytes, range);
    for (int lane = 0; lane < 2; ++lane) draw_trail(context, lane);
    for (const Dot& dot : dots) draw_dot(context, dot);
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
}

// Where lanes A and B were when their numbers last changed.
void follow(RooflineView& view, const std::vector<Dot>& dots) {
  for (const Dot& dot : dots) {
    if (dot.lane < 0 || dot.lane > 1) continue;
    auto& trail = view.trails[dot.lane];
    if (!trail.empty() && trail.back() == dot.at) continue;
    trail.push_back(dot.at);
    if (trail.size() > 64) trail.pop_front();
  }
}

}  // namespace

void draw_roofline(PanelContext& context) {
  if (!context.ui.shown.roofline) return;
  if (ImGui::Begin("Roofline", &context.ui.shown.roofline)) {
    const Palette& p = context.look.colours;
    const BenchStatus& bench = context.status.bench;
    if (!context.status.device.no_gpu.empty()) {
      caption("The roofline needs an NVIDIA GPU; none was found.", p.quiet);
    } else if (!bench.ceilings) {
      if (bench.error.empty()) {
        caption("Measuring the highest rates of this GPU…", p.quiet);
        if (!bench.running) context.commands.push_back(command::MeasureCeilings{});
      } else {
        complaint(p, bench.error);
        if (ImGui::Button("Try again")) context.commands.push_back(command::MeasureCeilings{});
      }
    } else {
      const Ceilings& c = *bench.ceilings;
      if (ImGui::Button("Measure again")) context.commands.push_back(command::MeasureCeilings{});
      ImGui::SameLine();
      ImGui::AlignTextToFramePadding();
      caption(
          fmt::format(
              "copy {} GB/s · copy in L2 {} GB/s · shared memory {} GB/s · {} GFLOP/s · launch {:.2g} µs · measured {}",
              three_digits(c.copy_gb_per_s), three_digits(c.cached_copy_gb_per_s), three_digits(c.shared_gb_per_s),
              three_digits(c.gflop_per_s), c.launch_us, c.date.substr(0, 10)),
          p.quiet);
      const std::vector<Dot> dots = dots_of(context);
      follow(context.ui.panels.roofline, dots);
      // The line of the loads is that of the first dot; the texts have each dot's own.
      const double load_bytes = dots.empty() ? 4 : load_bytes_of(dots.front());
      ImVec2 room = ImGui::GetContentRegionAvail();
      room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);
      const float words = std::min(320 * ImGui::GetStyle().FontScaleMain, room.x / 2);
      draw_plot(context, dots, c, load_bytes, {room.x - words - ImGui::GetStyle().ItemSpacing.x, room.y});
      ImGui::SameLine();
      if (ImGui::BeginChild("words", {words, room.y})) draw_words(context, dots, c);
      ImGui::EndChild();
    }
  }
  ImGui::End();
}

}  // namespace conv
