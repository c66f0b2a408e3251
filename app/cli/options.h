// The command line: one grammar for the window and for the commands that need none.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/measure/presets.h"
#include "app/model/settings.h"
#include "kernels/core/error.h"
#include "kernels/cpu/memory_rules.h"

namespace conv {

enum class Verb { window, bench, check, convolve, lesson, list, new_variant, puzzle, selftest, trace };

struct Shard {
  int index = 1, count = 1;  // 1-based
};

// What `bench` measures, compares or shows, and where it writes it.
struct BenchOptions {
  std::vector<std::string> presets;  // empty: the sweep
  FreeSweep sweep;
  bool quick = false, cools_down = false, resume = false;
  BenchClock clock = BenchClock::median;
  std::optional<BenchValue> value;                       // plotted; none: the preset's default
  std::optional<std::string> csv, json, markdown, plot;  // files; "-" is the standard output
  std::string from;                                      // a results file to show instead of measuring
  std::vector<std::string> compare;                      // two results files
  double within = 0.03;                                  // ratios closer to 1 are no change
};

// Which block `trace` records, and by which rules it counts.
struct TraceOptions {
  std::optional<Point2> block;  // none: the one in the middle
  Generation generation = Generation::today;
};

struct PuzzleOptions {
  bool list = false;
  int number = 0, hints = 1;    // hints: how many are shown
  std::string start, solution;  // files to write; empty: none
};

struct LessonOptions {
  bool list = false;
  std::string id;
  Language language = Language::english;
  std::string handout;  // the folder to write; empty: the text is printed
};

// How the window starts. An option that is not given keeps the remembered preference.
struct WindowOptions {
  std::optional<Theme> theme;
  std::optional<float> scale;
  std::optional<Size2> window_size;
  std::vector<std::string> panels;  // to open, of panel_ids
  int frames = 0;                   // 0: until closed
  std::string screenshot;
  bool no_interop = false, no_vsync = false;
  bool trust = false;       // sessions may open pictures outside their own folder
  bool unattended = false;  // the window closes by itself: nobody is there to answer a question
  int restart_state = -1;   // of the process that started this one after a fault
};

struct Options {
  Verb verb = Verb::window;
  Settings settings;
  DeviceChoice device = DeviceChoice::automatic;
  bool json = false;
  bool verbose = false;  // with --version
  // convolve: files; without an input settings.source stands for it. trace: only an input, which may be missing.
  // check: a kernel. puzzle: the same, may be missing. new-variant: its name, and the source folder.
  std::string in, out;
  std::string session;           // convolve: a file with the settings to begin with; empty: the usual ones
  std::string plan;              // check: of declared_plans; empty: that of the variant
  bool without_sandbox = false;  // check, puzzle: also where the system has no sandbox for kernels
  bool chooses_format = false;   // convolve without --format: the picture's numbers are kept
  bool force = false;            // replace files that exist
  bool check = false;            // convolve: watch what the kernels access, and compare with the reference
  Shard shard;                   // selftest; convolve with many files
  int jobs = 2;                  // convolve: files read and written at the same time
  std::string only;              // selftest: only this variant, without the matrix
  TraceOptions trace;
  BenchOptions bench;
  PuzzleOptions puzzle;
  LessonOptions lesson;
  WindowOptions window;
  bool settings_given = false;         // otherwise the window keeps the remembered settings
  bool variant_given = false;          // that of lane A
  std::vector<std::string> arguments;  // as given, the program's name first
};

// Parses and checks. The error is the exit status: help was printed, or one line on stderr says what to change.
struct Exit {
  int status;
};
tl::expected<Options, Exit> parse_options(int argc, const char* const* argv);

// What a step of a lesson shows.
struct Scene {
  Settings settings;
  std::vector<std::string> panels;  // of panel_ids
  bool has_source = false;          // the options name a pattern or a picture
  bool has_file = false;            // the picture is a file of the user's
};
// A scene is written as options of the window. Somebody else may have written it: it knows only the options of filter,
// lanes, pattern and view, --picture NAME for a picture that comes with the program, and --file NAME for one in the
// folder or bundle `pictures` (resolve_scene_picture). It reads no other file.
Result<Scene> parse_scene(const std::string& options, const std::filesystem::path& pictures = {});  // as in a shell
Result<Scene> parse_scene(std::vector<std::string> options);  // each an option with its value, "--radius=7"

// "16x16" with both sides at least 1; nothing if the text is not a size.
std::optional<Size2> parse_size(std::string_view text);

}  // namespace conv
