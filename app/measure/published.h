// The documents' own numbers, and what is wrong with some of them: assets/published.json.
#pragma once
#include "app/measure/bench.h"

namespace conv {

struct PublishedSeries {
  std::string name, variant;  // as the document calls it; which of ours it is
  std::optional<PixelType> format;
  std::optional<SwitchValues> switches;
  std::vector<double> values;  // one for each place
};
enum class PublishedUnit { us, ms, speedup, megapixels };
struct PublishedTable {
  std::string source, table, gpu, preset, includes;
  int row = 0;  // of SEEDS
  PublishedUnit unit = PublishedUnit::ms;
  bool beside = false;               // not in the document, but in its author's public material
  std::vector<std::string> places;   // as the preset's axis names them
  std::vector<std::string> printed;  // as the document does
  std::vector<PublishedSeries> series;
  // The configuration that a series' value at a place was measured on, series by series; nothing where the preset lacks
  // it.
  std::vector<std::optional<BenchPoint>> points;
  const std::optional<BenchPoint>& point(std::size_t of_series, std::size_t place) const {
    return points[of_series * places.size() + place];
  }
  // What the auditor says: the baseline in ns per multiply-add, the share of the GPU's bandwidth, what no bus could
  // carry. Worked out from the numbers.
  std::vector<std::string> audit;
  std::string title() const;
};
struct PublishedGpu {
  std::string name, source, architecture;
  int cores = 0, multiprocessors = 0;
  double memory_gb = 0, bandwidth_gb_per_s = 0, shared_kb = 0;
};
struct PublishedClaim {
  std::string source, says, ours;  // ours: the same worked out; empty where there is nothing to
};
struct Erratum {
  int row = 0;
  std::string source, wrong, exhibit;
};
struct Published {
  std::vector<PublishedTable> tables;
  std::vector<PublishedGpu> gpus;
  std::vector<PublishedClaim> claims;
  std::vector<Erratum> errata;
};
// Built in; tests hold the file against its schema.
const Published& published();
const PublishedGpu* find_gpu(std::string_view name);

std::string_view title_of(PublishedUnit unit);

// Ours of the same configuration among rows of that preset, in the table's unit; nothing while it is not measured.
std::optional<double> own_value(const PublishedTable& table, const BenchPoint& point, std::span<const BenchRow> rows,
                                BenchClock clock);
// The image read once and written once.
double bytes_of(const BenchPoint& point);
// Milliseconds of a number that is a time, or a rate of pixels; nothing of a speedup.
std::optional<double> ms_of(const PublishedTable& table, double value, const BenchPoint& point);

}  // namespace conv
