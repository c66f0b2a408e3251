// Sweeps: the configurations to measure, and what came out of each.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/measure/samples.h"
#include "app/model/settings.h"

namespace conv {

// One configuration.
struct BenchPoint {
  Size2 image;
  FilterSpec filter;
  Border border = Border::replicate;
  LaneSettings lane;
  bool cold = false;  // buffers take turns, four times the L2 cache together; else the same pair again and again
  friend bool operator==(const BenchPoint&, const BenchPoint&) = default;
};
// Equal for equal points, in all versions of the program: what resuming and comparing find rows by.
std::string key_of(const BenchPoint& point);

// Measured in turns: all on the same image, filter, padding and format.
using BenchGroup = std::vector<BenchPoint>;

// What a table or a plot shows of a time.
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
  std::string id;  // of the preset; "sweep"
  std::vector<BenchGroup> groups;
  bool copies = false;  // times by BenchClock::host too
  bool adds = false;    // rows of other configurations stay; else a job's rows are those of its last run
};

struct BenchProtocol {
  int rounds = 32;  // turns of each in a group
  // Host variants take seconds: after so many rounds they have enough once their samples took this long together.
  int host_rounds = 3;  // the documents' mean of three
  float host_budget_ms = 1000;
  bool cools_down = false;  // before a group: waits while heat or power hold the GPU's clock down, 60 s at most
};

// quick: half the rounds, and host variants once.
constexpr BenchProtocol protocol_of(bool quick, bool cools_down) {
  BenchProtocol protocol;
  if (quick) protocol = {.rounds = 16, .host_rounds = 1, .host_budget_ms = 100};
  protocol.cools_down = cools_down;
  return protocol;
}

// How a time was taken.
enum class BenchClock { median, mean_of_10, host };
struct BenchClockInfo {
  BenchClock clock;
  std::string_view id, title, what;
};
inline constexpr std::array bench_clocks{
    BenchClockInfo{
        BenchClock::median, "median", "Median",
        "Event pair around replayed launches, at most 50 and about 0.5 ms of them, in turns; median of the rounds. One "
        "alone: a single launch between two events on an idle GPU, with the way to it."},
    BenchClockInfo{
        BenchClock::mean_of_10, "mean10", "Mean of 10 (S4)",
        "Ten launches after one warm-up, each between two events while the GPU is idle: their mean, as S4 took "
        "it. It holds the way to the GPU, some microseconds."},
    BenchClockInfo{BenchClock::host, "host", "Host clock with copies (S3)",
                   "Upload, kernels and download from pageable memory by the host's clock: mean of three after one "
                   "warm-up."},
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

struct BenchRow {
  std::string preset;
  BenchPoint point;
  RowState state = RowState::refused;
  std::string text;        // why there is no time
  std::string processor;   // "NVIDIA H200", "CPU executor, 2 threads", "CPU, one thread"
  bool transfers = false;  // times begin and end in host memory
  Size2 taps{1, 1};
  int launches = 1;       // of a sample
  std::vector<float> ms;  // samples, a launch each, in the order of the rounds
  OtherTimes other;
  bool less_exact = false;   // in no ranking with the others
  double max_error = 0;      // against the double-precision reference, 1 is full scale
  double checked_share = 0;  // of the result's rows
  long long compulsory_bytes = 0, transfer_bytes = 0, multiply_adds = 0;
  ClockReadings sm_clock;
  std::string date;
  // Against the baseline, in the rounds that both were in: this one's time over that one's.
  std::string baseline;  // its variant; empty for itself, and where rounds were too few to compare
  Comparison against;

  bool on_cpu() const;
  Summary summary() const;  // of the samples; only when measured
  // By that clock; nothing where it was not taken.
  std::optional<float> time(BenchClock clock) const;
  double megapixels_per_s(BenchClock clock = BenchClock::median) const;
  // Nothing where nothing is multiplied.
  std::optional<double> ns_per_multiply_add(BenchClock clock = BenchClock::median) const;
};

// By the median: of two with a time.
bool is_faster(const BenchRow* a, const BenchRow* b);

// Of the rows of a group: the first with a time of the same processor, transfers and exactness is the baseline, or a
// copy of the image before it, which is as exact as any.
void hold_against_baselines(std::span<BenchRow> group);

// "faster than global", "tie with constant, less exact", "1.044 copies (1.039 to 1.046), GPU throttling: power limit",
// with the interval of the ratio. Empty where there is nothing to say.
std::string verdict_text(const BenchRow& row);

// What the rows of a file have in common.
struct BenchEnvironment {
  std::string processor, driver, cuda;  // cuda: of the runtime, "13.0"; empty without a GPU
  int highest_mhz = 0;
  long long cache_bytes = 0;
  double bandwidth_gb_per_s = 0;  // of its memory, at the most; 0: unknown
  std::string version;            // of this program
  friend bool operator==(const BenchEnvironment&, const BenchEnvironment&) = default;
};

// What a GPU can do at most, measured.
struct Ceilings {
  double copy_gb_per_s = 0, cached_copy_gb_per_s = 0;  // read and written together; cached: within the L2 cache
  double shared_gb_per_s = 0;
  double gflop_per_s = 0;  // a multiply-add is two
  double launch_us = 0;    // of a kernel that has next to nothing to do
  long long cache_bytes = 0;
  std::string processor, date;
};

struct BenchResults {
  BenchEnvironment environment;
  std::vector<BenchRow> rows;
};

// Takes the place of the row of the same configuration, or comes behind the last one of its preset.
void put_row(std::vector<BenchRow>& rows, BenchRow row);
// Those of one preset; they stand together where put_row has put them.
std::span<const BenchRow> rows_of(std::span<const BenchRow> rows, std::string_view preset);
// All of them, preset by preset.
std::vector<std::span<const BenchRow>> by_preset(std::span<const BenchRow> rows);

// "2026-11-21 20:32:46 UTC".
std::string now_utc();

// Of the filter's matrix, without working it out.
Size2 taps_size(const FilterSpec& filter);

// "1920×1080", "5×5", "16×16", ...: the value of a dimension that points may differ in, by its name.
struct BenchDimension {
  std::string_view title;
  std::string (*text)(const BenchPoint&);
};
// "streams streams=1 host_memory=pageable": the variant with the switches that are not at their standard.
std::string lane_text(const LaneSettings& lane);
// In the order in which one becomes the axis of a plot.
std::span<const BenchDimension> bench_dimensions();
// Those in which these rows differ, without their variants.
std::vector<const BenchDimension*> dimensions_of(std::span<const BenchRow> rows);
// The variant and all else that tells it from the others at the same place of the first dimension.
std::string series_of(const BenchRow& row, std::span<const BenchDimension* const> dimensions);

// How often each goes into the time of the first series at the same place of the first dimension; nothing where either
// has no time.
std::vector<std::optional<double>> speedups_of(std::span<const BenchRow> rows, BenchClock clock);

// One row per configuration under one header; units stand in the names. `time`, in ms, and the columns around it are
// those of S2's program.
std::string csv_header();
std::string csv_line(const BenchRow& row, const BenchEnvironment& environment);
std::string markdown_table(std::span<const BenchRow> rows, const BenchEnvironment& environment, BenchClock clock);

}  // namespace conv
