#include "app/measure/bench_json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "app/model/settings_json.h"
#include "kernels/core/file.h"
#include "kernels/ops/peers.h"

namespace conv {

using nlohmann::json;

namespace {

constexpr int file_version = 1;
// A file may be anyone's. Our own have hundreds of rows of 16 to 64 samples.
constexpr std::size_t most_rows = 20'000, most_samples = 10'000;
constexpr std::string_view tail = "\n]}\n";

// The index of the text among the words; if there is none, the value unchanged.
template <class Enum, std::size_t count>
void read_word(const json& from, const char* key, const std::string_view (&words)[count], Enum& value) {
  std::string text;
  read(from, key, text);
  const auto found = std::find(std::begin(words), std::end(words), text);
  if (found != std::end(words)) value = static_cast<Enum>(found - std::begin(words));
}

// The named fields of each structure, for writing and for reading.
template <class Environment, class Visit>
void visit_environment(Environment& e, Visit visit) {
  visit("processor", e.processor);
  visit("driver", e.driver);
  visit("cuda", e.cuda);
  visit("highest_mhz", e.highest_mhz);
  visit("cache_bytes", e.cache_bytes);
  visit("bandwidth_gb_per_s", e.bandwidth_gb_per_s);
  visit("version", e.version);
}

template <class Roofs, class Visit>
void visit_ceilings(Roofs& c, Visit visit) {
  visit("processor", c.processor);
  visit("date", c.date);
  visit("copy_gb_per_s", c.copy_gb_per_s);
  visit("cached_copy_gb_per_s", c.cached_copy_gb_per_s);
  visit("shared_gb_per_s", c.shared_gb_per_s);
  visit("gflop_per_s", c.gflop_per_s);
  visit("launch_us", c.launch_us);
  visit("cache_bytes", c.cache_bytes);
}

// The fields of a row that are numbers and texts.
template <class Row, class Visit>
void visit_row(Row& row, Visit visit) {
  visit("preset", row.preset);
  visit("cold", row.point.cold);
  visit("text", row.text);
  visit("processor", row.processor);
  visit("transfers", row.transfers);
  visit("launches", row.launches);
  visit("ms", row.ms);
  visit("first_ms", row.other.first_ms);
  visit("single_ms", row.other.single_ms);
  visit("mean_of_10_ms", row.other.mean_of_10_ms);
  visit("host_ms", row.other.host_ms);
  visit("less_exact", row.less_exact);
  visit("max_error", row.max_error);
  visit("checked_share", row.checked_share);
  visit("compulsory_bytes", row.compulsory_bytes);
  visit("transfer_bytes", row.transfer_bytes);
  visit("multiply_adds", row.multiply_adds);
  visit("rounds_thrown_away", row.sm_clock.rounds_thrown_away);
  visit("throttled", row.sm_clock.throttled);
  visit("date", row.date);
  visit("baseline", row.baseline);
}

auto into(json& to) {
  return [&to](const char* key, const auto& value) { to[key] = value; };
}
auto out_of(const json& from) {
  return [&from](const char* key, auto& value) { read(from, key, value); };
}

using conv::json_of;
json json_of(const BenchEnvironment& environment) {
  json all;
  visit_environment(environment, into(all));
  return all;
}

json json_of(const BenchRow& row) {
  json all{{"image", json_of(row.point.image)},
           {"filter", json_of(row.point.filter)},
           {"padding", json_of(row.point.border)},
           {"lane", json_of(row.point.lane)},
           {"state", row_states[static_cast<int>(row.state)]},
           {"taps", json_of(row.taps)},
           {"sm_mhz", {row.sm_clock.mhz_before, row.sm_clock.mhz_after}},
           {"against",
            {{"outcome", outcome_words[static_cast<int>(row.against.outcome)]},
             {"ratio", row.against.ratio},
             {"low", row.against.low},
             {"high", row.against.high}}}};
  visit_row(row, into(all));
  return all;
}

// Nothing for a configuration that this program does not know: it would be taken for another.
std::optional<BenchRow> row_of(const json& from) {
  BenchRow row;
  visit_row(row, out_of(from));
  read(from, "image", row.point.image);
  read(from, "filter", row.point.filter);
  read(from, "padding", row.point.border);
  const json lane = object_in(from, "lane");
  take(lane, row.point.lane);
  std::string variant;
  read(lane, "variant", variant);
  if (find_peer(variant)) row.point.lane.variant = variant;
  for (const char* part : {"image", "filter", "padding", "lane"})
    if (!from.contains(part)) return std::nullopt;
  if (json_of(row.point.image) != from["image"] || json_of(row.point.filter) != from["filter"] ||
      json_of(row.point.border) != from["padding"] || json_of(row.point.lane) != from["lane"])
    return std::nullopt;
  if (!why_invalid(row.point.filter).empty()) return std::nullopt;
  read_word(from, "state", row_states, row.state);
  if (row.ms.size() > most_samples || std::ranges::any_of(row.ms, [](float ms) { return ms <= 0; }))
    return std::nullopt;
  if (row.ms.empty() && row.state == RowState::measured) row.state = RowState::refused;
  read(from, "taps", row.taps);
  std::array<int, 2> mhz{};
  read(from, "sm_mhz", mhz);
  row.sm_clock.mhz_before = mhz[0];
  row.sm_clock.mhz_after = mhz[1];
  const json against = object_in(from, "against");
  read_word(against, "outcome", outcome_words, row.against.outcome);
  read(against, "ratio", row.against.ratio);
  read(against, "low", row.against.low);
  read(against, "high", row.against.high);
  return row;
}

}  // namespace

std::filesystem::path results_folder() {
  const std::filesystem::path folder = config_folder();
  return folder.empty() ? folder : folder / "results";
}

std::string folder_of(std::string processor) {
  std::replace_if(
      processor.begin(), processor.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return processor;
}

// Each row is on its own line, so that an incomplete one can be found.
Result<BenchResults> results_of(const std::string& path, std::string text) {
  json all = parse_json(text).value_or(json());
  if (all.is_null()) {
    const std::size_t last = text.rfind("},\n");
    text.resize(last == std::string::npos ? text.find('[') + 1 : last + 1);
    all = parse_json(text + "]}").value_or(json());
  }
  std::int64_t version = 0;
  read(all, "convoscope_bench", version);
  if (version < 1) return failure(path + ": not a results file of convoscope bench");
  if (version > file_version)
    return failure(fmt::format("{}: made by a newer Convoscope (version {} of such files, this one reads {})", path,
                               version, file_version));
  BenchResults results;
  const json environment = object_in(all, "environment");
  visit_environment(results.environment, out_of(environment));
  std::vector<json> rows;
  read(all, "rows", rows);
  if (rows.size() > most_rows)
    return failure(fmt::format("{}: has {} rows; at most {} can be read", path, rows.size(), most_rows));
  for (const json& row : rows)
    if (auto known = row_of(row)) put_row(results.rows, std::move(*known));
  return results;
}

bool is_results_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string begin(256, 0);
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin.find("\"convoscope_bench\"") != std::string::npos;
}

Result<BenchResults> read_results(const std::string& path) {
  std::string text = CONV_TRY(read_file(path));
  return results_of(path, std::move(text));
}

Result<BenchFile> BenchFile::open(const std::string& path, const BenchEnvironment& environment, bool resume) {
  if (!resume || !file_exists(path)) return create(path, environment, {});
  BenchResults results = CONV_TRY(read_results(path));
  if (results.environment != environment)
    return failure(fmt::format("{}: was measured on {} (driver {}, version {}); --resume needs the same", path,
                               results.environment.processor, results.environment.driver, results.environment.version));
  return create(path, environment, std::move(results.rows));
}

Result<BenchFile> BenchFile::create(const std::string& path, const BenchEnvironment& environment,
                                    std::vector<BenchRow> rows) {
  std::string text = json{{"convoscope_bench", file_version}, {"environment", json_of(environment)}}.dump();
  text.pop_back();  // the closing brace
  text += ", \"rows\": [";
  for (const BenchRow& row : rows) text += (&row == rows.data() ? "\n" : ",\n") + json_of(row).dump();
  // The old file remains until the new one is complete.
  CONV_TRY(write_file(path, text + std::string(tail)));
  BenchFile file;
  file.path_ = path;
  file.file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.file_.is_open()) return failure(path + ": cannot be written");
  file.end_ = static_cast<long long>(text.size());
  file.empty_ = rows.empty();
  file.rows_ = std::move(rows);
  return file;
}

