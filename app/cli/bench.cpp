#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/measure/bench_json.h"
#include "app/measure/bench_tables.h"
#include "app/measure/chart.h"
#include "app/measure/engine.h"
#include "app/measure/rankings.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

Result<void> write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", printable(text));
    return {};
  }
  return write_file(path, text);
}

// The plot's name if there are several presets: "plot.svg" becomes "plot-s4-a.svg".
std::string plot_name(const std::string& path, const std::string& preset, bool several) {
  const std::size_t dot = path.rfind('.');
  return several && dot != std::string::npos ? path.substr(0, dot) + "-" + preset + path.substr(dot) : path;
}

Result<void> save_plots(const BenchResults& results, const Options& options) {
  const BenchOptions& bench = options.bench;
  const auto parts = by_preset(results.rows);
  for (const auto& part : parts) {
    const std::string& id = part.front().preset;
    const BenchPreset* preset = find_preset(id);
    const std::string name = plot_name(*bench.plot, id, parts.size() > 1);
    CONV_TRY(check_output(name, {bench.from}, options.force));
    const Chart chart = chart_of(part, results.environment, preset ? preset->plot_title() : "Sweep",
                                 bench.value.value_or(preset ? preset->value : BenchValue::ms), bench.clock);
    CONV_TRY(save_plot(chart, name));
  }
  return {};
}

// Writes tables and plots as the options say.
Result<void> show(const BenchResults& results, const Options& options) {
  const BenchOptions& bench = options.bench;
  if (bench.csv) {
    std::string text = csv_header();
    for (const BenchRow& row : results.rows) text += csv_line(row, results.environment);
    CONV_TRY(write_text(*bench.csv, text));
  }
  if (bench.markdown || (!bench.csv && !bench.plot && !bench.json))
    CONV_TRY(write_text(bench.markdown.value_or("-"), markdown_table(results.rows, results.environment, bench.clock)));
  if (bench.plot) CONV_TRY(save_plots(results, options));
  return {};
}

// Saves the ranking for the variant "auto". If that fails, the measurements are still shown.
void keep(const BenchResults& results) {
  if (const auto kept = keep_rankings(results.rows, results.environment); !kept) complain(kept.error().text);
}

std::string words_of(const BenchChange& change) {
  std::string which = change.after->preset + " " + change.after->point.lane.variant;
  for (const BenchDimension& dimension : bench_dimensions())
    if (const std::string text = dimension.text(*change.after); !text.empty()) which += " " + text;
  which = printable(which);
  if (change.outcome == BenchChange::Outcome::lost)
    return fmt::format("LOST {}: {:.4g} ms before, now {}", which, change.before->summary().median,
                       printable(change.after->text));
  return fmt::format("{} {}: {:.4g} to {:.4g} ms, {:.3f} ({:.3f} to {:.3f})",
                     change.outcome == BenchChange::Outcome::slower ? "SLOWER" : "faster", which,
                     change.before->summary().median, change.after->summary().median, change.ratio, change.low,
                     change.high);
}

Result<int> compare_files(const BenchOptions& bench) {
  using Outcome = BenchChange::Outcome;
  const BenchResults before = CONV_TRY(read_results(bench.compare[0])),
                     after = CONV_TRY(read_results(bench.compare[1]));
  if (before.environment.processor != after.environment.processor)
    fmt::print("{} against {}: not the same processor\n", printable(before.environment.processor),
               printable(after.environment.processor));
  const auto changes = changes_between(before, after, bench.within);
  if (changes.empty()) return failure("the two files have no configuration in common that both have measured");
  for (const BenchChange& change : changes)
    if (change.outcome != Outcome::same && change.outcome != Outcome::too_few) fmt::print("{}\n", words_of(change));
  const auto count = [&](Outcome outcome) {
    return std::count_if(changes.begin(), changes.end(), [&](const auto& change) { return change.outcome == outcome; });
  };
  fmt::print(
      "{} rows: {} slower, {} faster, {} lost their time, {} the same within {:.0f} %, {} with too few samples\n",
      changes.size(), count(Outcome::slower), count(Outcome::faster), count(Outcome::lost), count(Outcome::same),
      100 * bench.within, count(Outcome::too_few));
  return count(Outcome::slower) + count(Outcome::lost) > 0 ? 1 : 0;
}

std::vector<std::string> files_to_write(const BenchOptions& bench) {
  std::vector<std::string> paths;
  for (const auto& path : {bench.csv, bench.markdown, bench.resume ? std::nullopt : bench.json})
    if (path && *path != "-") paths.push_back(*path);
  if (!bench.plot) return paths;
  if (bench.presets.size() <= 1)
    paths.push_back(*bench.plot);
  else
    for (const std::string& id : bench.presets) paths.push_back(plot_name(*bench.plot, id, true));
  return paths;
}

// Fails before measuring if a file cannot be written or exists already.
Result<void> check_outputs(const Options& options) {
  for (const std::string& path : files_to_write(options.bench)) {
    CONV_TRY(check_output(path, {options.bench.from}, options.force));
    CONV_TRY(FileBeside::create(path));
  }
  return {};
}

