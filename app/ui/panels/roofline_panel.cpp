// The roofs measured on this GPU, or the shipped ones, and the variants below them.
#include <fmt/format.h>
#include <imgui_internal.h>
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
  bool below_roofs = true;  // measured on the processor whose roofs are shown
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

// Where there is no GPU: the shipped times, one dot for each variant, beside lanes A and B on this machine.
std::vector<Dot> shipped_dots(PanelContext& context, const ShippedResults& gpu, const NearestShipped& shipped) {
  RooflineView& view = context.ui.panels.roofline;
  if (view.shipped != shipped.rows.data()) {
    view.shipped = shipped.rows.data();
    view.shipped_costs.clear();
    for (const BenchRow& row : shipped.rows) view.shipped_costs.push_back(costs_of(row.point, gpu.limits));
  }
  std::vector<Dot> dots;
  for (int i = 0; i < 2; ++i) {
    const LaneStatus& lane = context.status.lanes[i];
    if (!lane.active || !lane.plan || !lane.settled || !lane.times.kernel_ms) continue;
    dots.push_back(
        dot_of(std::string(1, static_cast<char>('A' + i)), step_costs(*lane.plan), lane.times.kernel_ms->median, i));
    dots.back().below_roofs = false;
  }
  for (std::size_t i = 0; i < shipped.rows.size(); ++i)
    if (shipped.rows[i].state == RowState::measured)
      dots.push_back(
          dot_of(shipped.rows[i].point.lane.variant, view.shipped_costs[i], shipped.rows[i].summary().median, -1));
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
    if (!dot.below_roofs) {
      caption(fmt::format("measured {} ms on this machine", three_digits(dot.ms)), p.quiet);
      continue;
    }
    caption(fmt::format("{:.0f} % of the roof above it: {}", 100 * least_ms(roof, dot.cost, ceilings) / dot.ms,
                        roofs[static_cast<int>(roof)].title),
            p.quiet);
    caption(fmt::format("measured {} ms; the model predicts {}", three_digits(dot.ms),
                        prediction_text(predicted_ms(dot.steps, ceilings), dot.ms)),
            p.quiet);
  }
  if (dots.empty()) caption("No GPU times yet. The race (R) adds every variant.", p.quiet);
}

// Labels of the plot. One that would cover a dot or another label is left out; the mouse names the dots.
class Labels {
 public:
  Labels(const std::vector<Dot>& dots, ImVec4 ground) : ground_(ground) {
    const ImVec2 reach = ImVec2(6, 6) * ImGui::GetStyle().FontScaleMain;
    for (const Dot& dot : dots) {
      const ImVec2 at = ImPlot::PlotToPixels(dot.at.intensity, dot.at.gflop_per_s);
      taken_.emplace_back(at - reach, at + reach);
    }
  }
  void draw(ImVec2 at, ImVec4 colour, const std::string& text) {
    const ImRect place(at, at + ImGui::CalcTextSize(text.c_str()));
    if (std::any_of(taken_.begin(), taken_.end(), [&](const ImRect& other) { return other.Overlaps(place); })) return;
    taken_.push_back(place);
    ImDrawList* list = ImPlot::GetPlotDrawList();
    list->AddRectFilled(place.Min, place.Max, ImGui::GetColorU32(ground_));  // not through lines
    list->AddText(at, ImGui::GetColorU32(colour), text.c_str());
  }

 private:
  ImVec4 ground_;
  std::vector<ImRect> taken_;
};

struct RoofRange {
  double least, most;  // operations per byte
};

// What the roofs of a plot depend on.
struct RoofPlot {
  const Ceilings& ceilings;
  double load_bytes;
  RoofRange range;
  double height(Roof roof, double at) const {
    return std::min(roof_at(roof, at, load_bytes, ceilings), ceilings.gflop_per_s);
  }
};

