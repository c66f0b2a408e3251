#include "app/measure/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/measure/presets.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/number_text.h"

namespace conv {

using nlohmann::json;

std::span<const EmbeddedFile> embedded_published();

double bytes_of(const BenchPoint& point) {
  return 2.0 * static_cast<double>(point.image.area()) * info(point.lane.format).bytes;
}

std::optional<double> ms_of(const PublishedTable& table, double value, const BenchPoint& point) {
  switch (table.unit) {
    case PublishedUnit::us: return value / 1000;
    case PublishedUnit::ms: return value;
    case PublishedUnit::speedup: return std::nullopt;
    case PublishedUnit::megapixels: return static_cast<double>(point.image.area()) / value / 1000;
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view units[] = {"us", "ms", "speedup", "Mpx/s"};

PublishedSeries series_of(const json& from) {
  PublishedSeries series{.name = from["name"], .variant = from["variant"], .values = from["values"]};
  if (from.contains("format"))
    for (const PixelTypeInfo& row : pixel_types)
      if (from["format"] == row.id) series.format = row.type;
  if (from.contains("switches")) {
    series.switches.emplace();
    for (const auto& [id, value] : from["switches"].items()) series.switches->set(id, value);
  }
  return series;
}

PublishedTable table_of(const json& from) {
  PublishedTable table{.source = from["source"],
                       .table = from["table"],
                       .gpu = from["gpu"],
                       .preset = from["preset"],
                       .includes = from["includes"],
                       .row = from["row"],
                       .beside = from["ext"],
                       .places = from["places"]};
  table.unit = static_cast<PublishedUnit>(
      std::find(std::begin(units), std::end(units), from["unit"].get<std::string>()) - std::begin(units));
  table.printed = from.contains("printed") ? from["printed"].get<std::vector<std::string>>() : table.places;
  for (const json& series : from["series"]) table.series.push_back(series_of(series));
  return table;
}

std::optional<BenchPoint> point_of(const PublishedTable& table, std::size_t series, std::size_t place,
                                   const BenchJob& job) {
  const PublishedSeries& wanted = table.series[series];
  for (const BenchGroup& group : job.groups)
    for (const BenchPoint& point : group) {
      const auto has_place = [&](const BenchDimension& dimension) {
        return dimension.text(BenchRow{.point = point}) == table.places[place];
      };
      const auto dimensions = bench_dimensions();
      if (point.lane.variant == wanted.variant && (!wanted.format || point.lane.format == *wanted.format) &&
          (!wanted.switches || point.lane.switches == *wanted.switches) &&
          std::any_of(dimensions.begin(), dimensions.end(), has_place))
        return point;
    }
  return std::nullopt;
}

double channels_of(const BenchPoint& point) {
  return std::min(3, info(point.lane.format).channels);
}
double multiply_adds(const BenchPoint& point) {
  return static_cast<double>(point.image.area() * taps_size(point.filter).area()) * channels_of(point);
}
struct Range {
  double low = HUGE_VAL, high = 0;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string text(const char* unit) const {
    return high > 1.05 * low ? fmt::format("{:.3g} to {:.3g} {}", low, high, unit)
                             : fmt::format("{:.3g} {}", high, unit);
  }
};

std::vector<std::string> audit(const PublishedTable& table, const Published& all) {
  std::vector<std::string> lines{"Timed: " + table.includes + "."};
  const auto gpu =
      std::find_if(all.gpus.begin(), all.gpus.end(), [&](const PublishedGpu& g) { return g.name == table.gpu; });
  Range baseline, bandwidth, link;
  for (std::size_t s = 0; s < table.series.size(); ++s)
    for (std::size_t p = 0; p < table.places.size(); ++p) {
      const std::optional<BenchPoint>& point = table.point(s, p);
      const auto ms = point ? ms_of(table, table.series[s].values[p], *point) : std::nullopt;
      if (!ms) continue;
      if (table.series[s].variant == "cpu_sequential")
        baseline.add(*ms * 1e6 / multiply_adds(*point));
      else if (table.preset == "s2-e")
        link.add(bytes_of(*point) / *ms / 1e6);
      else if (gpu != all.gpus.end())
        bandwidth.add(100 * bytes_of(*point) / *ms / 1e6 / gpu->bandwidth_gb_per_s);
    }
  if (baseline.high > 0) lines.push_back("Baseline: one CPU core at " + baseline.text("ns per multiply-add") + ".");
  if (bandwidth.high > 0)
    lines.push_back(fmt::format("Reading and writing the image once in these times is {} of the {:.0f} GB/s of the {}.",
                                bandwidth.text("%"), gpu->bandwidth_gb_per_s, gpu->name));
  if (link.high > 0)
    lines.push_back(
        fmt::format("These times need {} over the link, both ways; PCIe 3.0, 4.0 and 5.0 x16 carry 16, 32 and 63 "
                    "each way: more "
                    "than both ways together is impossible.",
                    link.text("GB/s")));
  if (table.unit == PublishedUnit::speedup) {
    // Its times are the bars of another figure.
    for (const PublishedTable& other : all.tables) {
      if (other.source != table.source || other.preset != "s2-d") continue;
      for (std::size_t p = 0; p < other.places.size(); ++p)
        if (const auto& point = other.point(0, p))
          baseline.add(other.series[0].values[p] * 1e6 / multiply_adds(*point));
    }
    const PublishedTable& s4 =
        *std::find_if(all.tables.begin(), all.tables.end(), [](const PublishedTable& t) { return t.table == "5.5"; });
    const double theirs = s4.series[0].values.back() * 1e6 / (4096.0 * 4096 * 9);
    lines.push_back(
        fmt::format("Baseline: {} (from the author's slides), {:.0f} times that of CUDA-Optimized 2D Convolution "
                    "({:.2f}). Copies are left out.",
                    baseline.text("ns per multiply-add"), baseline.high / theirs, theirs));
  }
  return lines;
}

Published read_published() {
  const std::span<const EmbeddedFile> files = embedded_published();
  const json all = json::parse(files.front().text);
  Published list;
  for (const json& row : all["tables"]) list.tables.push_back(table_of(row));
  for (PublishedTable& table : list.tables) {
    const BenchJob job = job_of(*find_preset(table.preset), true);
    for (std::size_t series = 0; series < table.series.size(); ++series)
      for (std::size_t place = 0; place < table.places.size(); ++place)
        table.points.push_back(point_of(table, series, place, job));
  }
  for (const json& row : all["gpus"])
    list.gpus.push_back({.name = row["name"],
                         .source = row["source"],
                         .architecture = row["architecture"],
                         .cores = row["cores"],
                         .multiprocessors = row["multiprocessors"],
                         .memory_gb = row["memory_gb"],
                         .bandwidth_gb_per_s = row["bandwidth_gb_per_s"],
                         .shared_kb = row["shared_kb"]});
  for (const json& row : all["claims"])
    list.claims.push_back({row["source"], row["says"], row.value("ours", ""), row.value("formula", "")});
  for (const json& row : all["errata"])
    list.errata.push_back(
        {row["row"], row["source"], row["wrong"], row.value("exhibit", ""), row.value("true", std::vector<double>())});
  for (PublishedTable& table : list.tables) table.audit = audit(table, list);
  for (const DocumentInfo& document : documents)
    if (std::ranges::find(list.tables, document.id, &PublishedTable::source) == list.tables.end())
      list.without_table.push_back(document.id);
  return list;
}

}  // namespace

std::string PublishedTable::title() const {
  const bool numbered = table.find_first_not_of("0123456789.") == std::string::npos;
  return fmt::format("{}, {}{} · {}{}", with_title(source), numbered ? "table " : "", table,
                     gpu == "not stated" ? "GPU not stated" : gpu, unit == PublishedUnit::megapixels ? " · Mpx/s" : "");
}

namespace {

long long window_area(int radius) {
  const long long side = 2 * radius + 1;
  return side * side;
}
// Of the block's pixels with an apron of the radius.
long long tile_area(Size2 block, int radius) {
  return Size2{block.width + 2 * radius, block.height + 2 * radius}.area();
}

// "256 / 2304 = 1/9", or as a decimal number if it is no whole part.
std::string part_text(long long part, long long whole) {
  const std::string ratio = whole % part == 0 ? fmt::format("1/{}", whole / part)
                                              : three_digits(static_cast<double>(part) / static_cast<double>(whole));
  return fmt::format("{} / {} = {}", part, whole, ratio);
}

struct ClaimFormula {
  std::string_view id;
  std::string (*text)(Size2 image, int radius, Size2 block);
};
constexpr ClaimFormula formulas[] = {
    {"pixel_rate",
     [](Size2 image, int, Size2) {
       return fmt::format("{} * {} * 60 = {} Mpx/s", image.width, image.height,
                          three_digits(60e-6 * static_cast<double>(image.area())));
     }},
    {"multiply_adds",
     [](Size2 image, int radius, Size2) {
       const long long taps = window_area(radius);
       return fmt::format("{} * {} * {} = {} million", image.width, image.height, taps,
                          three_digits(1e-6 * static_cast<double>(image.area() * taps)));
     }},
    {"two_passes",
     [](Size2, int radius, Size2) {
       return fmt::format("2 (2R+1) = {} instead of {}", 2 * (2 * radius + 1), window_area(radius));
     }},
    {"row_loads",
     [](Size2, int radius, Size2 block) {
       return fmt::format("{} (2R+1) = {} become {} + 2R = {}", block.width, block.width * (2 * radius + 1),
                          block.width, block.width + 2 * radius);
     }},
    {"tile_bytes",
     [](Size2, int radius, Size2 block) {
       return fmt::format("({} + 2R) ({} + 2R) * 4 = {} bytes", block.width, block.height,
                          tile_area(block, radius) * 4);
     }},
    {"tile_reuse",
     [](Size2, int radius, Size2 block) {
       const long long taps = window_area(radius), values = tile_area(block, radius);
       return fmt::format("{} * {} / {} = {}", block.area(), taps, values,
                          three_digits(static_cast<double>(block.area() * taps) / static_cast<double>(values)));
     }},
    {"tile_values",
     [](Size2, int radius, Size2 block) {
       return fmt::format("({} + 2R) ({} + 2R) = {}", block.width, block.height, tile_area(block, radius));
     }},
    // Blocks whose tiles of floats fit the shared memory that a multiprocessor of 2007 had.
    {"blocks_in_16_kb",
     [](Size2, int radius, Size2 block) {
       const long long bytes = tile_area(block, radius) * 4;
       const long long fit = 16384 / bytes;
       return fmt::format("16384 / {}: {} {}", bytes, fit, fit == 1 ? "tile fits" : "tiles fit");
     }},
    // A thread for each pixel of the tile; then one for each of its columns and each row of the block.
    {"active_of_all", [](Size2, int radius, Size2 block) { return part_text(block.area(), tile_area(block, radius)); }},
    {"active_of_columns",
     [](Size2, int radius, Size2 block) {
       return part_text(block.area(), static_cast<long long>(block.width) * (block.height + 2 * radius));
     }},
    {"tile_loads",
     [](Size2, int radius, Size2 block) {
       const long long values = tile_area(block, radius);
       return fmt::format("{} / {} = {}", values, block.area(),
                          fmt::format("{:.3g}", static_cast<double>(values) / static_cast<double>(block.area())));
     }},
    // Of both passes, over tiles as wide and as high as the block.
    {"pass_loads",
     [](Size2, int radius, Size2 block) {
       const int across = block.width + 2 * radius, down = block.height + 2 * radius;
       return fmt::format(
           "{} / {} + {} / {} = {}", across, block.width, down, block.height,
           fmt::format("{:.3g}", static_cast<double>(across) / block.width + static_cast<double>(down) / block.height));
     }},
};

}  // namespace

std::string text_for(const PublishedClaim& claim, const BenchPoint& point) {
  const auto formula = std::ranges::find(formulas, claim.formula, &ClaimFormula::id);
  return formula == std::end(formulas) ? "" : formula->text(point.image, point.filter.radius, point.lane.block);
}

std::vector<std::size_t> PublishedTable::baselines() const {
  std::vector<std::size_t> baselines{0};
  for (std::size_t i = 1; i < series.size(); ++i)
    if (series[i].name == "V1") baselines.push_back(i);
  return baselines;
}

std::optional<double> PublishedTable::relative(std::size_t of_series, std::size_t place, std::size_t baseline) const {
  if (unit == PublishedUnit::speedup) return std::nullopt;
  const double ratio = series[baseline].values[place] / series[of_series].values[place];
  return unit == PublishedUnit::megapixels ? 1 / ratio : ratio;
}

namespace {

// value: of a series at a place, if it is known.
template <class Value>
void add_machine(Chart& chart, const PublishedTable& table, const std::string& machine, Value value) {
  for (std::size_t s = 0; s < table.series.size(); ++s) {
    const PublishedSeries& from = table.series[s];
    if (!chart.grouped || s == 0)
      chart.series.push_back({.name = chart.grouped ? machine : fmt::format("{}, {}", from.name, machine),
                              .variant = chart.grouped ? "" : from.variant,
                              .hue = chart.grouped ? std::nullopt : std::optional(s)});
    ChartSeries& to = chart.series.back();
    for (std::size_t place = 0; place < table.places.size(); ++place) {
      const std::optional<double> y = value(s, place);
      if (!y) continue;
      to.x.push_back(static_cast<double>(chart.grouped ? s : place));
      for (std::vector<double>* all : {&to.y, &to.low, &to.high}) all->push_back(*y);
    }
  }
}

}  // namespace

Chart chart_of(const PublishedTable& table, std::span<const MachineRows> machines, BenchClock clock) {
  Chart chart{.title = table.title(), .y_title = std::string(title_of(table.unit))};
  chart.grouped = table.places.size() == 1;
  chart.joined = !chart.grouped;
  chart.ticks = table.printed;
  if (chart.grouped) {
    chart.ticks.clear();
    for (const PublishedSeries& series : table.series) chart.ticks.push_back(series.name);
  }
  add_machine(chart, table, "published",
              [&](std::size_t s, std::size_t place) { return std::optional(table.series[s].values[place]); });
  for (const MachineRows& machine : machines)
    add_machine(chart, table, machine.name, [&](std::size_t s, std::size_t place) {
      const std::optional<BenchPoint>& point = table.point(s, place);
      return point ? own_value(table, *point, machine.rows, clock) : std::nullopt;
    });
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.y.empty(); });
  set_range(chart);
  return chart;
}

const Published& published() {
  static const Published list = read_published();
  return list;
}

const PublishedGpu* find_gpu(std::string_view name) {
  const auto& gpus = published().gpus;
  const auto found = std::find_if(gpus.begin(), gpus.end(), [&](const PublishedGpu& gpu) { return gpu.name == name; });
  return found == gpus.end() ? nullptr : &*found;
}

std::string_view title_of(PublishedUnit unit) {
  constexpr std::string_view titles[] = {"µs", "ms", "times the CPU", "Mpx/s"};
  return titles[static_cast<int>(unit)];
}

std::optional<double> own_value(const PublishedTable& table, const BenchPoint& point, std::span<const BenchRow> rows,
                                BenchClock clock) {
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& r) { return r.point == point; });
  if (row == rows.end() || !row->time(clock)) return std::nullopt;
  switch (table.unit) {
    case PublishedUnit::us: return 1000 * static_cast<double>(*row->time(clock));
    case PublishedUnit::ms: return *row->time(clock);
    case PublishedUnit::speedup: return speedups_of(rows, clock)[row - rows.begin()];
    case PublishedUnit::megapixels: return row->megapixels_per_s(clock);
  }
  return std::nullopt;
}

}  // namespace conv
