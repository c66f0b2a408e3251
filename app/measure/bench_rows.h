// Sweeps: the configurations to measure, and the results.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/measure/time_samples.h"
#include "app/model/settings.h"

namespace conv {

// One configuration.
struct BenchPoint {
  Size2 image;
  FilterSpec filter;
  Border border = Border::replicate;
  LaneSettings lane;
  bool cold = false;  // rotate buffers that together are four times the L2 cache; otherwise always use the same pair
  friend bool operator==(const BenchPoint&, const BenchPoint&) = default;
};
// Equal for equal points, in all versions of the program. Resuming and comparing find rows by it.
std::string key_of(const BenchPoint& point);

// Points measured in turns: all with the same image, filter, padding and format.
using BenchGroup = std::vector<BenchPoint>;

// The quantity that a table or a plot shows.
enum class BenchValue { ms, speedup, megapixels };
struct BenchValueInfo {
  BenchValue value;
  std::string_view id, title;
};
inline constexpr std::array bench_values{
    BenchValueInfo{BenchValue::ms, "ms", "ms"},
    BenchValueInfo{BenchValue::speedup, "speedup", "times the first line"},
    BenchValueInfo{BenchValue::megapixels, "megapixels", "Mpx/s"},
};

struct BenchJob {
  std::string id;  // the preset's id, or "sweep"
  std::vector<BenchGroup> groups;
  bool copies = false;  // also times by BenchClock::host
  bool adds = false;    // rows of other configurations are kept; otherwise a job's rows are those of its last run
};

struct BenchProtocol {
  int rounds = 32;  // turns of each point in a group
  // Host variants take seconds: they stop after this many rounds once their samples took this long together.
  int host_rounds = 3;  // the documents take the mean of three
  float host_budget_ms = 1000;
  bool cools_down = false;  // before a group: wait while the GPU is throttling, at most 60 s
};

// quick: half the rounds, and host variants once.
constexpr BenchProtocol protocol_of(bool quick, bool cools_down) {
  BenchProtocol protocol;
  if (quick) protocol = {.rounds = 16, .host_rounds = 1, .host_budget_ms = 100};
  protocol.cools_down = cools_down;
  return protocol;
}

// How a time was measured.
enum class BenchClock { median, mean_of_10, host };
struct BenchClockInfo {
  BenchClock clock;
  std::string_view id, title, what;
};
inline constexpr std::array bench_clocks{
    BenchClockInfo{
        BenchClock::median, "median", "Median",
        "An event pair around replayed launches (at most 50, about 0.5 ms), in turns; the median of the rounds. Single "
        "launch: one launch between two events on an idle GPU, which includes the launch overhead."},
    BenchClockInfo{BenchClock::mean_of_10, "mean10", "Mean of 10 runs",
                   "The mean of ten launches after one warm-up, each between two events on an idle GPU, as S4 "
                   "measured. It includes the launch overhead of some microseconds."},
    BenchClockInfo{
        BenchClock::host, "host", "Host clock, with copies",
        "Upload, kernels and download with pageable memory, by the host's clock: the mean of three after one warm-up."},
};

enum class RowState { measured, refused, wrong };
inline constexpr std::string_view row_states[] = {"measured", "refused", "wrong"};
// Times by other clocks than the samples; 0: not measured.
struct OtherTimes {
  float first_ms = 0;       // the very first launch
  float single_ms = 0;      // median of the ten launches of BenchClock::mean_of_10
  float mean_of_10_ms = 0;  // BenchClock::mean_of_10
  float host_ms = 0;        // BenchClock::host
};

struct ClockReadings {
  int mhz_before = 0, mhz_after = 0;  // of the multiprocessors; 0: unknown
  int rounds_thrown_away = 0;         // because the clock changed
  std::string throttled;              // why the GPU was throttling; empty: it was not
};

// Processors of rows measured on the host: the words that their names begin with, and the name for one thread.
inline constexpr std::string_view cpu_processor = "CPU", cpu_one_thread = "CPU, one thread";

// Comparison::Outcome of a row's time (b) with its baseline's (a).
inline constexpr std::string_view outcome_words[] = {"measuring", "tie", "slower", "faster"};

struct BenchRow {
  std::string preset;
  BenchPoint point;
  RowState state = RowState::refused;
  std::string text;        // why it has no time
  std::string processor;   // "NVIDIA H200", "CPU executor, 2 threads", "CPU, one thread"
  bool transfers = false;  // times begin and end in host memory
  Size2 taps{1, 1};
  int launches = 1;       // per sample
  std::vector<float> ms;  // one sample per round, in order; each is the time of one launch
  OtherTimes other;
  bool less_exact = false;   // not ranked with the others
  double max_error = 0;      // compared with the double-precision reference; 1 is full scale
  double checked_share = 0;  // share of the result's rows that were compared
  long long compulsory_bytes = 0, transfer_bytes = 0, multiply_adds = 0;
  ClockReadings sm_clock;
  std::string date;
  std::string elsewhere;  // "NVIDIA H200, 2026-11-21": of shipped results or a file; empty: measured on this machine
  // Comparison with the baseline, over the rounds that both were in: this time / baseline time.
  std::string baseline;  // its variant; empty for the baseline itself, or if there were too few rounds
  Comparison against;