Result<void> BenchFile::add(const BenchRow& row) {
  const std::string text = (empty_ ? "\n" : ",\n") + json_of(row).dump();
  const std::string whole = text + std::string(tail);
  if (::pwrite(file_.number(), whole.data(), whole.size(), end_) == static_cast<ssize_t>(whole.size())) {
    end_ += static_cast<long long>(text.size());
    empty_ = false;
    return {};
  }
  // The disk is full: truncates the file to its former end, which needs no space.
  const bool mended = ::pwrite(file_.number(), tail.data(), tail.size(), end_) == static_cast<ssize_t>(tail.size()) &&
                      ::ftruncate(file_.number(), end_ + static_cast<long long>(tail.size())) == 0;
  return failure(
      fmt::format("{}: cannot be written (is the disk full?){}", path_, mended ? "; the rows before are kept" : ""));
}

Result<void> write_ceilings(const std::string& path, const Ceilings& c) {
  json all;
  visit_ceilings(c, into(all));
  return write_file(path, all.dump(2) + "\n");
}

std::optional<Ceilings> read_ceilings(const std::string& path) {
  return ceilings_of(read_file(path).value_or(""));
}

std::optional<Ceilings> ceilings_of(std::string_view text) {
  const json all = parse_json(text).value_or(json());
  Ceilings c;
  visit_ceilings(c, out_of(all));
  const bool whole = c.copy_gb_per_s > 0 && c.cached_copy_gb_per_s > 0 && c.shared_gb_per_s > 0 && c.gflop_per_s > 0 &&
                     c.launch_us > 0 && c.cache_bytes > 0;
  return whole ? std::optional(c) : std::nullopt;
}

