#include "app/cli/options.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "app/cli/bench_options.h"
#include "app/cli/commands.h"
#include "app/cli/machine_report.h"
#include "app/cli/manual.h"
#include "app/cli/option_types.h"
#include "app/cli/settings_text.h"
#include "app/cli/standard_streams.h"
#include "app/model/normalise.h"
#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "app/sources/bundle.h"
#include "app/sources/sample_pictures.h"
#include "kernels/core/file.h"
#include "kernels/variants/support/declared.h"

namespace conv {

namespace {

constexpr std::size_t max_matrix_bytes = 1 << 20;  // 129x129 numbers with all digits are about 330 KB

void add_lane_options(CLI::App& app, const std::string& suffix, LaneSettings& lane, const std::string& of) {
  add_variant(app, "--variant" + suffix, "Variant" + of, lane.variant);
  CLI::Option* block = add_size(app, "--block" + suffix, "Threads of a block" + of + ", XxY, at most 1024 together",
                                [&lane](Size2 size) { lane.block = size; });
  if (suffix.empty()) block->default_str(text_of(lane.block));
  add_choice(app, "--format" + suffix, pixel_types, "Pixel format" + of,
             [&lane](const PixelTypeInfo& info) { lane.format = info.type; });
  struct Layout {
    std::string_view id;
    bool planar;
  };
  static constexpr std::array layouts{Layout{"aos", false}, Layout{"soa", true}};
  add_choice(app, "--layout" + suffix, layouts, "Channels interleaved or in planes" + of,
             [&lane](const Layout& l) { lane.format = in_layout(lane.format, l.planar); });
  struct Channels {
    std::string_view id;
    bool luma;
  };
  static constexpr std::array channels{Channels{"colour", false}, Channels{"luma", true}};
  add_choice(app, "--channels" + suffix, channels, "Colour, or only its luma" + of,
             [&lane](const Channels& c) { lane.format = with_channels(lane.format, c.luma); });
  app.add_option_function<std::vector<std::string>>(
      "--set" + suffix,
      [name = "--set" + suffix, &lane](const std::vector<std::string>& texts) {
        for (const std::string& text : texts)
          if (const Result<void> set = set_from_text(lane.switches, text); !set)
            throw CLI::ValidationError(name, set.error().text);
      },
      "A switch" + of + ", NAME=VALUE; `list` names them");
}

enum class Files { may_be_named, none };

// "1 2 1; 2 4 2", or @FILE with such text: a large matrix exceeds the length of an argument.
Result<Matrix> matrix_in(const std::string& given, Files files) {
  if (!given.starts_with('@') || files == Files::none) return parse_matrix(given);
  return parse_matrix(CONV_TRY(read_file(given.substr(1), max_matrix_bytes)));
}

void add_matrix_options(CLI::App& app, FilterSpec& filter, Files files) {
  app.add_option_function<std::string>(
      "--matrix",
      [&filter, files](const std::string& given) {
        Result<Matrix> matrix = matrix_in(given, files);
        if (!matrix) throw CLI::ValidationError("--matrix", matrix.error().text);
        filter.matrix = std::move(*matrix);
        filter.kind = FilterKind::custom;
      },
      "Custom filter, rows separated by semicolons: \"1 2 1; 2 4 2; 1 2 1\", or @FILE with such text");
  app.add_option("--divisor", filter.divisor, "The matrix is divided by it");
  app.add_option("--offset", filter.offset, "Added to every result; 1 is full scale");
  struct Mode {
    std::string_view id;
    FilterMode mode;
  };
  static constexpr std::array modes{Mode{"convolution", FilterMode::convolution},
                                    Mode{"correlation", FilterMode::correlation}};
  add_choice(app, "--mode", modes, "Whether the matrix is rotated by 180 degrees (convolution) or not (correlation)",
             [&filter](const Mode& mode) { filter.mode = mode.mode; })
      ->default_str(std::string(modes[filter.mode == modes[0].mode ? 0 : 1].id));
}

void add_filter_options(CLI::App& app, FilterSpec& filter) {
  add_choice(app, "--filter", filters, "Filter", [&filter](const FilterInfo& row) {
    filter.kind = row.kind;
  })->default_str(std::string(info(filter.kind).id));
  app.add_option("--sigma", filter.sigma, fmt::format("Sigma of the Gaussian, {} to {} px", min_sigma, max_sigma));
  app.add_option("--radius", filter.radius,
                 fmt::format("Radius of the filter, 0 to {} px; with --sigma alone it is ceil(3 sigma)", max_radius));
  app.add_option("--angle", filter.angle, "Angle of motion blur, in degrees from the x axis, counterclockwise");
  app.add_option("--filter-seed", filter.seed, "Seed of the random filter");
  app.add_option("--strength", filter.strength,
                 "Strength of sharpen, unsharp and emboss; 1 is the matrix of the table");
}

void add_convolution_options(CLI::App& app, Settings& s, Files files = Files::may_be_named) {
  add_lane_options(app, "", s.lanes[0], "");
  add_filter_options(app, s.filter);
  app.add_option("--iterations", s.iterations, fmt::format("Apply the filter this many times, 1 to {}", max_iterations))
      ->check(CLI::Range(1, max_iterations));
  add_matrix_options(app, s.filter, files);
  add_choice(app, "--padding", borders, "How pixels outside the image are replaced", [&s](const BorderInfo& b) {
    s.border = b.border;
  })->default_str(std::string(info(s.border).id));
  app.add_option("--padding-value", s.border_value, "Value of constant padding; 0 is black, 1 is full scale")
      ->check(CLI::Range(0.0, 1.0));
}

void add_pattern_options(CLI::App& app, SourceSettings& source) {
  add_choice(app, "--pattern", patterns, "Show this pattern",
             [&source](const PatternInfo& row) { source.pattern = row.kind; });
  add_size(app, "--pattern-size", "Size of the pattern, WxH", [&source](Size2 size) {
    source.pattern_size = size;
  })->default_str(text_of(source.pattern_size));
  app.add_option("--pattern-seed", source.seed, "Seed of the pattern noise");
}

// A picture that comes with the program, by its name. Others are not found.
void add_sample_option(CLI::App& app, SourceSettings& source) {
  app.add_option_function<std::string>(
      "--picture",
      [&source](const std::string& name) {
        const std::vector<Sample> samples = find_samples();
        const auto sample = std::ranges::find_if(
            samples, [&](const Sample& any) { return std::filesystem::path(any.path).stem() == name; });
        if (sample == samples.end())
          throw CLI::ValidationError("--picture", fmt::format("no picture {} comes with the program", name));
        source.path = sample->path;
      },
      "A picture that comes with the program, by its name: harbour");
  app.add_option("--percent", source.percent, "Scale of the picture")
      ->check(CLI::IsMember(std::vector<int>(std::begin(scale_percents), std::end(scale_percents))));
}

void add_panels(CLI::App& app, std::vector<std::string>& panels) {
  app.add_option("--panel", panels, fmt::format("Panels to open, separated by commas: {}", fmt::join(panel_ids, ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(std::vector<std::string>(panel_ids.begin(), panel_ids.end())));
}

// How values are displayed; results keep their values.
void add_display_options(CLI::App& app, DisplaySettings& display) {
  add_choice(app, "--range", display_ranges, "How values become colours",
             [&display](const DisplayRangeInfo& row) { display.range = row.range; });
  app.add_option("--exposure", display.exposure, "Displayed values are multiplied by 2 to this power, -10 to 10");
  app.add_option("--display-offset", display.offset, "Added to displayed values after that; 1 is full scale");
  app.add_option_function<std::string>(
      "--gamma",
      [&display](const std::string& text) {
        display.srgb = text == "srgb";
        if (!display.srgb && !CLI::detail::lexical_cast(text, display.gamma))
          throw CLI::ValidationError("--gamma", text + " is neither a number nor srgb");
      },
      "Gamma of the display, 0.2 to 5; srgb: the curve of the screen");
  app.add_option_function<std::string>(
      "--show-channels",
      [&display](const std::string& text) {
        if (text.empty() || text.find_first_not_of("rgb") != std::string::npos)
          throw CLI::ValidationError("--show-channels", text + " is not made of the letters r, g and b");
        for (std::size_t i = 0; i < display.channels.size(); ++i)
          display.channels[i] = text.find("rgb"[i]) != std::string::npos;
      },
      "Channels that are displayed: rg shows red and green; a single one is grey");
}

void add_view_options(CLI::App& app, Settings& settings) {
  add_display_options(app, settings.display);
  add_lane_options(app, "-b", settings.lanes[1], " of lane B");
  add_choice(app, "--view", view_modes, "View", [&](const ViewModeInfo& v) { settings.view = v.mode; });
  app.add_option_function<std::vector<std::string>>(
         "--grid",
         [&](const std::vector<std::string>& ids) {
           settings.grid = ids == std::vector<std::string>{"none"} ? std::vector<std::string>() : ids;
           for (const std::string& id : settings.grid) check_variant_id("--grid", id);
         },
         "Variants in the grid in addition to A and B, separated by commas; none: only A and B")
      ->delimiter(',')
      ->expected(1, max_lanes - 2);
  DifferenceSettings& difference = settings.difference;
  app.add_option_function<float>(
         "--gain",
         [&difference](float gain) {
           difference.gain = gain;
           difference.auto_gain = false;
         },
         "Gain of the difference view; otherwise the largest difference has the brightest colour")
      ->check(CLI::Range(1.0, 1e6));
  add_choice(app, "--map", colour_maps, "Colours of the difference view; blue_orange is signed",
             [&difference](const ColourMapInfo& m) {
               difference.with_sign = m.map == ColourMap::blue_orange;
               if (!difference.with_sign) difference.map = m.map;
             });
  app.add_option_function<float>(
      "--threshold",
      [&difference](float threshold) {
        difference.hatched = true;
        difference.threshold = threshold;
      },
      "In the difference view, hatch pixels that differ by more than this; 1 is full scale");
}

// Options about the window itself: all others replace the remembered settings.
constexpr const char* window_group = "WINDOW";

constexpr int most_frames = 1'000'000'000;

void add_window_options(CLI::App& app, Options& options) {
  add_pattern_options(app, options.settings.source);
  app.add_option("--camera", options.settings.source.camera, "Show this camera, for example /dev/video0");
  add_view_options(app, options.settings);
  const std::string usual_group = app.option_defaults()->get_group();
  app.option_defaults()->group(window_group);
  add_choice(app, "--theme", themes, "Theme", [&](const ThemeInfo& t) { options.window.theme = t.theme; });
  app.add_option_function<float>(
         "--scale", [&](const float& scale) { options.window.scale = scale; }, "Size of the controls, 0.75 to 3")
      ->check(CLI::Range(0.75, 3.0));
  add_panels(app, options.window.panels);
  add_size(app, "--size", fmt::format("Size of the window, WxH, at most {0}x{0}", largest_window), [&](Size2 size) {
    if (size.width > largest_window || size.height > largest_window)
      throw CLI::ValidationError("--size", fmt::format("each side is at most {}", largest_window));
    options.window.window_size = size;
  });
  app.add_option("--frames", options.window.frames, "Close after this many frames")
      ->check(CLI::Range(0, most_frames))
      ->default_str("");
  app.add_option("--screenshot", options.window.screenshot,
                 "Save the window as a PNG once its picture is final, and close");
  app.add_flag("--force", options.force, "Replace the file of --screenshot if it exists");
  app.add_flag("--no-interop", options.window.no_interop,
               "Copy results through host memory instead of sharing the texture");
  app.add_option("--restart-state", options.window.restart_state)->group("");  // not for users
  app.add_flag("--trust", options.window.trust, "Let a session open a picture outside its own folder without asking");
  app.add_flag("--no-vsync", options.window.no_vsync, "Do not wait for the display");
  app.option_defaults()->group(usual_group);
}

// Why options that are valid by themselves do not fit together.
std::optional<std::string> complaint_of_bench(const BenchOptions& bench, const CLI::App& app) {
  for (const FilterSpec& filter : bench.sweep.filters)
    if (const Result<Matrix> matrix = matrix_of(filter); !matrix) return matrix.error().text;
  if (!bench.presets.empty())
    for (const char* own : {"--variant", "--filter", "--radius", "--sigma", "--size", "--block", "--padding",
                            "--format", "--set", "--cold"})
      if (app.count(own) > 0) return fmt::format("{}: a preset has its own; use only one of the two", own);
  if (bench.json && (!bench.from.empty() || !bench.compare.empty()))
    return "--json writes measured rows, but --from and --compare do not measure";
  if (bench.plot && !bench.plot->ends_with(".svg") && !bench.plot->ends_with(".png"))
    return *bench.plot + ": plots are .svg or .png";
  if (bench.resume && !bench.json) return "--resume needs the --json file to continue";
  std::set<std::string> files;
  for (const auto& file : {bench.json, bench.csv, bench.markdown, bench.plot})
    if (file && *file != "-" && !files.insert(std::filesystem::path(*file).lexically_normal().string()).second)
      return fmt::format("{}: two results cannot go to the same file", *file);
  if (bench.json == "-") return "--json needs a file name: rows are kept in it as they are measured";
  return std::nullopt;
}

std::optional<std::string> complaint_of_screenshot(const Options& options) {
  if (options.window.screenshot.empty()) return std::nullopt;
  const Result<void> free = check_output(options.window.screenshot, files_of(options.settings.source), options.force);
  return free ? std::nullopt : std::optional(free.error().text);
}

// A sigma without a radius gets the radius that fits it; a filter without a radius gets one that it allows.
void settle_filter(const CLI::App& app, Settings& settings) {
  settings.auto_radius = app.count("--sigma") > 0 && app.count("--radius") == 0;
  if (app.count("--radius") == 0) choose_kind(settings.filter, settings.filter.kind);
}

// Options for lane B apply to B only; otherwise B is like A.
void settle_lanes(const CLI::App& app, Settings& settings) {
  const bool own_format = app.count("--format-b") + app.count("--layout-b") + app.count("--channels-b") > 0;
  const bool own_block = app.count("--block-b") > 0;
  auto& [a, b] = settings.lanes;
  settings.link_lanes = !own_format && !own_block;
  if (!own_format) b.format = a.format;
  if (!own_block) b.block = a.block;
}

// CLI11 reads an empty text as 0, "010" as 8, and nan as a number within every range.
std::optional<std::string> complaint_of_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& text : option->results()) {
      const std::string kind = option->get_type_name();
      const bool is_float = kind.starts_with("FLOAT"), is_whole = kind.starts_with("INT") || kind.starts_with("UINT");
      if (text.empty() && !option->get_positional() && option->get_expected_min() > 0)
        return option->get_name() + ": the value is empty";
      double number = 0;
      if (is_float && CLI::detail::lexical_cast(text, number) && !std::isfinite(number))
        return fmt::format("{}: {} is not a finite number", option->get_name(), text);
      const std::size_t digits = text.find_first_not_of("+-");
      const std::string_view number_text = digits == std::string::npos ? "" : std::string_view(text).substr(digits);
      if (is_whole && number_text.size() > 1 && number_text[0] == '0' &&
          std::isdigit(static_cast<unsigned char>(number_text[1])))
        return fmt::format("{}: write {} without zeros at its beginning", option->get_name(), text);
    }
  for (const CLI::App* command : app.get_subcommands())
    if (auto wrong = complaint_of_values(*command)) return wrong;
  return std::nullopt;
}

// The grammar, and the settings that depend on several options.
class CommandLine {
 public:
  explicit CommandLine(Options& options);
  // Throws what CLI11 throws.
  void parse(int argc, const char* const* argv) { app_.parse(argc, argv); }
  int exit(const CLI::Success& success) { return app_.exit(success); }
  // Sets what depends on several options. Returns why they do not fit together; empty if they do.
  std::optional<std::string> settle();
  // Whether an option says what to show.
  bool gives_settings() const {
    return std::ranges::any_of(app_.get_options(), [](const CLI::Option* option) {
      return option->count() > 0 && option->get_group() != window_group;
    });
  }
  // An option beside a link, which says everything about the picture itself.
  std::optional<std::string> beside_link() const {
    for (const CLI::Option* option : app_.get_options())
      if (option->count() > 0 && option->get_group() != window_group && option->get_name() != "IMAGE" &&
          option->get_name() != "--device")
        return option->get_name();
    return std::nullopt;
  }
  // If the first argument is nearly the name of a command, and not that of a file: a text that asks.
  std::optional<std::string> meant_command(const std::string& word) const;
  bool gives_variant() const { return app_.get_option("--variant")->count() > 0; }

