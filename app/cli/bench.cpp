#include <fmt/format.h>

#include <set>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress.h"
#include "app/measure/bench_file.h"
#include "app/measure/chart.h"
#include "app/measure/engine.h"
#include "kernels/core/file.h"

namespace {

Result<void> write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", printable(text));
    return {};
  }
  return write_file(path, text);
}

// "plot.svg" of several presets: "plot-s4-a.svg".
std::string plot_name(const std::string& path, const std::string& preset, bool several) {
  const std::size_t dot = path.rfind('.');
  return several && dot != std::string::npos ? path.substr(0, dot) + "-" + preset + path.substr(dot) : path;
}

int show(const BenchResults& results, const Options& options) {
  const BenchOptions& bench = options.bench;
  if (bench.csv) {
    std::string text = csv_header();
    for (const BenchRow& row : results.rows) text += csv_line(row, results.environment);
    if (auto written = write_text(*bench.csv, text); !written) return complain(written.error().text);
  }
  if (bench.markdown || (!bench.csv && !bench.plot && !bench.json)) {
    const std::string text = markdown_table(results.rows, results.environment, bench.clock);
    if (auto written = write_text(bench.markdown.value_or("-"), text); !written) return complain(written.error().text);
  }
  if (bench.plot) {
    const auto parts = by_preset(results.rows);
    for (const auto& part : parts) {
      const std::string& id = part.front().preset;
      const BenchPreset* preset = find_preset(id);
      const std::string name = plot_name(*bench.plot, id, parts.size() > 1);
      if (const Result<void> free = check_output(name, {bench.from}, options.force); !free)
        return complain(free.error().text);
      const Chart chart = chart_of(part, results.environment, preset ? preset->plot_title() : "Sweep",
                                   bench.value.value_or(preset ? preset->value : BenchValue::ms), bench.clock);
      if (auto saved = save_plot(chart, name); !saved) return complain(saved.error().text);
    }
  }
  return 0;
}

// For the variant "auto"; what was measured is shown all the same where that fails.
void keep(const BenchResults& results) {
  if (const auto kept = keep_rankings(results.rows, results.environment); !kept) complain(kept.error().text);
}

int compare_files(const BenchOptions& bench) {
  const auto before = read_results(bench.compare[0]), after = read_results(bench.compare[1]);
  if (!before) return complain(before.error().text);
  if (!after) return complain(after.error().text);
  if (before->environment.processor != after->environment.processor)
    fmt::print("{} against {}: not the same processor\n", printable(before->environment.processor),
               printable(after->environment.processor));
  const auto changes = changes_between(*before, *after, bench.within);
  if (changes.empty()) return complain("the two files have no configuration in common that both have measured");
  int slower = 0, faster = 0, lost = 0, too_few = 0;
  for (const BenchChange& change : changes) {
    using Outcome = BenchChange::Outcome;
    slower += change.outcome == Outcome::slower;
    faster += change.outcome == Outcome::faster;
    lost += change.outcome == Outcome::lost;
    too_few += change.outcome == Outcome::too_few;
    if (change.outcome == Outcome::same || change.outcome == Outcome::too_few) continue;
    std::string which = change.after->preset + " " + change.after->point.lane.variant;
    for (const BenchDimension& dimension : bench_dimensions())
      if (const std::string text = dimension.text(change.after->point); !text.empty()) which += " " + text;
    which = printable(which);
    if (change.outcome == Outcome::lost)
      fmt::print("LOST {}: {:.4g} ms before, now {}\n", which, change.before->summary().median,
                 printable(change.after->text));
    else
      fmt::print("{} {}: {:.4g} to {:.4g} ms, {:.3f} ({:.3f} to {:.3f})\n",
                 change.outcome == Outcome::slower ? "SLOWER" : "faster", which, change.before->summary().median,
                 change.after->summary().median, change.ratio, change.low, change.high);
  }
  fmt::print(
      "{} rows: {} slower, {} faster, {} without a time any more, {} the same within {:.0f} %, {} of too few samples\n",
      changes.size(), slower, faster, lost, static_cast<int>(changes.size()) - slower - faster - lost - too_few,
      100 * bench.within, too_few);
  return slower + lost > 0 ? 1 : 0;
}

}  // namespace

