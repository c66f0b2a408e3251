#include "app/jobs/bench_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "app/measure/bench_json.h"
#include "app/measure/engine.h"
#include "app/measure/rankings.h"

namespace conv {

namespace fs = std::filesystem;

fs::path BenchRunner::place() const {
  return folder_ / folder_of(status().results->environment.processor);
}

static constexpr const char* ceilings_name = "ceilings.json";

static fs::path part_of(const fs::path& file) {
  return file.string() + ".part";
}

BenchStatus BenchRunner::status() const {
  const bool running = worker_.busy();  // asked first: what has ended has set all of its status
  const std::lock_guard lock(mutex_);
  BenchStatus status = status_;
  status.running = running;
  if (!running) status.error = worker_.error();
  return status;
}

void BenchRunner::load(const std::string& processor) {
  if (status().running || status().results->environment.processor == processor) return;
  auto results = std::make_shared<BenchResults>();
  results->environment.processor = processor;
  {
    const std::lock_guard lock(mutex_);
    status_.results = results;
  }
  auto loaded = std::make_shared<BenchResults>(*results);
  fs::file_time_type newest = fs::file_time_type::min();
  std::error_code error;
  std::vector<fs::path> files;
  if (!folder_.empty())
    for (const auto& entry : fs::directory_iterator(place(), error))
      if (entry.path().filename() != ceilings_name) files.push_back(entry.path());
  std::sort(files.begin(),
            files.end());  // rows of an interrupted run come after the older rows of the same configuration
  for (const fs::path& file : files) {
    auto kept = read_results(file);
    if (!kept || kept->environment.processor != processor) continue;
    const fs::file_time_type written = fs::last_write_time(file, error);
    // Another driver or version has different times: the newest file counts.
    if (kept->environment != loaded->environment) {
      if (!error && written < newest) continue;
      loaded->rows.clear();
      loaded->environment = kept->environment;
    }
    newest = std::max(newest, written);
    if (file.extension() == ".part")  // it contains all rows of the preset that should be kept
      std::erase_if(loaded->rows, [&](const BenchRow& row) { return row.preset == file.stem().stem(); });
    for (BenchRow& row : kept->rows) put_row(loaded->rows, std::move(row));
  }
  const auto ceilings = folder_.empty() ? std::nullopt : read_ceilings(place() / ceilings_name);
  const std::lock_guard lock(mutex_);
  status_.results = std::move(loaded);
  status_.ceilings = ceilings;
}

void BenchRunner::begin(Run run) {
  if (worker_.busy()) return;
  {
    const std::lock_guard lock(mutex_);
    status_.doing.clear();
    status_.done = status_.total = 0;
    status_.started = std::chrono::steady_clock::now();
    for (const BenchJob& job : run.jobs)
      for (const BenchGroup& group : job.groups) status_.total += static_cast<int>(group.size());
  }
  worker_.start(std::make_shared<const Run>(std::move(run)));
}

void BenchRunner::measure_ceilings() {
  begin({{}, DeviceChoice::gpu, {}});
}

void BenchRunner::start(std::vector<BenchJob> jobs, DeviceChoice device, BenchProtocol protocol) {
  if (!jobs.empty()) begin({std::move(jobs), device, protocol});
}

Result<std::monostate> BenchRunner::run(const Run& run, const std::stop_token& stop) {
  CONV_TRY(run.jobs.empty() ? find_ceilings() : run_jobs(run, stop));
  return std::monostate{};
}

Result<void> BenchRunner::find_ceilings() {
  Processor processor = CONV_TRY(Processor::create(DeviceChoice::gpu));
  BenchEngine engine(processor);
  const Ceilings ceilings = CONV_TRY(engine.ceilings());
  {
    const std::lock_guard lock(mutex_);
    status_.ceilings = ceilings;
  }
  if (folder_.empty()) return {};
  std::error_code error;
  fs::create_directories(place(), error);
  return write_ceilings(place() / ceilings_name, ceilings);
}

Result<void> BenchRunner::run_jobs(const Run& run, const std::stop_token& stop) {
  Processor processor = CONV_TRY(Processor::create(run.device));
  BenchEngine engine(processor, run.protocol);
  engine.on_waiting([this](std::string_view what) {
    const std::lock_guard lock(mutex_);
    status_.doing = what;
  });
  {
    const BenchEnvironment environment = engine.environment();
    const std::lock_guard lock(mutex_);
    auto results = std::make_shared<BenchResults>(*status_.results);
    if (results->environment != environment) results->rows.clear();  // measured with another driver or version
    results->environment = environment;
    status_.results = std::move(results);
  }
  processor.set_rankings(rankings_of(status().results->rows));
  for (const BenchJob& job : run.jobs)
    if (!stop.stop_requested()) CONV_TRY(run_one(engine, job, stop));
  return {};
}

// New rows go to a file beside the old one and replace it at the end, together with the old rows that were not measured
// again.
Result<void> BenchRunner::run_one(BenchEngine& engine, const BenchJob& job, const std::stop_token& stop) {
  const fs::path file = place() / (job.id + ".json");
  const auto held = [&] {
    const auto results = status().results;
    const auto rows = rows_of(results->rows, job.id);
    return std::vector<BenchRow>(rows.begin(), rows.end());
  };
  std::optional<BenchFile> part;
  std::error_code error;
  const auto before = status().results;
  bool measured = false;
  if (!job.adds) {
    std::set<std::string> keys;
    for (const BenchGroup& group : job.groups)
      for (const BenchPoint& point : group) keys.insert(key_of(point));
    const std::lock_guard lock(mutex_);
    auto results = std::make_shared<BenchResults>(*status_.results);
    std::erase_if(results->rows,
                  [&](const BenchRow& row) { return row.preset == job.id && !keys.contains(key_of(row.point)); });
    status_.results = std::move(results);
  }
  if (!folder_.empty()) {
    fs::create_directories(file.parent_path(), error);
    if (fs::exists(file, error)) {
      const auto kept = read_results(file);
      if (!kept)  // for example from a newer version; it must not be overwritten
        return failure(kept.error().text + "; move the file away to measure this again");
      if (job.adds) take_missing(*kept);
    }
    // Including the rows of an interrupted run.
    part = CONV_TRY(BenchFile::create(part_of(file), status().results->environment, held()));
  }
  auto ran = run_job(
      engine, job, [](const std::string&) { return false; },
      [&](const BenchRow& row) -> Result<void> {
        take(row, job.id);
        measured = true;
        return part ? part->add(row) : Result<void>{};
      },
      stop);
  part.reset();
  if (!measured) {  // ended before the first row: the old file remains
    fs::remove(part_of(file), error);
    const std::lock_guard lock(mutex_);
    status_.results = before;
    return ran;
  }
  if (folder_.empty()) return ran;
  CONV_TRY(BenchFile::create(file, status().results->environment, held()));
  fs::remove(part_of(file), error);
  return ran;
}

// Rows that another process added to the file.
void BenchRunner::take_missing(const BenchResults& kept) {
  const std::lock_guard lock(mutex_);
  if (kept.environment != status_.results->environment) return;
  auto results = std::make_shared<BenchResults>(*status_.results);
  std::set<std::string> keys;
  for (const BenchRow& row : results->rows) keys.insert(row.preset + key_of(row.point));
  for (const BenchRow& row : kept.rows)
    if (!keys.contains(row.preset + key_of(row.point))) put_row(results->rows, row);
  status_.results = std::move(results);
}

void BenchRunner::take(const BenchRow& row, const std::string& job) {
  const std::lock_guard lock(mutex_);
  auto results = std::make_shared<BenchResults>(*status_.results);
  put_row(results->rows, row);
  status_.results = std::move(results);
  ++status_.done;
  status_.doing = fmt::format("{} · {}", job, lane_text(row.point.lane));
}

}  // namespace conv