// The interval of new / old, both resampled from their own samples.
static BenchChange change_of(const BenchRow& before, const BenchRow& after, double within) {
  constexpr int draws = 1000;
  std::mt19937 random(42);
  const auto drawn = [&](const std::vector<float>& samples) {
    std::vector<float> again;
    for (std::size_t i = 0; i < samples.size(); ++i) again.push_back(samples[random() % samples.size()]);
    return summary_of(std::move(again))->median;
  };
  std::vector<float> ratios;
  for (int i = 0; i < draws; ++i) ratios.push_back(drawn(after.ms) / drawn(before.ms));
  std::sort(ratios.begin(), ratios.end());
  BenchChange change{.before = &before,
                     .after = &after,
                     .ratio = after.summary().median / before.summary().median,
                     .low = quantile(ratios, 0.025f),
                     .high = quantile(ratios, 0.975f)};
  if (change.low > 1 + within) change.outcome = BenchChange::Outcome::slower;
  if (change.high < 1 - within) change.outcome = BenchChange::Outcome::faster;
  return change;
}

std::vector<BenchChange> changes_between(const BenchResults& before, const BenchResults& after, double within) {
  std::map<std::pair<std::string, std::string>, const BenchRow*> old;
  for (const BenchRow& row : before.rows)
    if (row.state == RowState::measured) old[{row.preset, key_of(row.point)}] = &row;
  std::vector<BenchChange> changes;
  constexpr std::size_t fewest = 16;  // samples needed for an interval
  for (const BenchRow& row : after.rows) {
    const auto found = old.find({row.preset, key_of(row.point)});
    if (found == old.end()) continue;
    if (row.state != RowState::measured)
      changes.push_back({.before = found->second, .after = &row, .outcome = BenchChange::Outcome::lost});
    else if (std::min(row.ms.size(), found->second->ms.size()) < fewest)
      changes.push_back({.before = found->second, .after = &row, .outcome = BenchChange::Outcome::too_few});
    else
      changes.push_back(change_of(*found->second, row, within));
  }
  return changes;
}

}  // namespace conv