  bool on_cpu() const;
  Summary summary() const;  // of the samples; only if measured
  // The time by this clock; nothing if it was not taken.
  std::optional<float> time(BenchClock clock) const;
  double megapixels_per_s(BenchClock clock = BenchClock::median) const;
  // Nothing if nothing is multiplied.
  std::optional<double> ns_per_multiply_add(BenchClock clock = BenchClock::median) const;
};

// Compares the medians of two rows that have times.
bool is_faster(const BenchRow* a, const BenchRow* b);

// Sets the baseline of a group's rows: the first row with a time and the same processor, transfers and exactness, or
// before it a copy of the image, which is as exact as any.
void compare_with_baselines(std::span<BenchRow> group);

// What the rows of a file have in common.
struct BenchEnvironment {
  std::string processor, driver, cuda;  // cuda: runtime version, "13.0"; empty without a GPU
  int highest_mhz = 0;
  long long cache_bytes = 0;
  double bandwidth_gb_per_s = 0;  // highest memory rate; 0: unknown
  std::string version;            // of this program
  friend bool operator==(const BenchEnvironment&, const BenchEnvironment&) = default;
};

// The highest rates of a GPU, measured.
struct Ceilings {
  double copy_gb_per_s = 0, cached_copy_gb_per_s = 0;  // bytes read plus bytes written; cached: within the L2 cache
  double shared_gb_per_s = 0;
  double gflop_per_s = 0;  // a multiply-add counts as two
  double launch_us = 0;    // of a kernel that does almost nothing
  long long cache_bytes = 0;
  std::string processor, date;
};

struct BenchResults {
  BenchEnvironment environment;
  std::vector<BenchRow> rows;
};

// Replaces the row of the same configuration, or is added after the last row of its preset.
void put_row(std::vector<BenchRow>& rows, BenchRow row);
// The rows of one preset; put_row keeps them together.
std::span<const BenchRow> rows_of(std::span<const BenchRow> rows, std::string_view preset);
// All rows, preset by preset.
std::vector<std::span<const BenchRow>> by_preset(std::span<const BenchRow> rows);

// "2026-11-21 20:32:46 UTC".
std::string now_utc();

// The size of the filter's matrix, without computing it.
Size2 taps_size(const FilterSpec& filter);

// "1920×1080", "5×5", "16×16", ...: the value of a dimension in which rows may differ.
struct BenchDimension {
  std::string_view title;
  std::string (*text)(const BenchRow&);
  bool grows = false;  // its values are more or less of something, so a line between them has a meaning
};
// "fixed_size=published unroll=0": the switches that are not at their standard value.
std::string switches_text(const BenchPoint& point);
// "streams streams=1 host_memory=pageable": the variant with its non-standard switches.
std::string lane_text(const LaneSettings& lane);
// In order of priority as the axis of a plot.
std::span<const BenchDimension> bench_dimensions();
// The dimensions in which these rows differ, not counting the variant.
std::vector<const BenchDimension*> dimensions_of(std::span<const BenchRow> rows);
// The variant, and everything that distinguishes the row from others at the same value of the first dimension.
std::string series_of(const BenchRow& row, std::span<const BenchDimension* const> dimensions);

// Which rows belong to the first series of their machine.
std::vector<bool> baselines_of(std::span<const BenchRow> rows);
// The speedups over the first series of the same machine at the same value of the first dimension; nothing if one of
// them has no time.
std::vector<std::optional<double>> speedups_of(std::span<const BenchRow> rows, BenchClock clock);

}  // namespace conv
