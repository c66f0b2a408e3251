#include "app/measure/bench_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "app/settings_json.h"
#include "kernels/core/file.h"

using nlohmann::json;

namespace {

constexpr int file_version = 1;
constexpr std::string_view row_states[] = {"measured", "refused", "wrong"};
constexpr std::string_view outcomes[] = {"measuring", "tie", "slower", "faster"};
constexpr std::string_view tail = "\n]}\n";

// The index of the text among the words, or where there is none the value as it is.
template <class Enum, std::size_t count>
void read_word(const json& from, const char* key, const std::string_view (&words)[count], Enum& value) {
  std::string text;
  read(from, key, text);
  const auto found = std::find(std::begin(words), std::end(words), text);
  if (found != std::end(words)) value = static_cast<Enum>(found - std::begin(words));
}

json json_of(const BenchEnvironment& e) {
  return {{"processor", e.processor},     {"driver", e.driver},           {"cuda", e.cuda},
          {"highest_mhz", e.highest_mhz}, {"cache_bytes", e.cache_bytes}, {"bandwidth_gb_per_s", e.bandwidth_gb_per_s},
          {"version", e.version}};
}

BenchEnvironment environment_of(const json& from) {
  BenchEnvironment e;
  read(from, "processor", e.processor);
  read(from, "driver", e.driver);
  read(from, "cuda", e.cuda);
  read(from, "highest_mhz", e.highest_mhz);
  read(from, "cache_bytes", e.cache_bytes);
  read(from, "bandwidth_gb_per_s", e.bandwidth_gb_per_s);
  read(from, "version", e.version);
  return e;
}

json json_of(const BenchRow& row) {
  return {{"preset", row.preset},
          {"image", json_of(row.point.image)},
          {"filter", json_of(row.point.filter)},
          {"padding", json_of(row.point.border)},
          {"lane", json_of(row.point.lane)},
          {"cold", row.point.cold},
          {"state", row_states[static_cast<int>(row.state)]},
          {"text", row.text},
          {"processor", row.processor},
          {"transfers", row.transfers},
          {"taps", json_of(row.taps)},
          {"launches", row.launches},
          {"ms", row.ms},
          {"first_ms", row.first_ms},
          {"single_ms", row.single_ms},
          {"mean_of_10_ms", row.mean_of_10_ms},
          {"host_ms", row.host_ms},
          {"max_error", row.max_error},
          {"checked_share", row.checked_share},
          {"compulsory_bytes", row.compulsory_bytes},
          {"transfer_bytes", row.transfer_bytes},
          {"multiply_adds", row.multiply_adds},
          {"sm_mhz", {row.mhz_before, row.mhz_after}},
          {"throttled", row.throttled},
          {"date", row.date},
          {"baseline", row.baseline},
          {"against",
           {{"outcome", outcomes[static_cast<int>(row.against.outcome)]},
            {"ratio", row.against.ratio},
            {"low", row.against.low},
            {"high", row.against.high}}}};
}

// Nothing of a configuration that this program does not know: it would be taken for another.
std::optional<BenchRow> row_of(const json& from) {
  BenchRow row;
  read(from, "preset", row.preset);
  read_size(from, "image", row.point.image);
  read_filter(from.value("filter", json::object()), row.point.filter);
  read_border(from, "padding", row.point.border);
  read_lane(from.value("lane", json::object()), row.point.lane);
  read(from, "cold", row.point.cold);
  for (const char* part : {"image", "filter", "padding", "lane"})
    if (!from.contains(part)) return std::nullopt;
  if (json_of(row.point.image) != from["image"] || json_of(row.point.filter) != from["filter"] ||
      json_of(row.point.border) != from["padding"] || json_of(row.point.lane) != from["lane"])
    return std::nullopt;
  read_word(from, "state", row_states, row.state);
  read(from, "text", row.text);
  read(from, "processor", row.processor);
  read(from, "transfers", row.transfers);
  read_size(from, "taps", row.taps);
  read(from, "launches", row.launches);
  read(from, "ms", row.ms);
  if (row.ms.empty() && row.state == RowState::measured) row.state = RowState::refused;
  read(from, "first_ms", row.first_ms);
  read(from, "single_ms", row.single_ms);
  read(from, "mean_of_10_ms", row.mean_of_10_ms);
  read(from, "host_ms", row.host_ms);
  read(from, "max_error", row.max_error);
  read(from, "checked_share", row.checked_share);
  read(from, "compulsory_bytes", row.compulsory_bytes);
  read(from, "transfer_bytes", row.transfer_bytes);
  read(from, "multiply_adds", row.multiply_adds);
  std::array<int, 2> mhz{};
  read(from, "sm_mhz", mhz);
  row.mhz_before = mhz[0];
  row.mhz_after = mhz[1];
  read(from, "throttled", row.throttled);
  read(from, "date", row.date);
  read(from, "baseline", row.baseline);
  const json against = from.value("against", json::object());
  read_word(against, "outcome", outcomes, row.against.outcome);
  read(against, "ratio", row.against.ratio);
  read(against, "low", row.against.low);
  read(against, "high", row.against.high);
  return row;
}

// Rows stand on lines of their own, so that what was cut off can be found.
Result<BenchResults> results_of(const std::string& path, std::string text) {
  json all = json::parse(text, nullptr, false);
  if (all.is_discarded()) {
    const std::size_t last = text.rfind("},\n");
    text.resize(last == std::string::npos ? text.find('[') + 1 : last + 1);
    all = json::parse(text + "]}", nullptr, false);
  }
  if (!all.is_object() || !all.contains("convoscope_bench") || !all["convoscope_bench"].is_number_integer())
    return failure(path + ": no results of convoscope bench");
  if (const int version = all["convoscope_bench"]; version > file_version)
    return failure(fmt::format("{}: made by a newer Convoscope (version {} of such files, this one reads {})", path,
                               version, file_version));
  BenchResults results{environment_of(all.value("environment", json::object())), {}};
  for (const json& row : all.value("rows", json::array()))
    if (auto known = row.is_object() ? row_of(row) : std::nullopt) put_row(results.rows, std::move(*known));
  return results;
}

}  // namespace