 private:
  void add_convolve();
  std::optional<std::string> settle_files();
  void add_kernel_commands();
  void add_puzzle();
  void add_lesson();
  void add_selftest();
  void add_trace();
  Verb verb() const;

  Options& options_;
  CLI::App app_{
      "Convoscope: see, compare and teach image convolution on a GPU.\n"
      "With --format f32 a colour picture becomes luma: 0.2126 R + 0.7152 G + 0.0722 B.",
      "convoscope"};
  CLI::App* convolve_ = app_.add_subcommand("convolve", "Filter one picture or many; needs no display");
  CLI::App* bench_ = app_.add_subcommand("bench", "Compare the times of variants; needs no display");
  CLI::App* list_ = app_.add_subcommand("list", "Print variants, filters, paddings, formats and devices");
  CLI::App* selftest_ = app_.add_subcommand("selftest", "Check every variant, padding and format against a reference");
  CLI::App* trace_ = app_.add_subcommand(
      "trace", "Record the memory instructions of one block on the CPU: requests, bank conflicts, sectors");
  CLI::App* check_ = app_.add_subcommand(
      "check", "Check one kernel file: compile it for the CPU, compare with the reference, watch every access");
  CLI::App* new_variant_ =
      app_.add_subcommand("new-variant", "Start a variant of your own: two files and a line in the source folder");
  CLI::App* puzzle_ =
      app_.add_subcommand("puzzle", "Exercises in writing kernels: read one, start it, check your kernel");
  CLI::App* lesson_ = app_.add_subcommand("lesson", "Read a lesson, or write it as a handout; needs no display");
  SweptFilters swept_;
};

CommandLine::CommandLine(Options& options) : options_(options) {
  app_.option_defaults()->always_capture_default();  // --help shows them
  for (CLI::App* command : app_.get_subcommands({})) command->option_defaults()->always_capture_default();
  // Before --version, which looks at it.
  app_.add_flag("--verbose", options.verbose, "With --version: what a report of a fault should say about this machine");
  app_.set_version_flag("--version",
                        [this] { return options_.verbose ? report_of_machine() : "convoscope " CONV_VERSION; });
  // For packages. Groups without a name are not listed.
  const auto prints = [this](const char* name, std::string (*text)(const CLI::App&)) {
    app_.add_flag_callback(name, [this, text] { throw CLI::CallForVersion(text(app_), 0); })->group("");
  };
  prints("--manual", manual_page);
  prints("--completion", bash_completion);
  app_.require_subcommand(0, 1);
  app_.add_option("IMAGE", options.settings.source.path,
                  "What to open: a picture, a video, a folder, numbered names or wildcards, or a session (.json)");
  add_convolution_options(app_, options.settings);
  add_device(app_, options);
  add_window_options(app_, options);
  add_convolve();
  add_bench_options(*bench_, options, swept_);
  list_->add_flag("--json", options.json, "As JSON");
  add_selftest();
  add_trace();
  add_kernel_commands();
  add_puzzle();
  add_lesson();
  // An empty list is no default worth reading.
  std::vector<CLI::App*> all = app_.get_subcommands({});
  all.push_back(&app_);
  for (CLI::App* command : all)
    for (CLI::Option* option : command->get_options())
      if (option->get_default_str() == "[]") option->default_str("");
}

void CommandLine::add_kernel_commands() {
  check_->add_option("KERNEL", options_.in, "A variant, or a file named like one: global.cu")->required();
  std::vector<std::string> plans;
  for (const Variant& plan : declared_plans()) plans.emplace_back(plan.id);
  check_
      ->add_option(
          "--plan", options_.plan,
          "For a file of any other name: how its kernel is launched. direct: one thread per pixel; tiled: with "
          "shared memory for a tile; two-pass: rows, then columns")
      ->check(CLI::IsMember(plans));
  check_->add_flag("--json", options_.json, "As JSON, with a hash of the kernel's text");
  for (CLI::App* command : {check_, puzzle_})
    command->add_flag("--without-sandbox", options_.without_sandbox,
                      "Where the system has no Landlock, run the kernel all the same; it could then read your files");
  new_variant_->add_option("NAME", options_.in, "Lower-case letters, digits and underscores")->required();
  new_variant_->add_option("--plan", options_.plan, "How its kernel is launched: direct, tiled or two-pass")
      ->check(CLI::IsMember(plans))
      ->required();
  new_variant_->add_option("--source", options_.out, "The source folder of Convoscope; otherwise the current folder");
}

void CommandLine::add_puzzle() {
  PuzzleOptions& puzzle = options_.puzzle;
  CLI::Option* number = puzzle_->add_option("NUMBER", puzzle.number, "Of the puzzle; alone, its text is printed");
  CLI::Option* file = puzzle_->add_option("FILE", options_.in, "Your kernel, to be checked");
  CLI::Option* list = puzzle_->add_flag("--list", puzzle.list, "Print number and title of all puzzles");
  CLI::Option* start = puzzle_->add_option("--start", puzzle.start, "Write the kernel to begin with to a new file");
  CLI::Option* solution = puzzle_->add_option("--solution", puzzle.solution, "Write a solution to a new file");
  CLI::Option* hints =
      puzzle_->add_option("--hints", puzzle.hints, "How many hints are shown, from 1")->check(CLI::Range(1, 9));
  puzzle_->add_flag("--json", options_.json, "Print the result as JSON, with a hash of the kernel's text")->needs(file);
  hints->needs(file);
  list->excludes(number);
  start->needs(number)->excludes(file);
  solution->needs(number)->excludes(file)->excludes(start);
}

void CommandLine::add_lesson() {
  LessonOptions& lesson = options_.lesson;
  CLI::Option* name = lesson_->add_option(
      "NAME", lesson.id,
      "Name of the lesson, its Markdown file or bundle, or `concepts` or `bugs`. Without --handout the text is "
      "printed");
  CLI::Option* list = lesson_->add_flag("--list", lesson.list, "Print name and title of all lessons");
  add_choice(*lesson_, "--language", languages, "Language",
             [&lesson](const LanguageInfo& row) { lesson.language = row.language; });
  lesson_
      ->add_option("--handout", lesson.handout, "Write the lesson as HTML and PDF with its pictures to this new folder")
      ->needs(name);
  add_device(*lesson_, options_);
  list->excludes(name);
}

void CommandLine::add_convolve() {
  convolve_->add_option("IN", options_.in,
                        "Input: PNG, JPEG, BMP, TGA, HDR or NPY; a folder of them, 'frames/*.png' or frame%04d.png; a "
                        "video; - is a picture or NPY from standard input. With --pattern or --picture there is none");
  convolve_->add_option(
      "OUT", options_.out,
      "Output: the same, by its ending, or a folder; .npy keeps float values; - writes PNG, or NPY for "
      "float values, to standard output. For many inputs: a folder, out%04d.png, or a video");
  add_pattern_options(*convolve_, options_.settings.source);
  add_sample_option(*convolve_, options_.settings.source);
  convolve_->add_option("--session", options_.session,
                        "Take filter, padding and lane A from a session file; other options change them. Its picture "
                        "is not opened");
  convolve_->add_option("--jobs", options_.jobs, "Number of files that are read and written at the same time")
      ->check(CLI::Range(1, 64));
  add_shard(*convolve_, "--part", options_.shard);
  add_convolution_options(*convolve_, options_.settings);
  add_device(*convolve_, options_);
  convolve_->add_flag("--json", options_.json, "Print times and plan as JSON");
  convolve_->add_flag(
      "--check", options_.check,
      "First run the kernels on the CPU, watch every access (bounds, races, barriers), and compare with "
      "the double-precision reference. Slow");
  convolve_->add_flag("--force", options_.force, "Replace files that exist. The input itself is never replaced");
}

void CommandLine::add_selftest() {
  add_device(*selftest_, options_);
  add_variant(*selftest_, "--variant", "Check only this variant", options_.only);
  add_shard(*selftest_, "--shard", options_.shard);
}

void CommandLine::add_trace() {
  trace_->add_option("IN", options_.in, "A picture, of which only the size matters; without it 1920x1080");
  add_convolution_options(*trace_, options_.settings);
  add_device(*trace_, options_);
  trace_
      ->add_option_function<std::vector<int>>(
          "--at",
          [this](const std::vector<int>& at) {
            options_.trace.block = Point2{at[0], at[1]};
          },
          "The block to record, by its column and row in the grid, like 60,33; otherwise the one in the middle")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(0, 1 << 20));
  add_choice(*trace_, "--rules", memory_rules, "Whose rules count: GPUs of today, or the G80 of 2006",
             [this](const MemoryRules& rules) { options_.trace.generation = rules.generation; });
  trace_->add_flag("--json", options_.json, "As JSON");
}

std::optional<std::string> CommandLine::meant_command(const std::string& word) const {
  constexpr int most_typing_errors = 2;
  std::error_code error;
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos) return std::nullopt;
  if (std::ranges::count(app_.get_subcommands({}), word, [](const CLI::App* app) { return app->get_name(); }) > 0 ||
      std::filesystem::exists(word, error))
    return std::nullopt;
  for (const CLI::App* command : app_.get_subcommands({}))
    if (edit_distance(word, command->get_name()) <= most_typing_errors)
      return fmt::format("{}: no such command and no such file. Did you mean {}?", word, command->get_name());
  return std::nullopt;
}

