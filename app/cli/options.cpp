#include "app/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <sstream>

#include "app/cli/commands.h"
#include "app/model/normalise.h"
#include "app/model/session_source.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

constexpr std::size_t max_matrix_bytes = 1 << 20;  // 129x129 numbers with all their digits are some 330 KB

template <class Infos>
std::string ids_of(const Infos& infos) {
  std::string text;
  for (const auto& info : infos) text += (text.empty() ? "" : ", ") + std::string(info.id);
  return text;
}

std::string variant_ids() {
  std::string text;
  for (const Variant* variant : variants()) text += (text.empty() ? "" : ", ") + std::string(variant->id);
  return text;
}

// Adds an option whose word must be an id of the table; store gets the table's row.
template <class Infos, class Store>
CLI::Option* add_choice(CLI::App& app, const std::string& name, const Infos& infos, const std::string& help,
                        Store store) {
  return app.add_option_function<std::string>(
      name,
      [&infos, name, store](const std::string& word) {
        for (const auto& info : infos)
          if (info.id == word) return store(info);
        throw CLI::ValidationError(name, fmt::format("there is no {}; use one of {}", word, ids_of(infos)));
      },
      fmt::format("{}: {}", help, ids_of(infos)));
}

CLI::Option* add_size(CLI::App& app, const std::string& name, const std::string& help,
                      std::function<void(Size2)> store) {
  return app.add_option_function<std::string>(
      name,
      [name, store](const std::string& text) {
        const std::optional<Size2> size = parse_size(text);
        if (!size)
          throw CLI::ValidationError(name, fmt::format("invalid size \"{}\": expected WxH, such as 32x8", text));
        store(*size);
      },
      help);
}

void add_variant(CLI::App& app, const std::string& name, const std::string& help, std::string& into) {
  app.add_option_function<std::string>(
      name,
      [name, &into](const std::string& id) {
        if (!find_variant(id))
          throw CLI::ValidationError(name, fmt::format("there is no {}; use one of {}", id, variant_ids()));
        into = id;
      },
      fmt::format("{}: {}", help, variant_ids()));
}