Result<BenchResults> read_results(const std::string& path) {
  std::optional<std::string> text = read_file(path);
  if (!text) return failure(path + ": cannot be read");
  return results_of(path, std::move(*text));
}

Result<BenchFile> BenchFile::open(const std::string& path, const BenchEnvironment& environment, bool resume) {
  BenchFile file;
  file.path_ = path;
  std::vector<BenchRow> held;
  if (resume && std::ifstream(path).good()) {
    Result<BenchResults> results = read_results(path);
    if (!results) return tl::unexpected(results.error());
    if (results->environment != environment)
      return failure(fmt::format("{}: was measured on {} (driver {}, version {}); --resume needs the same", path,
                                 results->environment.processor, results->environment.driver,
                                 results->environment.version));
    held = std::move(results->rows);
  }
  // What is there stays until all of it is in the new file.
  const std::string beside = path + ".new";
  file.file_.open(beside, std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
  if (!file.file_) return failure(path + ": cannot be written");
  file.file_ << json{{"convoscope_bench", file_version}, {"environment", json_of(environment)}}.dump();
  file.file_.seekp(-1, std::ios::cur);  // before the closing brace
  file.file_ << ", \"rows\": [" << tail << std::flush;
  for (const BenchRow& row : held)
    if (auto added = file.add(row); !added) return tl::unexpected(added.error());
  file.rows_ = std::move(held);
  std::error_code error;
  std::filesystem::rename(beside, path, error);
  if (!file.file_ || error) return failure(path + ": cannot be written; it is as it was");
  return file;
}

Result<void> BenchFile::add(const BenchRow& row) {
  file_.seekp(-static_cast<std::streamoff>(tail.size()), std::ios::end);
  const std::string text = (empty_ ? "\n" : ",\n") + json_of(row).dump() + std::string(tail);
  file_.write(text.data(), static_cast<std::streamsize>(text.size()));
  file_.flush();
  empty_ = false;
  if (!file_) return failure(path_ + ": cannot be written; the rows before are kept");
  return {};
}

Result<void> write_ceilings(const std::string& path, const Ceilings& c) {
  const json all{{"processor", c.processor},
                 {"date", c.date},
                 {"copy_gb_per_s", c.copy_gb_per_s},
                 {"cached_copy_gb_per_s", c.cached_copy_gb_per_s},
                 {"shared_gb_per_s", c.shared_gb_per_s},
                 {"gflop_per_s", c.gflop_per_s},
                 {"cache_bytes", c.cache_bytes}};
  return write_file(path, all.dump(2) + "\n");
}

std::optional<Ceilings> read_ceilings(const std::string& path) {
  const json all = json::parse(read_file(path).value_or(""), nullptr, false);
  if (!all.is_object()) return std::nullopt;
  Ceilings c;
  read(all, "processor", c.processor);
  read(all, "date", c.date);
  read(all, "copy_gb_per_s", c.copy_gb_per_s);
  read(all, "cached_copy_gb_per_s", c.cached_copy_gb_per_s);
  read(all, "shared_gb_per_s", c.shared_gb_per_s);
  read(all, "gflop_per_s", c.gflop_per_s);
  read(all, "cache_bytes", c.cache_bytes);
  const bool whole = c.copy_gb_per_s > 0 && c.cached_copy_gb_per_s > 0 && c.shared_gb_per_s > 0 && c.gflop_per_s > 0 &&
                     c.cache_bytes > 0;
  return whole ? std::optional(c) : std::nullopt;
}

// The interval of new over old when both are drawn again from their own samples.
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
  constexpr std::size_t fewest = 16;  // samples that an interval can be told of
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