void draw_roof(const PanelContext& context, const RoofInfo& roof, const RoofPlot& plot) {
  std::vector<double> x, y;
  for (double at = plot.range.least / 4; at < plot.range.most * 4; at *= 1.25) {
    x.push_back(at);
    y.push_back(plot.height(roof.roof, at));
  }
  ImPlotSpec spec;
  spec.LineColor = context.look.colours.quiet;
  spec.LineWeight = (roof.roof == Roof::memory ? 2 : 1) * ImGui::GetStyle().FontScaleMain;
  ImPlot::PlotLine(roof.title, x.data(), y.data(), static_cast<int>(x.size()), spec);
}

// Slopes rise: a text that ends at its line is above it everywhere, and one that begins there is below.
void label_roof(const PanelContext& context, const RoofInfo& roof, const RoofPlot& plot, Labels& labels) {
  const bool is_memory = roof.roof == Roof::memory;
  const double label_x = is_memory                  ? plot.range.least * 1.3
                         : roof.roof == Roof::cache ? plot.range.least * 8
                                                    : plot.range.most / 1.2;
  const ImVec2 at = ImPlot::PlotToPixels(label_x, plot.height(roof.roof, label_x));
  const ImVec2 text = ImGui::CalcTextSize(roof.title);
  const float gap = 2 * ImGui::GetStyle().FontScaleMain, above = at.y - text.y - gap;
  // The label of the loads is under its line, because the roof above it may be near.
  const bool under = is_memory || roof.roof == Roof::loads || above < ImPlot::GetPlotPos().y;
  labels.draw({is_memory ? at.x : at.x - text.x, under ? at.y + gap : above}, context.look.colours.quiet, roof.title);
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

void draw_dot(const PanelContext& context, const Dot& dot, Labels& labels) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec4 colour = dot.lane >= 0 ? p.of_lane(dot.lane) : p.text;
  ImPlotSpec spec;
  spec.MarkerFillColor = spec.MarkerLineColor = colour;
  spec.Marker = dot.lane == 0 ? ImPlotMarker_Circle : dot.lane == 1 ? ImPlotMarker_Square : ImPlotMarker_Diamond;
  spec.MarkerSize = 5 * scale;
  ImPlot::PlotScatter(dot.name.c_str(), &dot.at.intensity, &dot.at.gflop_per_s, 1, spec);
  const ImVec2 at = ImPlot::PlotToPixels(dot.at.intensity, dot.at.gflop_per_s);
  const float gap = 8 * scale, width = ImGui::CalcTextSize(dot.name.c_str()).x;
  const bool fits = at.x + gap + width < ImPlot::GetPlotPos().x + ImPlot::GetPlotSize().x;
  labels.draw({fits ? at.x + gap : at.x - gap - width, at.y - gap}, colour, dot.name);
}

// The dots under the mouse.
void name_hovered(const std::vector<Dot>& dots) {
  if (!ImPlot::IsPlotHovered()) return;
  std::string text;
  for (const Dot& dot : dots) {
    const ImVec2 away = ImPlot::PlotToPixels(dot.at.intensity, dot.at.gflop_per_s) - ImGui::GetMousePos();
    if (std::hypot(away.x, away.y) < 8 * ImGui::GetStyle().FontScaleMain)
      text += fmt::format("{}{}: {} GFLOP/s, {} ms", text.empty() ? "" : "\n", dot.name,
                          three_digits(dot.at.gflop_per_s), three_digits(dot.ms));
  }
  if (!text.empty()) ImGui::SetTooltip("%s", text.c_str());
}