// A run of the jobs: the rows measured so far, and the file they are kept in.
class BenchRun {
 public:
  static Result<std::unique_ptr<BenchRun>> create(const Options& options, Processor& processor) {
    const BenchOptions& bench = options.bench;
    for (const std::string& id : bench.presets)
      if (!processor.on_gpu() && find_preset(id)->peers)
        return failure(fmt::format("{}: copies and libraries need an NVIDIA GPU. {}", id, processor.no_gpu_reason()));
    std::unique_ptr<BenchRun> run(new BenchRun(bench, processor));
    use_kept_rankings(processor, run->results_.environment);
    for (const std::string& id : bench.presets) run->jobs_.push_back(job_of(*find_preset(id), processor.on_gpu()));
    if (bench.presets.empty()) run->jobs_.push_back(job_of(bench.sweep));
    if (!bench.json) return run;
    run->file_ = CONV_TRY(BenchFile::open(*bench.json, run->results_.environment, bench.resume));
    run->results_.rows = run->file_->rows();
    for (const BenchRow& row : run->results_.rows) run->done_.emplace(row.preset, key_of(row.point));
    return run;
  }

  const BenchResults& results() const { return results_; }

  // Measures until all rows are done, or the token says stop; measured rows are kept. progress: told of each row.
  Result<void> measure(Progress& progress, const std::stop_token& stop) {
    engine_.on_waiting([&](std::string_view what) {
      progress.end();
      if (!what.empty()) fmt::print(stderr, "{}\n", what);
    });
    for (const BenchJob& job : jobs_) {
      const auto is_done = [&](const std::string& key) { return done_.contains({job.id, key}); };
      const auto take = [&](const BenchRow& row) -> Result<void> {
        put_row(results_.rows, row);
        progress.advance(row.preset + " " + row.point.lane.variant);
        return file_ ? file_->add(row) : Result<void>{};
      };
      CONV_TRY(run_job(engine_, job, is_done, take, stop));
    }
    return {};
  }

  std::size_t rows_to_measure() const {
    std::size_t total = 0;
    for (const BenchJob& job : jobs_)
      for (const BenchGroup& group : job.groups)
        for (const BenchPoint& point : group) total += !done_.contains({job.id, key_of(point)});
    return total;
  }

  // Reports the wrong results and returns their number.
  int complain_of_wrong_rows() const {
    int wrong = 0;
    for (const BenchRow& row : results_.rows) {
      if (row.state != RowState::wrong) continue;
      ++wrong;
      complain(fmt::format("{}: {}", row.point.lane.variant, row.text));
    }
    return wrong;
  }

 private:
  BenchRun(const BenchOptions& bench, Processor& processor)
      : engine_(processor, protocol_of(bench.quick, bench.cools_down)), results_{engine_.environment(), {}} {}

  BenchEngine engine_;
  BenchResults results_;
  std::vector<BenchJob> jobs_;
  std::optional<BenchFile> file_;
  std::set<std::pair<std::string, std::string>> done_;  // preset and configuration
};

// Measures until all is done or the user interrupts, then shows the rows. Returns the exit status.
Result<int> measure_and_show(BenchRun& run, const Options& options) {
  std::optional<Interrupt> interrupt(std::in_place);  // measured rows are kept
  Progress progress(run.rows_to_measure());
  const Result<void> measured = run.measure(progress, interrupt->token());
  progress.end();
  const bool interrupted = interrupt->token().stop_requested();
  const int interrupted_status = interrupt->status();
  interrupt.reset();

  const BenchResults& results = run.results();
  keep(results);
  const Result<void> shown = show(results, options);
  CONV_TRY(measured);
  CONV_TRY(shown);
  const int wrong = run.complain_of_wrong_rows();
  fmt::print(stderr, "{} rows in {:.0f} s on {}{}\n", results.rows.size(), progress.seconds(),
             results.environment.processor, interrupted ? ", interrupted" : "");
  if (interrupted) return interrupted_status;
  const auto is_refused = [](const BenchRow& row) { return row.state == RowState::refused; };
  if (!results.rows.empty() && std::ranges::all_of(results.rows, is_refused))
    return failure("nothing was measured: " + results.rows.front().text);
  return wrong > 0 ? 1 : 0;
}

Result<int> bench(const Options& options) {
  if (!options.bench.compare.empty()) return compare_files(options.bench);
  CONV_TRY(check_outputs(options));
  if (!options.bench.from.empty()) {
    const BenchResults results = CONV_TRY(read_results(options.bench.from));
    CONV_TRY(show(results, options));
    return 0;
  }
  Processor processor = CONV_TRY(Processor::create(options.device));
  const std::unique_ptr<BenchRun> run = CONV_TRY(BenchRun::create(options, processor));
  if (!processor.on_gpu()) {
    const std::string why = processor.no_gpu_reason();
    fmt::print(stderr, "{}{}Times are the CPU's.\n", why, why.empty() ? "" : ". ");
  }
  return measure_and_show(*run, options);
}

}  // namespace

int run_bench(const Options& options) {
  return status_of(bench(options));
}

}  // namespace conv