// Now, not after minutes: that every file can be written, and none is in the way.
static Result<void> check_outputs(const Options& options) {
  const BenchOptions& bench = options.bench;
  std::vector<std::string> paths;
  for (const auto& path : {bench.csv, bench.markdown, bench.resume ? std::nullopt : bench.json})
    if (path && *path != "-") paths.push_back(*path);
  const bool several = bench.presets.size() > 1;
  for (const std::string& id : bench.presets)
    if (bench.plot && several) paths.push_back(plot_name(*bench.plot, id, several));
  if (bench.plot && !several) paths.push_back(*bench.plot);
  for (const std::string& path : paths) {
    CONV_TRY(check_output(path, {bench.from}, options.force));
    CONV_TRY(FileBeside::create(path));
  }
  return {};
}

int run_bench(const Options& options) {
  const BenchOptions& bench = options.bench;
  if (!bench.compare.empty()) return compare_files(bench);
  if (const Result<void> free = check_outputs(options); !free) return complain(free.error().text);
  if (!bench.from.empty()) {
    const auto results = read_results(bench.from);
    return results ? show(*results, options) : complain(results.error().text);
  }
  Result<Processor> processor = Processor::create(options.device);
  if (!processor) return complain(processor.error().text);
  for (const std::string& id : bench.presets)
    if (!processor->on_gpu() && find_preset(id)->peers)
      return complain(fmt::format("{}: copies and libraries are an NVIDIA GPU's. {}", id, processor->no_gpu_reason()));
  if (!processor->on_gpu()) fmt::print(stderr, "No GPU ({}): times are the CPU's.\n", processor->no_gpu_reason());
  BenchEngine engine(*processor, protocol_of(bench.quick, bench.cools_down));
  BenchResults results{engine.environment(), {}};
  use_kept_rankings(*processor, results.environment);

  std::vector<BenchJob> jobs;
  for (const std::string& id : bench.presets) jobs.push_back(job_of(*find_preset(id), processor->on_gpu()));
  if (bench.presets.empty()) jobs.push_back(job_of(bench.sweep));
  std::optional<BenchFile> file;
  std::set<std::pair<std::string, std::string>> done;
  if (bench.json) {
    Result<BenchFile> opened = BenchFile::open(*bench.json, results.environment, bench.resume);
    if (!opened) return complain(opened.error().text);
    file = std::move(*opened);
    for (const BenchRow& row : file->rows()) done.emplace(row.preset, key_of(row.point));
    results.rows = file->rows();
  }
  std::size_t total = 0;
  for (const BenchJob& job : jobs)
    for (const BenchGroup& group : job.groups)
      for (const BenchPoint& point : group) total += !done.contains({job.id, key_of(point)});

  std::optional<Interrupt> interrupt(std::in_place);  // what was measured is kept
  Progress progress(total);
  engine.on_waiting([&](std::string_view what) {
    progress.end();
    if (!what.empty()) fmt::print(stderr, "{}\n", what);
  });
  for (const BenchJob& job : jobs) {
    const auto ran = run_job(
        engine, job,
        [&](const std::string& key) {
          return done.contains({job.id, key});
        },
        [&](const BenchRow& row) -> Result<void> {
          put_row(results.rows, row);
          progress.advance(row.preset + " " + row.point.lane.variant);
          return file ? file->add(row) : Result<void>{};
        },
        interrupt->token());
    if (!ran) {
      progress.end();
      show(results, options);
      keep(results);
      return complain(ran.error().text);
    }
  }
  progress.end();
  const bool interrupted = interrupt->token().stop_requested();
  const int interrupted_status = interrupt->status();
  interrupt.reset();
  keep(results);
  if (const int status = show(results, options); status != 0) return status;
  int wrong = 0;
  for (const BenchRow& row : results.rows) {
    wrong += row.state == RowState::wrong;
    if (row.state == RowState::wrong) complain(fmt::format("{}: {}", row.point.lane.variant, row.text));
  }
  fmt::print(stderr, "{} rows in {:.0f} s on {}{}\n", results.rows.size(), progress.seconds(),
             results.environment.processor, interrupted ? ", interrupted" : "");
  return interrupted ? interrupted_status : wrong > 0 ? 1 : 0;
}