void draw_plot(PanelContext& context, const std::vector<Dot>& dots, const Ceilings& ceilings, double load_bytes,
               ImVec2 size) {
  ImGui::PushFont(nullptr, text_size::caption);
  double lowest = ceilings.copy_gb_per_s / 32;
  for (const Dot& dot : dots) lowest = std::min(lowest, dot.at.gflop_per_s / 2);
  // Its limits are set once, and again when a dot is far below them: then it is another plot.
  const std::string id = fmt::format("##roofline {:.0f}", std::floor(std::log10(lowest)));
  if (ImPlot::BeginPlot(id.c_str(), size, ImPlotFlags_NoMenus | ImPlotFlags_NoLegend | ImPlotFlags_NoMouseText)) {
    ImPlot::SetupAxes("operations per byte of memory, compulsory", "GFLOP/s");
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
    RoofRange range{0.25, 256};
    for (const Dot& dot : dots) range.most = std::max(range.most, 2 * dot.at.intensity);
    ImPlot::SetupAxesLimits(range.least, range.most, lowest, ceilings.gflop_per_s * 2, ImPlotCond_Once);
    Labels labels(dots, context.look.colours.background);
    const RoofPlot plot{ceilings, load_bytes, range};
    for (const RoofInfo& roof : roofs) draw_roof(context, roof, plot);
    for (const RoofInfo& roof : roofs) label_roof(context, roof, plot, labels);
    for (int lane = 0; lane < 2; ++lane) draw_trail(context, lane);
    for (const Dot& dot : dots) draw_dot(context, dot, labels);
    name_hovered(dots);
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

// The plot, and the figures of each dot on its right.
static void draw_plot_and_words(PanelContext& context, const std::vector<Dot>& dots, const Ceilings& ceilings) {
  follow(context.ui.panels.roofline, dots);
  // The line of the loads is that of the first dot; the texts have each dot's own.
  const auto loads =
      std::find_if(dots.begin(), dots.end(), [](const Dot& dot) { return dot.below_roofs && dot.cost.load_bytes > 0; });
  const double load_bytes = loads == dots.end() ? 4 : load_bytes_of(*loads);
  ImVec2 room = ImGui::GetContentRegionAvail();
  room.y = std::max(room.y, 160 * ImGui::GetStyle().FontScaleMain);
  const float words = std::min(320 * ImGui::GetStyle().FontScaleMain, room.x / 2);
  draw_plot(context, dots, ceilings, load_bytes, {room.x - words - ImGui::GetStyle().ItemSpacing.x, room.y});
  ImGui::SameLine();
  if (ImGui::BeginChild("words", {words, room.y})) draw_words(context, dots, ceilings);
  ImGui::EndChild();
}

static std::string ceilings_text(const Ceilings& c) {
  return fmt::format(
      "copy {} GB/s · copy in L2 {} GB/s · shared memory {} GB/s · {} GFLOP/s · launch {:.2g} µs · measured {}",
      three_digits(c.copy_gb_per_s), three_digits(c.cached_copy_gb_per_s), three_digits(c.shared_gb_per_s),
      three_digits(c.gflop_per_s), c.launch_us, c.date.substr(0, 10));
}

static void draw_shipped(PanelContext& context) {
  const Palette& p = context.look.colours;
  const NearestShipped shipped = shipped_times(context);
  if (shipped.rows.empty()) return caption("Reading the results that come with Convoscope…", p.quiet);
  const ShippedResults& gpu = *context.status.shipped;
  caption(fmt::format("No GPU was found here. These results come with Convoscope: {}.", shipped.what), p.text);
  caption(ceilings_text(gpu.ceilings), p.quiet);
  draw_plot_and_words(context, shipped_dots(context, gpu, shipped), gpu.ceilings);
}

static void draw_measured(PanelContext& context, const Ceilings& ceilings) {
  if (ImGui::Button("Measure again")) context.commands.push_back(command::MeasureCeilings{});
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  caption(ceilings_text(ceilings), context.look.colours.quiet);
  draw_plot_and_words(context, dots_of(context), ceilings);
}

void draw_roofline(PanelContext& context) {
  if (!context.ui.shown.roofline) return;
  if (ImGui::Begin("Roofline", &context.ui.shown.roofline)) {
    const Palette& p = context.look.colours;
    const BenchStatus& bench = context.status.bench;
    if (!context.status.device.no_gpu.empty()) {
      draw_shipped(context);
    } else if (bench.ceilings) {
      draw_measured(context, *bench.ceilings);
    } else if (bench.error.empty()) {
      caption("Measuring the highest rates of this GPU…", p.quiet);
      if (!bench.running) context.commands.push_back(command::MeasureCeilings{});
    } else {
      complaint(p, bench.error);
      if (ImGui::Button("Try again")) context.commands.push_back(command::MeasureCeilings{});
    }
  }
  ImGui::End();
}

}  // namespace conv
