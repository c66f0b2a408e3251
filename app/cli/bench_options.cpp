#include "app/cli/bench_options.h"

#include "app/cli/option_types.h"

namespace conv {

namespace {

void add_presets(std::vector<std::string>& to, const std::function<bool(const BenchPreset&)>& wanted) {
  for (const BenchPreset& preset : bench_presets())
    if (wanted(preset) && std::count(to.begin(), to.end(), preset.id) == 0) to.emplace_back(preset.id);
}

void add_preset_options(CLI::App& app, BenchOptions& bench) {
  std::string preset_ids;
  for (const BenchPreset& preset : bench_presets()) preset_ids += std::string(preset.id) + ", ";
  add_list(app, "--preset", "Sweeps, separated by commas: " + preset_ids + "all of the documents",
           [&bench](const std::vector<std::string>& words) {
             for (const std::string& word : words) {
               if (word != "all" && !find_preset(word))
                 throw CLI::ValidationError("--preset", fmt::format("there is no {}; --help lists them", word));
               add_presets(bench.presets, [&](const BenchPreset& preset) {
                 return word == preset.id || (word == "all" && preset.published);
               });
             }
           });
  app.add_flag_callback(
      "--peers", [&bench] { add_presets(bench.presets, [](const BenchPreset& preset) { return preset.peers; }); },
      "The presets that compare variants with copies of the image, NVIDIA's NPP and cuFFT: all whose names begin with "
      "`peers`");
}

void add_swept_filters(CLI::App& app, SweptFilters& swept) {
  add_choices(app, "--filter", filters, "Filters", swept.kinds, [](const FilterInfo& row) { return row.kind; });
  add_list(app, "--radius", "Radii in px, such as 1:16 or 3,5,7", [&swept](const std::vector<std::string>& words) {
    swept.radii.clear();
    for (const std::string& word : words)
      for (const int radius : numbers_in("--radius", word)) swept.radii.push_back(radius);
  });
  app.add_option("--sigma", swept.sigmas, "Sigma of the Gaussian in px, separated by commas; without it, radius / 2.5")
      ->delimiter(',');
}

void add_sweep_options(CLI::App& app, FreeSweep& sweep) {
  add_list(app, "--variant", "Variants, separated by commas: " + variant_ids(),
           [&sweep](const std::vector<std::string>& ids) {
             for (const std::string& id : ids) check_variant_id("--variant", id);
             sweep.variants = ids;
           });
  add_list(app, "--size", "Sizes of the image, WxH, separated by commas",
           [&sweep](const std::vector<std::string>& words) { sweep.sizes = sizes_in("--size", words); });
  add_list(app, "--block", "Threads of a block, XxY, separated by commas",
           [&sweep](const std::vector<std::string>& words) { sweep.blocks = sizes_in("--block", words); });
  add_choices(app, "--padding", borders, "Paddings", sweep.borders, [](const BorderInfo& row) { return row.border; });
  add_choices(app, "--format", pixel_types, "Formats", sweep.formats,
              [](const PixelTypeInfo& row) { return row.type; });
  app.add_option_function<std::vector<std::string>>(
      "--set", [&sweep](const std::vector<std::string>& texts) { sweep.switches = switches_in("--set", texts); },
      "Switches, NAME=VALUE,VALUE; `list` names them. streams=1,2,4 host_memory=pinned,pageable");
  app.add_flag("--cold", sweep.cold,
               "Rotate buffers of four times the L2 cache, so that no launch finds its pixels in it (cold L2)");
}

void add_clock_options(CLI::App& app, BenchOptions& bench) {
  app.add_flag("--quick", bench.quick, "16 rounds instead of 32");
  app.add_flag("--cool-down", bench.cools_down,
               "Before each group of variants, wait while the GPU is throttling, at most 60 s");
  add_choice(app, "--clock", bench_clocks, "The clock for the times in tables and plots",
             [&bench](const BenchClockInfo& row) { bench.clock = row.clock; });
  add_choice(app, "--value", bench_values, "The quantity to plot; without it, the one that the document plots",
             [&bench](const BenchValueInfo& row) { bench.value = row.value; });
}

// A file, or standard output if no name is given.
void add_output(CLI::App& app, const std::string& name, std::optional<std::string>& into, const std::string& help) {
  app.add_option_function<std::vector<std::string>>(
         name,
         [&into](const std::vector<std::string>& words) {
           into = words.empty() || words.front().empty() ? "-" : words.front();
         },
         help)
      ->expected(0, 1);
}

void add_output_options(CLI::App& app, Options& options) {
  BenchOptions& bench = options.bench;
  add_output(app, "--csv", bench.csv, "Write one row per configuration to a file, or to standard output");
  add_output(app, "--json", bench.json, "Write the same with all samples to a file, which is complete after every row");
  add_output(app, "--markdown", bench.markdown, "Write tables to a file, or to standard output");
  app.add_flag("--force", options.force, "Replace files that exist");
  app.add_option("--plot", bench.plot, "Write a plot, .svg or .png; with several presets, each adds its name");
  app.add_flag("--resume", bench.resume, "Measure only what the --json file does not have yet");
  app.add_option("--from", bench.from, "Show the results of this --json file instead of measuring");
  app.add_option("--compare", bench.compare,
                 "Compare two --json files, the old and the new: exit status 1 if any row is slower")
      ->expected(2);
  app.add_option("--within", bench.within, "With --compare: ratios closer to 1 than this are no change")
      ->check(CLI::Range(0.0, 1.0));
}

}  // namespace

std::vector<FilterSpec> SweptFilters::combined() const {
  std::vector<FilterSpec> all;
  for (const FilterKind kind : kinds)
    for (const int radius : info(kind).size == FilterSize::fixed ? std::vector{1} : radii)
      for (const double sigma : sigmas.empty() || !has_sigma(kind) ? std::vector{sigma_for(radius)} : sigmas)
        all.push_back({.kind = kind, .sigma = sigma, .radius = radius});
  return all;
}

void add_bench_options(CLI::App& app, Options& options, SweptFilters& swept) {
  add_preset_options(app, options.bench);
  add_sweep_options(app, options.bench.sweep);
  add_swept_filters(app, swept);
  add_device(app, options);
  add_clock_options(app, options.bench);
  add_output_options(app, options);
}

}  // namespace conv