void add_lane_options(CLI::App& app, const std::string& suffix, LaneSettings& lane, const std::string& of) {
  add_variant(app, "--variant" + suffix, "Variant" + of, lane.variant);
  add_size(app, "--block" + suffix, "Threads of a block" + of + ", XxY, at most 1024 together",
           [&lane](Size2 size) { lane.block = size; });
  add_choice(app, "--format" + suffix, pixel_types, "Pixel format" + of,
             [&lane](const PixelTypeInfo& info) { lane.format = info.type; });
  struct Layout {
    std::string_view id;
    bool planar;
  };
  static constexpr std::array layouts{Layout{"aos", false}, Layout{"soa", true}};
  add_choice(app, "--layout" + suffix, layouts, "Channels of a pixel together or in planes" + of,
             [&lane](const Layout& l) { lane.format = in_layout(lane.format, l.planar); });
  struct Channels {
    std::string_view id;
    bool luma;
  };
  static constexpr std::array channels{Channels{"colour", false}, Channels{"luma", true}};
  add_choice(app, "--channels" + suffix, channels, "Colour, or its luma alone" + of,
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

void add_convolution_options(CLI::App& app, Options& options) {
  Settings& s = options.settings;
  add_lane_options(app, "", s.lanes[0], "");
  add_choice(app, "--filter", filters, "Filter", [&s](const FilterInfo& row) { s.filter.kind = row.kind; });
  app.add_option("--sigma", s.filter.sigma, fmt::format("Of the Gaussian, {} to {} px", min_sigma, max_sigma));
  app.add_option("--radius", s.filter.radius,
                 fmt::format("Of the filter, 0 to {} px; with --sigma alone it is ceil(3 sigma)", max_radius));
  app.add_option("--angle", s.filter.angle, "Of motion blur, degrees from the x axis towards the top");
  app.add_option("--filter-seed", s.filter.seed, "Of the random filter");
  app.add_option("--strength", s.filter.strength, "Of sharpen, unsharp and emboss; 1 is the matrix of the table");
  app.add_option("--iterations", s.iterations, "Apply the filter so often, 1 to 16")->check(CLI::Range(1, 16));
  app.add_option_function<std::string>(
      "--matrix",
      [&s](const std::string& given) {
        // A large matrix is longer than an argument may be.
        const Result<std::string> text =
            given.starts_with('@') ? read_file(given.substr(1), max_matrix_bytes) : Result<std::string>(given);
        if (!text) throw CLI::ValidationError("--matrix", text.error().text);
        Result<Matrix> matrix = parse_matrix(*text);
        if (!matrix) throw CLI::ValidationError("--matrix", matrix.error().text);
        s.filter.matrix = std::move(*matrix);
        s.filter.kind = FilterKind::custom;
      },
      "Custom filter, rows separated by semicolons: \"1 2 1; 2 4 2; 1 2 1\", or @FILE that holds such text");
  app.add_option("--divisor", s.filter.divisor, "The matrix is divided by it");
  app.add_option("--offset", s.filter.offset, "Added to every result; 1 is full scale");
  struct Mode {
    std::string_view id;
    FilterMode mode;
  };
  static constexpr std::array modes{Mode{"convolution", FilterMode::convolution},
                                    Mode{"correlation", FilterMode::correlation}};
  add_choice(app, "--mode", modes, "Turn the matrix by 180 degrees or not",
             [&s](const Mode& mode) { s.filter.mode = mode.mode; });
  add_choice(app, "--padding", borders, "What stands outside the image",
             [&s](const BorderInfo& b) { s.border = b.border; });
  app.add_option("--padding-value", s.border_value, "For constant padding; 0 is black, 1 is full scale")
      ->check(CLI::Range(0.0, 1.0));
}

void add_device(CLI::App& app, Options& options) {
  struct Device {
    std::string_view id;
    DeviceChoice choice;
  };
  static constexpr std::array devices{Device{"auto", DeviceChoice::automatic}, Device{"gpu", DeviceChoice::gpu},
                                      Device{"cpu", DeviceChoice::cpu}};
  add_choice(app, "--device", devices, "Where kernels run; cpu runs the same kernels thread by thread",
             [&options](const Device& d) { options.device = d.choice; });
}

void add_window_options(CLI::App& app, Options& options) {
  SourceSettings& source = options.settings.source;
  add_choice(app, "--pattern", patterns, "Show this pattern: " + ids_of(patterns),
             [&](const PatternInfo& row) { source.pattern = row.kind; });
  add_size(app, "--pattern-size", "Size of the pattern, WxH", [&](Size2 size) { source.pattern_size = size; });
  app.add_option("--camera", source.camera, "Show this camera: its device, such as /dev/video0");
  add_lane_options(app, "-b", options.settings.lanes[1], " of lane B");
  add_choice(app, "--view", view_modes, "View", [&](const ViewModeInfo& v) { options.settings.view = v.mode; });
  app.add_option_function<std::vector<std::string>>(
         "--grid",
         [&](const std::vector<std::string>& ids) {
           for (const std::string& id : ids)
             if (!find_variant(id))
               throw CLI::ValidationError("--grid", fmt::format("there is no {}; use some of {}", id, variant_ids()));
           options.settings.grid = ids;
         },
         "Variants that the grid shows beside A and B, separated by commas")
      ->delimiter(',')
      ->expected(1, max_lanes - 2);
  app.add_option("--gain", options.settings.difference.gain, "Of the difference view")->check(CLI::Range(1.0, 1e6));
  add_choice(app, "--map", colour_maps, "Colours of the difference view; blue_orange has signs",
             [&](const ColourMapInfo& m) {
               DifferenceSettings& difference = options.settings.difference;
               difference.with_sign = m.map == ColourMap::blue_orange;
               if (!difference.with_sign) difference.map = m.map;
             });
  app.add_option_function<float>(
      "--threshold",
      [&](float threshold) {
        options.settings.difference.hatched = true;
        options.settings.difference.threshold = threshold;
      },
      "Hatch pixels that differ by more in the difference view; 1 is full scale");
  add_choice(app, "--theme", themes, "Theme", [&](const ThemeInfo& t) { options.theme = t.theme; });
  app.add_option_function<float>(
         "--scale", [&](const float& scale) { options.scale = scale; }, "Size of the controls, 0.75 to 3")
      ->check(CLI::Range(0.75, 3.0));
  app.add_option("--panel", options.panels,
                 "Panels to open, separated by commas: race, block, code, occupancy, lab, bench, published, roofline, "
                 "crossover, idea")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(std::vector<std::string>(panel_ids.begin(), panel_ids.end())));
  add_size(app, "--size", "Size of the window, WxH", [&](Size2 size) { options.window_size = size; });
  app.add_option("--frames", options.frames, "Close after so many frames")->check(CLI::NonNegativeNumber);
  app.add_option("--screenshot", options.screenshot, "Save the window as a PNG once its picture is final, and close");
  app.add_flag("--force", options.force, "Replace the file of --screenshot where it exists");
  app.add_flag("--no-interop", options.no_interop, "Copy results through host memory instead of sharing the texture");
  app.add_option("--restart-state", options.restart_state)->group("");  // not for users
  app.add_flag("--trust", options.trust, "Let a session open a picture outside its own folder without asking");
  app.add_flag("--no-vsync", options.no_vsync, "Do not wait for the display");
}

void add_shard(CLI::App& app, const std::string& name, Shard& shard) {
  app.add_option_function<std::string>(
      name,
      [&shard, name](const std::string& text) {
        const char* end = text.data() + text.size();
        const auto index = std::from_chars(text.data(), end, shard.index);
        const bool has_count = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
        const auto count = has_count ? std::from_chars(index.ptr + 1, end, shard.count) : index;
        if (!has_count || count.ec != std::errc{} || count.ptr != end || shard.index < 1 || shard.count < shard.index)
          throw CLI::ValidationError(name, fmt::format("invalid part \"{}\": expected I/N, such as 2/4", text));
      },
      "Run part i of n, i/n");
}

// "3", "1:16", "2:16:2": all whole numbers meant.
std::vector<int> numbers_in(const std::string& name, const std::string& text) {
  // FIRST, FIRST:LAST or FIRST:LAST:STEP
  std::vector<int> parts;
  const char *at = text.data(), *end = text.data() + text.size();
  while (parts.size() < 3) {
    const auto number = std::from_chars(at, end, parts.emplace_back());
    const bool more = number.ec == std::errc{} && number.ptr != end && *number.ptr == ':' && parts.size() < 3;
    if (number.ec != std::errc{} || (number.ptr != end && !more))
      throw CLI::ValidationError(
          name, fmt::format("invalid range \"{}\": expected a number or a range, such as 5, 1:16 or 2:16:2", text));
    if (number.ptr == end) break;
    at = number.ptr + 1;
  }
  const int first = parts[0], last = parts.size() > 1 ? parts[1] : first, step = parts.size() > 2 ? parts[2] : 1;
  if (first < 0) throw CLI::ValidationError(name, text + " begins below 0");
  if (step < 1 || last < first) throw CLI::ValidationError(name, text + " is empty");
  if (last > max_radius) throw CLI::ValidationError(name, fmt::format("{} is beyond {}", text, max_radius));
  std::vector<int> numbers;
  for (int number = first; number <= last; number += step) numbers.push_back(number);
  return numbers;
}

// Adds an option that takes several words parted by commas; each is read by `read`.
template <class Read>
void add_list(CLI::App& app, const std::string& name, const std::string& help, Read read) {
  app.add_option_function<std::vector<std::string>>(
         name, [read](const std::vector<std::string>& words) { read(words); }, help)
      ->delimiter(',');
}

// The same of ids of a table; `into` gets what `get` takes from each row.
template <class Infos, class Value, class Get>
void add_choices(CLI::App& app, const std::string& name, const Infos& infos, const std::string& help,
                 std::vector<Value>& into, Get get) {
  add_list(app, name, fmt::format("{}, separated by commas: {}", help, ids_of(infos)),
           [&infos, name, &into, get](const std::vector<std::string>& words) {
             into.clear();
             for (const std::string& word : words) {
               const auto row = std::find_if(infos.begin(), infos.end(), [&](const auto& r) { return r.id == word; });
               if (row == infos.end())
                 throw CLI::ValidationError(name, fmt::format("there is no {}; use some of {}", word, ids_of(infos)));
               into.push_back(get(*row));
             }
           });
}

std::vector<Size2> sizes_in(const std::string& name, const std::vector<std::string>& words) {
  std::vector<Size2> sizes;
  for (const std::string& word : words) {
    const auto size = parse_size(word);
    if (!size) throw CLI::ValidationError(name, fmt::format("invalid size \"{}\": expected WxH, such as 32x8", word));
    if (size->area() > max_pixels)
      throw CLI::ValidationError(name, fmt::format("{} is more than {} Mpx", word, max_pixels / 1'000'000));
    sizes.push_back(*size);
  }
  return sizes;
}

// Every combination of "NAME=V1,V2" and the like.
std::vector<SwitchValues> switches_in(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<SwitchValues> all{SwitchValues{}};
  for (const std::string& text : texts) {
    std::vector<SwitchValues> more;
    std::istringstream values(text.substr(std::min(text.size(), text.find('=') + 1)));
    for (std::string value; std::getline(values, value, ',');)
      for (SwitchValues chosen : all) {
        if (const auto set = set_from_text(chosen, text.substr(0, text.find('=') + 1) + value); !set)
          throw CLI::ValidationError(name, set.error().text);
        more.push_back(std::move(chosen));
      }
    if (more.empty()) throw CLI::ValidationError(name, text + " is no switch; write it like streams=1,2,4");
    all = std::move(more);
  }
  return all;
}

// What stands for a sweep's filters until all options are known: they are combined at the end.
struct SweptFilters {
  std::vector<FilterKind> kinds{FilterKind::gaussian};
  std::vector<int> radii{5};
  std::vector<double> sigmas;  // empty: by the radius
  std::vector<FilterSpec> combined() const {
    std::vector<FilterSpec> filters;
    for (const FilterKind kind : kinds)
      for (const int radius : info(kind).size == FilterSize::fixed ? std::vector{1} : radii)
        for (const double sigma : sigmas.empty() || !has_sigma(kind) ? std::vector{sigma_for(radius)} : sigmas)
          filters.push_back({.kind = kind, .sigma = sigma, .radius = radius});
    return filters;
  }
};

void add_bench_options(CLI::App& app, Options& options, SweptFilters& filters_swept) {
  BenchOptions& bench = options.bench;
  FreeSweep& sweep = bench.sweep;
  std::string preset_ids;
  for (const BenchPreset& preset : bench_presets()) preset_ids += std::string(preset.id) + ", ";
  const auto add_presets = [&bench](const auto& wanted) {
    for (const BenchPreset& preset : bench_presets())
      if (wanted(preset) && std::count(bench.presets.begin(), bench.presets.end(), preset.id) == 0)
        bench.presets.emplace_back(preset.id);
  };
  add_list(app, "--preset", "Sweeps, separated by commas: " + preset_ids + "all of the documents",
           [add_presets](const std::vector<std::string>& words) {
             for (const std::string& word : words) {
               if (word != "all" && !find_preset(word))
                 throw CLI::ValidationError("--preset", fmt::format("there is no {}; --help lists them", word));
               add_presets(
                   [&](const BenchPreset& preset) { return word == preset.id || (word == "all" && preset.published); });
             }
           });
  app.add_flag_callback(
      "--peers", [add_presets] { add_presets([](const BenchPreset& preset) { return preset.peers; }); },
      "Variants beside copies of the image, NVIDIA's NPP and cuFFT: the presets whose names begin so");
  add_list(app, "--variant", "Variants, separated by commas: " + variant_ids(),
           [&sweep](const std::vector<std::string>& ids) {
             for (const std::string& id : ids)
               if (!find_variant(id))
                 throw CLI::ValidationError("--variant",
                                            fmt::format("there is no {}; use some of {}", id, variant_ids()));
             sweep.variants = ids;
           });
  add_choices(app, "--filter", filters, "Filters", filters_swept.kinds, [](const FilterInfo& row) { return row.kind; });
  add_list(app, "--radius", "Radii in px, such as 1:16 or 3,5,7",
           [&filters_swept](const std::vector<std::string>& words) {
             filters_swept.radii.clear();
             for (const std::string& word : words)
               for (const int radius : numbers_in("--radius", word)) filters_swept.radii.push_back(radius);
           });
  app.add_option("--sigma", filters_swept.sigmas, "Of the Gaussian, px, separated by commas; without it radius / 2.5")
      ->delimiter(',');
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
               "Rotate buffers of four times the L2 cache, so that no launch finds its pixels there (cold L2)");
  add_device(app, options);
  app.add_flag("--quick", bench.quick, "16 rounds in place of 32");
  app.add_flag("--cool-down", bench.cools_down,
               "Before each group of variants, wait while the GPU is throttling, at most 60 s");
  add_choice(app, "--clock", bench_clocks, "How times are taken in tables and plots",
             [&bench](const BenchClockInfo& row) { bench.clock = row.clock; });
  add_choice(app, "--value", bench_values, "What is plotted; without it as the document does",
             [&bench](const BenchValueInfo& row) { bench.value = row.value; });
  const auto add_output = [&](const std::string& name, std::optional<std::string>& into, const std::string& help) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [&into](const std::vector<std::string>& words) {
             into = words.empty() || words.front().empty() ? "-" : words.front();
           },
           help)
        ->expected(0, 1);
  };
  add_output("--csv", bench.csv, "One row per configuration, to a file or to the standard output");
  add_output("--json", bench.json, "The same with every sample, whole after every row; to a file");
  add_output("--markdown", bench.markdown, "Tables, to a file or to the standard output");
  app.add_flag("--force", options.force, "Replace files that exist");
  app.add_option("--plot", bench.plot, "A plot, .svg or .png; of several presets each adds its name");
  app.add_flag("--resume", bench.resume, "Measure what the --json file does not hold yet");
  app.add_option("--from", bench.from, "Show the results of this --json file in place of measuring");
  app.add_option("--compare", bench.compare,
                 "Two --json files, the old one and the new: exit status 1 if any row is slower")
      ->expected(2);
  app.add_option("--within", bench.within, "With --compare: ratios nearer to 1 than this are no change")
      ->check(CLI::Range(0.0, 1.0));
}