// A pattern or a picture of the program stands for the input: then the only name is that of the output.
std::optional<std::string> CommandLine::settle_files() {
  SourceSettings& source = options_.settings.source;
  const auto given = [&](const char* option) { return convolve_->count(option) > 0; };
  const bool has_source = given("--pattern") || given("--picture");
  if (!has_source) source.path.clear();  // of a session
  if (has_source && !options_.out.empty())
    return "With --pattern or --picture there is no other input: give only the name of the output";
  if (has_source) options_.out = std::exchange(options_.in, {});
  if (!has_source && options_.in.empty()) return "IN is required";
  if (options_.out.empty()) return "OUT is required";
  if (options_.out == standard_stream && options_.json)
    return "--json and the result cannot both go to standard output: name a file";
  return std::nullopt;
}

Verb CommandLine::verb() const {
  if (*trace_) return Verb::trace;
  if (*bench_) return Verb::bench;
  if (*check_) return Verb::check;
  if (*convolve_) return Verb::convolve;
  if (*list_) return Verb::list;
  if (*new_variant_) return Verb::new_variant;
  if (*puzzle_) return Verb::puzzle;
  if (*lesson_) return Verb::lesson;
  return *selftest_ ? Verb::selftest : Verb::window;
}

std::optional<std::string> CommandLine::settle() {
  options_.verb = verb();
  if (auto wrong = complaint_of_values(app_)) return wrong;
  options_.bench.sweep.filters = swept_.combined();
  const CLI::App& chosen = *convolve_ ? *convolve_ : *trace_ ? *trace_ : app_;
  settle_filter(chosen, options_.settings);
  options_.chooses_format = chosen.count("--format") == 0 && options_.session.empty();
  if (*convolve_)
    if (auto wrong = settle_files()) return wrong;
  settle_lanes(app_, options_.settings);
  if (options_.verb == Verb::window)
    if (auto wrong = meant_command(options_.settings.source.path)) return wrong;
  options_.window.unattended = options_.window.frames > 0 || !options_.window.screenshot.empty();
  if (const Corrections wrong = normalise(options_.settings); !wrong.empty()) return wrong.front();
  if (auto wrong = complaint_of_bench(options_.bench, *bench_)) return wrong;
  return complaint_of_screenshot(options_);
}

}  // namespace

