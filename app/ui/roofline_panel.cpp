// Roofs measured on this GPU, and where the variants stand below them.
#include <fmt/format.h>
#include <implot.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels.h"
#include "app/ui/widgets.h"

namespace {

struct Dot {
  std::string name;
  RooflinePoint at;
  Cost cost;
  double load_bytes = 4;  // of shared memory that a multiply-add reads, where a tap is one load
  int lane = -1;
};

// A pixel is one load and serves all its colours; planes are loaded one by one.
double load_bytes_of(PixelType type) {
  const double of_channel = static_cast<double>(info(type).bytes) / info(type).channels;
  return is_planar(type) ? of_channel : static_cast<double>(info(type).bytes) / std::min(3, info(type).channels);
}

RooflinePoint place_of(const Cost& cost, float ms) {
  const double operations = 2.0 * static_cast<double>(cost.multiply_adds);
  return {operations / static_cast<double>(std::max(1LL, cost.compulsory_bytes)), operations / ms / 1e6};
}

// A dot for each pass of the lanes that are shown, and one for each variant that races.
std::vector<Dot> dots_of(const PanelContext& context) {
  std::vector<Dot> dots;
  for (int i = 0; i < max_lanes; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || lane.on_cpu || !lane.plan || !lane.settled || lane.steps.size() != lane.plan->steps.size())
      continue;
    const std::vector<Cost> costs = step_costs(*lane.plan);
    for (std::size_t step = 0; step < costs.size(); ++step)
      if (lane.steps[step].ms && costs[step].multiply_adds > 0 && costs[step].compulsory_bytes > 0)
        dots.push_back(
            {fmt::format("{}{}", static_cast<char>('A' + i), costs.size() > 1 ? " " + lane.steps[step].title : ""),
             place_of(costs[step], lane.steps[step].ms->median), costs[step],
             load_bytes_of(lane.plan->type_of(base_of(lane.plan->steps[step]).reads)), i});
  }
  for (const RaceEntryStatus& entry : context.status.race.entries)
    if (entry.ms && entry.checked && !entry.transfers && !context.status.race.on_cpu && entry.cost.compulsory_bytes > 0)
      dots.push_back({entry.variant, place_of(entry.cost, entry.ms->median), entry.cost,
                      load_bytes_of(context.settings.lanes[0].format)});
  return dots;
}

struct Roof {
  const char* title;
  double at(double intensity) const { return slope > 0 ? slope * intensity : flat; }
  double slope = 0, flat = 0;  // GB/s times the operations a byte, or GFLOP/s
};

// load_bytes: as in Dot.
std::vector<Roof> roofs_of(const Ceilings& ceilings, double load_bytes) {
  return {{"memory", ceilings.copy_gb_per_s, 0},
          {"L2 cache", ceilings.cached_copy_gb_per_s, 0},
          {"shared memory, a load for each tap", 0, ceilings.shared_gb_per_s / load_bytes * 2},
          {"multiply-adds", 0, ceilings.gflop_per_s}};
}

// The lowest roof above a dot that holds for it: images that stay in the cache are not held by memory, kernels without
// a tile not by shared memory.
const Roof& binding_roof(const std::vector<Roof>& roofs, const Dot& dot, long long cache_bytes) {
  const bool cached = dot.cost.compulsory_bytes < cache_bytes / 2;
  const Roof* lowest = &roofs[3];
  for (const std::size_t i : {std::size_t{cached ? 1U : 0U}, std::size_t{2}})
    if ((i != 2 || dot.cost.shared_bytes > 0) && roofs[i].at(dot.at.intensity) < lowest->at(dot.at.intensity))
      lowest = &roofs[i];
  return *lowest;
}

void draw_words(PanelContext& context, const std::vector<Dot>& dots, const Ceilings& ceilings) {
  const Palette& p = context.look.colours;
  for (const Dot& dot : dots) {
    const std::vector<Roof> roofs = roofs_of(ceilings, dot.load_bytes);
    const Roof& roof = binding_roof(roofs, dot, ceilings.cache_bytes);
    number(context.look.fonts,
           fmt::format("{}: {} GFLOP/s at {} operations a byte", dot.name, three_digits(dot.at.gflop_per_s),
                       three_digits(dot.at.intensity)),
           dot.lane >= 0 ? p.of_lane(dot.lane) : p.text, text_size::caption);
    caption(fmt::format("{:.0f} % of the roof above it: {}", 100 * dot.at.gflop_per_s / roof.at(dot.at.intensity),
                        roof.title),
            p.quiet);
  }
  if (dots.empty()) caption("No GPU times yet. The race (R) adds every variant.", p.quiet);
}