// What no single option can tell is wrong.
std::optional<std::string> complaint(Options& options) {
  if (const Corrections wrong = normalise(options.settings); !wrong.empty()) return wrong.front();
  for (const FilterSpec& filter : options.bench.sweep.filters)
    if (const Result<Matrix> matrix = matrix_of(filter); !matrix) return matrix.error().text;
  if (options.bench.json && (!options.bench.from.empty() || !options.bench.compare.empty()))
    return "--json is where measured rows go; --from and --compare measure nothing";
  if (const auto& plot = options.bench.plot; plot && !plot->ends_with(".svg") && !plot->ends_with(".png"))
    return *plot + ": plots are .svg or .png";
  if (options.bench.resume && !options.bench.json) return "--resume needs the --json file to go on with";
  if (options.bench.json == "-") return "--json needs a file name: rows are kept in it as they are measured";
  return std::nullopt;
}

}  // namespace

std::optional<Size2> parse_size(std::string_view text) {
  Size2 size;
  const auto width = std::from_chars(text.data(), text.data() + text.size(), size.width);
  if (width.ec != std::errc{} || width.ptr == text.data() + text.size() || *width.ptr != 'x') return std::nullopt;
  const auto height = std::from_chars(width.ptr + 1, text.data() + text.size(), size.height);
  if (height.ec != std::errc{} || height.ptr != text.data() + text.size()) return std::nullopt;
  if (size.width < 1 || size.height < 1 || size.width > 65536 || size.height > 65536) return std::nullopt;
  return size;
}

