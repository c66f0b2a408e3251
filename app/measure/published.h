// The documents' own numbers, and the errors in some of them: assets/published.json.
#pragma once
#include "app/measure/bench_rows.h"
#include "app/measure/chart.h"

namespace conv {

struct PublishedSeries {
  std::string name, variant;  // as the document calls it; the id of our variant
  std::optional<PixelType> format;
  std::optional<SwitchValues> switches;
  std::vector<double> values;  // one per place
};
enum class PublishedUnit { us, ms, speedup, megapixels };
struct PublishedTable {
  std::string source, table, gpu, preset, includes;
  int row = 0;  // number in the checklist
  PublishedUnit unit = PublishedUnit::ms;
  bool beside = false;               // not in the document, but in its author's public material
  std::vector<std::string> places;   // as the preset's axis names them
  std::vector<std::string> printed;  // as the document prints them
  std::vector<PublishedSeries> series;
  // The configuration of each series' value at a place; nothing if the preset lacks it.
  std::vector<std::optional<BenchPoint>> points;
  const std::optional<BenchPoint>& point(std::size_t of_series, std::size_t place) const {
    return points[of_series * places.size() + place];
  }
  // Remarks computed from the numbers: the baseline in ns per multiply-add, the share of the GPU's bandwidth, rates
  // that no bus can reach.
  std::vector<std::string> audit;
  std::string title() const;
  // Series that the others are compared with: the first, and that of the simplest kernel, V1, if it is another.
  std::vector<std::size_t> baselines() const;
  // How many times as fast as that baseline the series is at this place; nothing for speedups.
  std::optional<double> relative(std::size_t of_series, std::size_t place, std::size_t baseline) const;
};
struct PublishedGpu {
  std::string name, source, architecture;
  int cores = 0, multiprocessors = 0;
  double memory_gb = 0, bandwidth_gb_per_s = 0, shared_kb = 0;
};
struct PublishedClaim {
  std::string source, says, ours;  // ours: the same, computed; empty if there is nothing to compute
  std::string formula;             // id of what computes it for other settings; empty: nothing does
};
// The claim's number for this setting, worked out: "2 (2R+1) = 30 instead of 225". Empty without a formula.
std::string text_for(const PublishedClaim& claim, const BenchPoint& point);
struct Erratum {
  int row = 0;
  std::string source, wrong, exhibit;
  std::vector<double> right;  // the right numbers, if they are not in the text
};
struct Published {
  std::vector<PublishedTable> tables;
  std::vector<PublishedGpu> gpus;
  std::vector<PublishedClaim> claims;
  std::vector<Erratum> errata;
  std::vector<std::string_view> without_table;  // documents that have claims or errors, but no table: their ids
};
// Built in; tests check the file against its schema.
const Published& published();
const PublishedGpu* find_gpu(std::string_view name);

std::string_view title_of(PublishedUnit unit);

// Our value of the same configuration, from the rows of that preset, in the table's unit; nothing if it was not
// measured.
std::optional<double> own_value(const PublishedTable& table, const BenchPoint& point, std::span<const BenchRow> rows,
                                BenchClock clock);
// The table as a plot: its numbers, and those that other machines measured for the same points. A line for each series
// and machine; a table with one place has a group of bars for each series.
struct MachineRows {
  std::string name;  // "yours"
  std::span<const BenchRow> rows;
};
Chart chart_of(const PublishedTable& table, std::span<const MachineRows> machines, BenchClock clock);
// Bytes of the image, read once and written once.
double bytes_of(const BenchPoint& point);
// Milliseconds for a number that is a time or a pixel rate; nothing for a speedup.
std::optional<double> ms_of(const PublishedTable& table, double value, const BenchPoint& point);

}  // namespace conv