void draw_plot(PanelContext& context, const std::vector<Dot>& dots, const std::vector<Roof>& roofs, ImVec2 size) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(nullptr, text_size::caption);
  if (ImPlot::BeginPlot("##roofline", size, ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText)) {
    ImPlot::SetupAxes("operations a byte of memory, compulsory", "GFLOP/s");
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    double most_x = 256;
    for (const Dot& dot : dots) most_x = std::max(most_x, 2 * dot.at.intensity);
    const double least_x = 0.25;
    ImPlot::SetupAxesLimits(least_x, most_x, roofs[0].at(least_x) / 8, roofs[3].flat * 2, ImPlotCond_Once);
    for (const Roof& roof : roofs) {
      std::vector<double> x, y;
      for (double at = least_x / 4; at < most_x * 4; at *= 1.25) {
        x.push_back(at);
        y.push_back(std::min(roof.at(at), roofs[3].flat));
      }
      ImPlotSpec spec;
      spec.LineColor = p.quiet;
      spec.LineWeight = (roof.slope > 0 && &roof == roofs.data() ? 2 : 1) * scale;
      ImPlot::PlotLine(roof.title, x.data(), y.data(), static_cast<int>(x.size()), spec);
      const double label_x = roof.slope > 0 ? least_x * 1.3 : most_x / 1.2;
      const ImVec2 at = ImPlot::PlotToPixels(label_x, roof.at(label_x));
      const ImVec2 text = ImGui::CalcTextSize(roof.title);
      // That of shared memory is under its line: the roof above it may be near.
      const float up = &roof == &roofs[2] ? -2 * scale : text.y + 2 * scale;
      ImPlot::GetPlotDrawList()->AddText({roof.slope > 0 ? at.x : at.x - text.x, at.y - up},
                                         ImGui::GetColorU32(p.quiet), roof.title);
    }
    for (int lane = 0; lane < 2; ++lane) {
      const auto& trail = context.ui.roofline.trails[lane];
      std::vector<double> x, y;
      for (const RooflinePoint& point : trail) {
        x.push_back(point.intensity);
        y.push_back(point.gflop_per_s);
      }
      ImPlotSpec spec;
      spec.LineColor = p.lane[lane];
      spec.LineColor.w = 0.5f;
      ImPlot::PlotLine(lane == 0 ? "trail A" : "trail B", x.data(), y.data(), static_cast<int>(x.size()), spec);
    }
    for (const Dot& dot : dots) {
      ImPlotSpec spec;
      spec.MarkerFillColor = spec.MarkerLineColor = dot.lane >= 0 ? p.of_lane(dot.lane) : p.text;
      spec.Marker = dot.lane == 0 ? ImPlotMarker_Circle : dot.lane == 1 ? ImPlotMarker_Square : ImPlotMarker_Diamond;
      spec.MarkerSize = 5 * scale;
      ImPlot::PlotScatter(dot.name.c_str(), &dot.at.intensity, &dot.at.gflop_per_s, 1, spec);
      const ImVec2 at = ImPlot::PlotToPixels(dot.at.intensity, dot.at.gflop_per_s);
      ImPlot::GetPlotDrawList()->AddText({at.x + 8 * scale, at.y - 8 * scale},
                                         ImGui::GetColorU32(dot.lane >= 0 ? p.of_lane(dot.lane) : p.text),
                                         dot.name.c_str());
    }
    ImPlot::EndPlot();
  }
  ImGui::PopFont();
}

// Where lanes A and B were when their figures last changed.
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
  if (!context.ui.show_roofline) return;
  if (ImGui::Begin("Roofline", &context.ui.show_roofline)) {
    const Palette& p = context.look.colours;
    const BenchStatus& bench = context.status.bench;
    if (!context.status.no_gpu.empty()) {
      caption("Roofs are a GPU's: none was found.", p.quiet);
    } else if (!bench.ceilings) {
      if (bench.error.empty()) {
        caption("Measuring what this GPU can do at most…", p.quiet);
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
      caption(fmt::format("copy {} GB/s · in L2 {} GB/s · shared memory {} GB/s · {} GFLOP/s · measured {}",
                          three_digits(c.copy_gb_per_s), three_digits(c.cached_copy_gb_per_s),
                          three_digits(c.shared_gb_per_s), three_digits(c.gflop_per_s), c.date.substr(0, 10)),
              p.quiet);
      const std::vector<Dot> dots = dots_of(context);
      follow(context.ui.roofline, dots);
      // The line of shared memory is that of the first dot; the words have each dot's own.
      const std::vector<Roof> roofs = roofs_of(c, dots.empty() ? 4 : dots.front().load_bytes);
      ImVec2 room = ImGui::GetContentRegionAvail();
      room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);
      const float words = std::min(320 * ImGui::GetStyle().FontScaleMain, room.x / 2);
      draw_plot(context, dots, roofs, {room.x - words - ImGui::GetStyle().ItemSpacing.x, room.y});
      ImGui::SameLine();
      if (ImGui::BeginChild("words", {words, room.y})) draw_words(context, dots, c);
      ImGui::EndChild();
    }
  }
  ImGui::End();
}