tl::expected<Options, Exit> parse_options(int argc, const char* const* argv) {
  Options options;
  CLI::App app(
      "Convoscope: see, compare and teach image convolution on a GPU.\n"
      "With --format f32 a colour picture becomes luma: 0.2126 R + 0.7152 G + 0.0722 B.",
      "convoscope");
  app.set_version_flag("--version", "convoscope " CONV_VERSION);
  app.require_subcommand(0, 1);
  app.add_option("IMAGE", options.settings.source.path,
                 "Picture, video, folder, numbered or starred names, or session (.json), to open");
  add_convolution_options(app, options);
  add_device(app, options);
  add_window_options(app, options);

  CLI::App* convolve = app.add_subcommand("convolve", "Filter a picture, or many, no display needed");
  convolve
      ->add_option("IN", options.in,
                   "PNG, JPEG, BMP, TGA, HDR or NPY; a folder of them, 'frames/*.png' or "
                   "frame%04d.png; a video")
      ->required();
  convolve
      ->add_option(
          "OUT", options.out,
          "The same, by its ending, or a folder; .npy keeps float values. Of many: a folder, out%04d.png, or a video")
      ->required();
  convolve->add_option("--jobs", options.jobs, "Of many files: so many are read and written at the same time")
      ->check(CLI::Range(1, 64));
  add_shard(*convolve, "--part", options.shard);
  add_convolution_options(*convolve, options);
  add_device(*convolve, options);
  convolve->add_flag("--json", options.json, "Print times and plan as JSON");
  convolve->add_flag("--force", options.force, "Replace files that exist. The input itself is never replaced");

  CLI::App* bench = app.add_subcommand("bench", "Measure variants against each other, no display needed");
  SweptFilters filters_swept;
  add_bench_options(*bench, options, filters_swept);

  CLI::App* list = app.add_subcommand("list", "Print variants, filters, paddings, formats and devices");
  list->add_flag("--json", options.json, "As JSON");

  CLI::App* selftest = app.add_subcommand("selftest", "Check every variant, padding and format against a reference");
  add_device(*selftest, options);
  add_variant(*selftest, "--variant", "Check this one alone", options.only);
  add_shard(*selftest, "--shard", options.shard);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return tl::unexpected(Exit{app.exit(success)});
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(Exit{complain(fmt::format("{} (convoscope --help lists the options)", error.what()))});
  }
  options.bench.sweep.filters = filters_swept.combined();
  CLI::App& chosen = *convolve ? *convolve : app;
  FilterSpec& filter = options.settings.filter;
  // A sigma given alone has the radius that fits it; a kind of filter given alone has a radius it can have.
  options.settings.auto_radius = chosen.count("--sigma") > 0 && chosen.count("--radius") == 0;
  if (chosen.count("--radius") == 0) choose_kind(filter, filter.kind);
  options.chooses_format = chosen.count("--format") == 0;
  options.verb = *bench      ? Verb::bench
                 : *convolve ? Verb::convolve
                 : *list     ? Verb::list
                 : *selftest ? Verb::selftest
                             : Verb::window;
  if (!options.bench.presets.empty())
    for (const char* own : {"--variant", "--filter", "--radius", "--sigma", "--size", "--block", "--padding",
                            "--format", "--set", "--cold"})
      if (bench->count(own) > 0) {
        return tl::unexpected(Exit{complain(fmt::format("{}: a preset has its own; leave out one of the two", own))});
      }
  // What is given for lane B alone holds for it alone; the rest is as for A.
  const bool own_format = app.count("--format-b") + app.count("--layout-b") + app.count("--channels-b") > 0;
  const bool own_block = app.count("--block-b") > 0;
  auto& [a, b] = options.settings.lanes;
  options.settings.link_lanes = !own_format && !own_block;
  if (!own_format) b.format = a.format;
  if (!own_block) b.block = a.block;
  options.settings_given = argc > 1;
  options.arguments.assign(argv, argv + argc);
  options.unattended = options.frames > 0 || !options.screenshot.empty();
  auto wrong = complaint(options);
  if (!wrong && !options.screenshot.empty())
    if (const Result<void> free = check_output(options.screenshot, files_of(options.settings.source), options.force);
        !free)
      wrong = free.error().text;
  if (wrong) return tl::unexpected(Exit{complain(*wrong)});
  return options;
}

}  // namespace conv