namespace {

// parse: of CLI11, with the options. pictures: of parse_scene.
Result<Scene> scene_of(const std::function<void(CLI::App&)>& parse, const std::filesystem::path& pictures) {
  Scene scene;
  Settings& settings = scene.settings;
  CLI::App app;
  app.set_help_flag();
  add_convolution_options(app, settings, Files::none);
  add_pattern_options(app, settings.source);
  add_sample_option(app, settings.source);
  std::string file;
  app.add_option("--file", file)->excludes("--picture")->excludes("--pattern");
  add_view_options(app, settings);
  add_panels(app, scene.panels);
  try {
    parse(app);
  } catch (const CLI::Error& error) {
    return failure(error.what());
  }
  scene.has_source = app.count("--pattern") + app.count("--picture") + app.count("--file") > 0;
  scene.has_file = app.count("--file") > 0;
  if (scene.has_file) settings.source.path = CONV_TRY(resolve_scene_picture(file, pictures));
  settle_filter(app, settings);
  settle_lanes(app, settings);
  if (const Corrections wrong = normalise(settings); !wrong.empty()) return failure(wrong.front());
  return scene;
}

}  // namespace

Result<Scene> parse_scene(const std::string& options, const std::filesystem::path& pictures) {
  return scene_of([&](CLI::App& app) { app.parse(options, false); }, pictures);
}

Result<Scene> parse_scene(std::vector<std::string> options) {
  std::ranges::reverse(options);  // as CLI11 wants them
  return scene_of([&](CLI::App& app) { app.parse(std::move(options)); }, {});
}

std::optional<Size2> parse_size(std::string_view text) {
  Size2 size;
  const auto width = std::from_chars(text.data(), text.data() + text.size(), size.width);
  if (width.ec != std::errc{} || width.ptr == text.data() + text.size() || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, text.data() + text.size(), size.height);
  if (height.ec != std::errc{} || height.ptr != text.data() + text.size()) return std::nullopt;
  if (size.width < 1 || size.height < 1 || size.width > 65536 || size.height > 65536) return std::nullopt;
  return size;
}

namespace {

// session: settings to begin with, in place of the usual ones; the picture that it names is not opened.
tl::expected<Options, Exit> parse_once(const std::optional<Settings>& session, int argc, const char* const* argv) {
  Options options;
  if (session) options.settings = *session;
  CommandLine line(options);
  try {
    line.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return tl::unexpected(Exit{line.exit(success)});
  } catch (const CLI::ParseError& error) {
    if (const auto meant = line.meant_command(argc > 1 ? argv[1] : "")) return tl::unexpected(Exit{complain(*meant)});
    return tl::unexpected(Exit{complain(fmt::format("{} (convoscope --help lists the options)", error.what()))});
  }
  if (!session && !options.session.empty()) return options;
  if (const auto wrong = line.settle()) return tl::unexpected(Exit{complain(*wrong)});
  if (options.verb == Verb::window && is_link(options.settings.source.path))
    if (const auto other = line.beside_link())
      return tl::unexpected(Exit{complain(fmt::format("{}: leave it out, or change it in the link", *other))});
  options.settings_given = line.gives_settings();
  options.variant_given = line.gives_variant();
  options.arguments.assign(argv, argv + argc);
  return options;
}

Result<Settings> settings_of_session(const std::string& file) {
  const std::filesystem::path path = CONV_TRY(document_at(file, ".json", "session"));
  const std::string text = CONV_TRY(read_any_file(path, max_session_bytes));
  Result<Session> session = session_from_json(text);
  if (!session) return failure(fmt::format("{}: {}", file, session.error().text));
  for (const std::string& correction : session->corrections) complain(fmt::format("{}: {}", file, correction));
  return std::move(session->settings);
}

// The window shows what the link says.
Result<void> take_link(Options& options) {
  Scene scene = CONV_TRY(parse_link(options.settings.source.path));
  options.settings = std::move(scene.settings);
  if (options.window.panels.empty()) options.window.panels = std::move(scene.panels);
  options.settings_given = options.variant_given = true;
  return {};
}

}  // namespace

tl::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  auto options = parse_once(std::nullopt, argc, argv);
  if (options && !options->session.empty()) {
    const Result<Settings> session = settings_of_session(options->session);
    if (!session) return tl::unexpected(Exit{complain(session.error().text)});
    options = parse_once(*session, argc, argv);
  }
  if (!options || options->verb != Verb::window || !is_link(options->settings.source.path)) return options;
  if (const Result<void> taken = take_link(*options); !taken) return tl::unexpected(Exit{complain(taken.error().text)});
  return options;
}

}  // namespace conv
