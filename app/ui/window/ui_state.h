// What the panels remember that is not a setting: the view, and what is being typed.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/check/lab.h"
#include "app/lessons/diagram.h"
#include "app/lessons/lesson_curve.h"
#include "app/measure/chart.h"
#include "app/measure/crossover.h"
#include "app/model/commands.h"
#include "app/model/status.h"
#include "app/ui/widgets/search.h"
#include "app/ui/window/view_transform.h"

namespace conv {

struct ViewArea {
  float left = 0, top = 0, width = 0, height = 0;  // ImGui's screen pixels; empty if the lane is not shown
};

// What is drawn of one lane, for the application.
struct LaneArea {
  ViewArea view;     // its centre is the view's centre; empty if the lane is not drawn
  ViewArea visible;  // the part of it that is drawn
};

// The divider between A and B.
struct WipeBar {
  float at = 0.5f;     // 0 to 1 of the view
  bool level = false;  // it is horizontal, and A is above
};

constexpr std::size_t most_pins = 4;

// What is drawn over the picture.
enum class BlockOverlay { none, blocks, overlap, loads, sectors };
struct BlockOverlayInfo {
  BlockOverlay overlay;
  const char *title, *tip;
};
inline constexpr std::array block_overlays{
    BlockOverlayInfo{BlockOverlay::none, "Nothing", "The picture alone."},
    BlockOverlayInfo{BlockOverlay::blocks, "Blocks",
                     "The grid of blocks, and tile and apron of the block under the pointer."},
    BlockOverlayInfo{BlockOverlay::overlap, "Overlap of aprons",
                     "Where aprons overlap, pixels are loaded several times: the stronger the colour, the more often."},
    BlockOverlayInfo{BlockOverlay::loads, "Loads of each pixel",
                     "How often a block and its neighbours read each pixel from global memory, recorded from the "
                     "kernel."},
    BlockOverlayInfo{BlockOverlay::sectors, "Moves of each sector",
                     "How often the warps of a block and its neighbours move the sector of 32 bytes with each pixel, "
                     "recorded from the kernel. A sector is moved as a whole, even for a single pixel."},
};
struct BlockView {
  BlockOverlay overlay = BlockOverlay::none;
  int lane = 0, step = 0;      // among the kernels of the lane's plan
  int phase = 0, thread = -1;  // thread: under the mouse
  bool playing = false;
  double next_phase = 0;                // when to show it
  std::optional<BlockQuestion> wanted;  // requested by the panel in this frame
};

// What the trace panel shows of the block: one request of one warp.
struct TraceView {
  Generation generation = Generation::today;
  int warp = 0, request = 0;  // request: counted within the warp
  bool playing = false;
  int per_second = 4;
  double next_request = 0;              // when to show it
  std::optional<BlockQuestion> wanted;  // requested by the panel in this frame
};

// What the code panel shows of the thread of the picked pixel: one of its steps.
struct ThreadView {
  int step = 0;
  bool playing = false;
  double next_step = 0;                                      // when to show it
  int scrolled_to = 0;                                       // the line of the source that was brought into view
  std::array<std::array<int, 2>, 2> compiled_scrolled_to{};  // the same in PTX and machine code of lanes A and B
  std::optional<ThreadQuestion> wanted;                      // requested by the panel in this frame
};

class CodeDiff;
class KernelEditor;
// A kernel from a bundle: text that nothing has run.
struct OfferedKernel {
  std::string bundle;  // its file name
  std::string text;
};
// The kernel file of a variant, in the editor of the code panel.
struct EditView {
  OwnKernel kernel;                                              // in the editor; no file: none yet
  std::shared_ptr<KernelEditor> editor;                          // of that file
  std::map<std::string, std::shared_ptr<KernelEditor>> editors;  // with what can be undone, by file
  std::string in_use;                        // the text of the file that the lanes ran when it was last looked at
  OwnKernel to_export;                       // while the user chooses its file
  bool large = false;                        // in a window of its own
  bool compares = false;                     // shows the differences from the program's kernel
  OwnKernels texts;                          // of the files that were left
  std::shared_ptr<const LiveReport> marked;  // whose lines are marked in the editor
  std::optional<OwnKernel> changed;          // in this frame: to be kept
  std::shared_ptr<CodeDiff> diff;
  std::map<std::string, OfferedKernel> offered;  // by file
  std::optional<OwnKernel> set_aside;            // in this frame: a text that made room for an offered one
};

// What the code panel compares.
struct CodeView {
  bool shows_edit = false;  // the editor's tab is brought to the front, once
  int compared = 0;         // source, PTX, machine code
  std::shared_ptr<CodeDiff> diff;
  EditView edit;
};

struct PuzzleView {
  PuzzleKernel kernel;  // in the editor; number 0: none yet
  std::shared_ptr<KernelEditor> editor;
  std::map<int, std::string> texts;  // of the puzzles that were left, by number
  bool rises = true;                 // above other windows, once
  int hints = 1;                     // that are shown
  std::optional<Diagram> idea;       // of the puzzle with the number `drawn`
  int drawn = 0;
  std::string marked;                           // the text whose lines are marked in the editor
  std::optional<PuzzleKernel> wanted, changed;  // requested in this frame: to be checked, to be kept
};

// What was predicted at one step of a lesson.
struct LessonAnswer {
  std::optional<int> choice;
  std::optional<double> number;
  std::optional<Point2> place;  // the pixel that was clicked
  Curve drawn, curve;           // of a question for a curve: the answer, and the right one
  LessonPlans plans;            // of the lanes that the right one belongs to
  double top = 1;               // of the scale on which it is drawn
  int radius = 0;               // of the point that the arrow keys change
  bool draws = false;           // the mouse is drawing; it may have left the plot
  using Votes = std::array<int, most_choices>;
  std::array<Votes, 2> votes{};  // of an audience, in two rounds
  int round = 0;                 // of the votes that are being counted
  bool revealed = false;
  int since = 0;  // the frame in which it was revealed
  // Judged once, when the reveal's scene is shown: the controls may be moved after that.
  struct Verdict {
    std::optional<int> choice;  // the right one
    bool right = false;         // the number that was typed, the pixel, or the curve
    std::string number;         // the right one; of a curve, how far it is off, in percent
  };
  std::optional<Verdict> verdict;
  bool predicted() const {
    const auto voted = [](const Votes& counts) { return std::ranges::any_of(counts, std::identity()); };
    const bool is_drawn = !drawn.empty() && std::ranges::all_of(drawn, &std::optional<double>::has_value);
    return choice || number || place || is_drawn || std::ranges::any_of(votes, voted);
  }
};
// What belongs to the user and not to an experiment.
inline void keep_own(const Settings& from, Settings& to) {
  to.playback = from.playback;
  to.transfer = from.transfer;
  to.not_racing = from.not_racing;
  to.display.unit = from.display.unit;
  to.display.pixel_grid = from.display.pixel_grid;
}
// A lesson that is being written.
struct LessonDraft {
  std::string file;     // in the user's folder
  Lesson lesson, kept;  // kept: as it was last sent to that file
  std::size_t step = 0;
  std::map<QuestionKind, LessonQuestion> put_aside;  // of this step, of the kinds that were chosen before
  bool revealed = false;                             // the window is to show the scene behind the question
  // What that scene is in the window; nothing before it is shown there.
  std::optional<Settings> shown;
  std::vector<std::string> shown_panels;
  LessonStep& at() { return lesson.steps[step]; }
};
struct LessonView {
  std::string id;                                 // of the lesson; empty: the list of lessons, or the draft
  std::shared_ptr<const Lesson> own;              // the open one, if it is not one of the program's
  std::shared_ptr<const ReadLesson> last_opened;  // a new one begins
  std::optional<LessonDraft> draft;
  std::map<std::string, Lesson> written;  // the user's files that were changed here; without steps: removed
  std::optional<OwnLessonText> changed;   // in this frame: to be kept
  int step = 0;
  std::vector<LessonAnswer> answers;  // for each step
  std::string typed;                  // in the field for a number
  bool arrives = false;               // a step is shown for the first time: its field takes the keyboard
  float band = 0;                     // in presenter mode: height that its text needs beyond the usual, in pixels
  float turning_height = 0;           // of the buttons below the step, in the last frame
  bool rises = true;                  // its tab is brought to the front, once
  bool visible = false;               // its tab is in front
  // Of the user, for the end of the lesson.
  std::optional<Settings> before;
  std::vector<std::string> panels_before;  // of panel_ids
  // The settings once the lesson has ended; now: those of the window.
  Settings settings_of_user(const Settings& now) const {
    if (!before) return now;
    Settings kept = *before;
    keep_own(now, kept);
    return kept;
  }
  void keep_settings(const Settings& settings, std::vector<std::string> panels) {
    if (before) return;
    before = settings;
    panels_before = std::move(panels);
  }
  // The lesson ends, and so does writing one.
  void end() {
    draft.reset();
    id.clear();
    own.reset();
    answers.clear();
    before.reset();
  }
  // Scenes of a lesson are no steps of the user; those of a draft are.
  bool taught() const { return before && !(draft && id.empty()); }
};
struct RaceView {
  bool runs = false, frozen = false;
  bool by_time = true;
  std::optional<bool> logarithmic;  // not chosen: if the slowest takes ten times as long as the fastest
};

// What the bench panel shows, computed from the results for these choices.
struct BenchFigures {
  std::shared_ptr<const BenchResults> results;
  std::shared_ptr<const ShippedResults> shipped;  // null: not shown
  std::shared_ptr<const ReadResults> opened;      // the same
  std::string ceilings;                           // the date they were measured
  std::string shown;
  BenchClock clock = BenchClock::median;
  BenchValue value = BenchValue::ms;
  std::vector<BenchRow> rows;  // of this machine, then the shipped ones, then those of the opened file
  std::size_t first_opened = 0;
  Chart chart;
  std::vector<std::string> headers;
  struct Line {
    std::vector<std::string> texts;
    std::vector<double> keys;  // to sort by; NaN: sort by the text
    std::size_t row = 0;
  };
  std::vector<Line> lines;
};

struct BenchView {
  std::string shown = "s1";  // a preset, or "sweep"
  std::size_t axis = 0;      // of the sweep
  BenchClock clock = BenchClock::median;
  BenchValue value = BenchValue::ms;
  bool quick = false, cools_down = false;
  std::optional<bool> with_shipped;  // until it is chosen: where there is no GPU
  bool with_opened = true;
  std::shared_ptr<const ReadResults> last_opened;  // a new one changes what is shown
  Chart plot_to_save;                              // while the user chooses its file
  BenchFigures figures;
};

struct RooflinePoint {
  double intensity = 0, gflop_per_s = 0;  // operations per byte; a multiply-add counts as two
  friend bool operator==(const RooflinePoint&, const RooflinePoint&) = default;
};
struct RooflineView {
  std::array<std::deque<RooflinePoint>, 2> trails;  // of lanes A and B
  // The work of the shipped rows, and which those are: the first one.
  const BenchRow* shipped = nullptr;
  std::vector<std::vector<Cost>> shipped_costs;
};

struct CrossoverView {
  CrossoverKind kind = crossover_kinds[0];
  // Computed from these results for that kind.
  std::shared_ptr<const BenchResults> results;
  std::string_view shown;
  CrossoverMap map;
  std::vector<std::string> winners;  // in the order in which they won their first cell
};

struct OccupancyView {
  const GpuModel* gpu = nullptr;  // chosen by the user; null: the GPU of this computer, or an H200 if there is none
};

struct PublishedView {
  std::size_t table = 0;  // behind the tables: the documents without one
  BenchClock clock = BenchClock::median;
};

struct CommandPalette {
  bool open = false;  // requests to open it
  Search search;
};
// The list of variants of lane A or B.
struct VariantChooser {
  bool open[2] = {false, false};  // requests to open one: the key A or B
  Search search;
};

// Which concept or bug is shown.
struct ConceptsView {
  Gallery gallery = Gallery::concepts;
  std::array<std::size_t, 2> at{};  // by gallery
  std::size_t& shown() { return at[static_cast<std::size_t>(gallery)]; }
};

// What the measuring panels remember.
struct PanelViews {
  LabJob lab;  // the lab panel's choices
  BlockView block;
  TraceView trace;
  ThreadView thread;
  CodeView code;
  PuzzleView puzzle;
  LessonView lesson;
  ConceptsView concepts;
  RaceView race;
  BenchView bench;
  PublishedView published;
  OccupancyView occupancy;
  RooflineView roofline;
  CrossoverView crossover;
};

// Which panels are open.
struct ShownPanels {
  bool settings = true, timing = true, inspector = true;
  bool race = false, bench = false, published = false, roofline = false, crossover = false;
  bool block = false, trace = false, code = false, occupancy = false, idea = false, kernel = false, lab = false,
       explain = false, puzzle = false, lesson = false, concepts = false, profile = false, log = false, help = false;
  bool histogram = false;
  bool cpu_note = true;                            // in the status bar, where there is no GPU
  bool welcome = false;                            // at the first start, until something is done
  void open(const std::vector<std::string>& ids);  // those of these ids; others stay as they are
  std::vector<std::string> open_ones() const;      // their ids
};

// In the order of panel_ids.
inline constexpr bool ShownPanels::*panel_flags[] = {
    &ShownPanels::race,      &ShownPanels::block,     &ShownPanels::trace,  &ShownPanels::code,
    &ShownPanels::occupancy, &ShownPanels::lab,       &ShownPanels::bench,  &ShownPanels::published,
    &ShownPanels::roofline,  &ShownPanels::crossover, &ShownPanels::idea,   &ShownPanels::kernel,
    &ShownPanels::explain,   &ShownPanels::puzzle,    &ShownPanels::lesson, &ShownPanels::concepts,
    &ShownPanels::profile};
static_assert(std::size(panel_flags) == panel_ids.size());
inline std::vector<std::string> ShownPanels::open_ones() const {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < panel_ids.size(); ++i)
    if (this->*panel_flags[i]) ids.emplace_back(panel_ids[i]);
  return ids;
}
inline void ShownPanels::open(const std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < panel_ids.size(); ++i)
    if (std::ranges::find(ids, panel_ids[i]) != ids.end()) this->*panel_flags[i] = true;
}

// What panels need in this frame because they are visible; taken and cleared before the next frame.
struct Wants {
  bool thumbnails = false;                          // the list of filters is open
  bool histogram = false;                           // it is shown
  bool trace = false;                               // the timeline of a frame is open, and the mouse is not over one
  bool cameras = false;                             // their list is open, or should be refreshed
  bool inspection = false;                          // the inspector is open
  bool region = false;                              // the profile is open
  bool puzzles = false;                             // the puzzle panel is open
  std::optional<LessonPlans> lesson;                // a lesson names numbers of these kernels
  bool own_kernels = false;                         // the editor of the code panel is open
  bool shipped = false;                             // a panel that shows shipped results is open
  std::optional<FolderQuestion> folder;             // the file chooser is open
  std::optional<ResultsQuestion> results;           // a results file was opened
  std::optional<LessonFileQuestion> lesson_file;    // a lesson file was opened
  bool own_lessons = false;                         // the list of lessons is open
  std::array<std::optional<CodeQuestion>, 2> code;  // of lanes A and B
  std::optional<WhatIfQuestion> what_if;
  std::optional<ShapesQuestion> shapes;
  HeatQuestion heat;                                          // of every lane
  std::array<std::optional<ExplainQuestion>, 2> explanation;  // of lanes A and B
};

// How the pictures of lanes A and B are compared.
struct CompareView {
  // The side-by-side view, unlocked: the distance from A's centre to B's, in image pixels; kept while it is locked.
  bool unlocked = false;
  Vec2 apart;
  bool side_by_side = false;  // the side-by-side view is shown
  bool subtracts = false;     // the difference view is
  WipeBar wipe;
  bool flipped = false;          // the flip view shows B
  bool holds_b = false;          // while the key is held
  bool holds_reference = false;  // while the key is held
  bool original = false;         // the source is shown in place of lane A
  bool holds_original = false;   // in place of every lane, while the key is held; in the difference only of A
  bool shows_original(int lane) const {
    return (holds_original && !(subtracts && lane == 1)) || (original && lane == 0);
  }
  bool blinks = false;  // the flip view changes by itself; off at every start
  float blink_hz = 1;   // 0.5 to 4
};

// The pixels that the mouse and the user point at.
struct Probe {
  bool hovered = false;  // the pointer is over a pixel of the image
  int hovered_lane = 0;
  Point2 pixel;                  // which
  std::optional<Point2> picked;  // by a click; arrow keys move it
  std::vector<Point2> pins;      // kept pixels, at most most_pins
  int inspected_pin = -1;        // the one that the inspector shows; -1: the pixel under the pointer
  int channel = 0;               // the channel that it shows
  // Selected by Shift and a drag, which began at this pixel.
  std::optional<PixelRect> region;
  std::optional<Point2> region_from;
  void forget_pixels() {
    picked.reset();
    region.reset();
    region_from.reset();
    last.reset();
  }
  std::optional<Point2> last;  // the one that the profile's line went through, while the pointer is elsewhere
  bool column = false;         // without a region, the profile is along the column through the pixel, not the row
};

// Presenter mode: large numbers and pictures only.
struct Presenter {
  bool on = false;
  bool blank = false;       // a black screen
  bool shows_timer = true;  // how long it has been on
  // The panel that is shown in place of the pictures; null: none.
  bool ShownPanels::*panel = nullptr;
  double since = 0;
  // What it says about the lanes, since when, and for which plans.
  struct Presented {
    double since = 0;
    std::array<std::string, 2> times;
    std::array<std::shared_ptr<const LaunchPlan>, 2> plans;
    std::string verdict;
    int faster = -1;  // the lane, if one is
  };
  Presented presented;
  struct TrailPoint {
    Vec2 at;
    double when;
  };
  std::deque<TrailPoint> trail;  // where the pointer was
};

// A message at the bottom for some seconds.
struct Toast {
  std::string text;
  bool is_error = false;
  double until = 0;
  std::string offer_path;  // a file that can be opened at offer_percent instead
  int offer_percent = 0;
};

// A question to the user; its window is on top until it is answered.
struct Question {
  std::string title, text, yes, no;  // yes, no: the texts of the buttons
  Command on_yes, on_no;
};

struct MatrixEditor {
  std::string text, error;
  bool editing = false;
};

// The window opened by Ctrl+G, and what is typed there.
struct GoTo {
  bool open = false;
  Point2 pixel;
  float zoom = 1;
};

// The chooser for files inside the window.
struct FileChooser {
  bool open = false;                            // it is wanted; taken when it appears
  std::optional<command::What> saves;           // nothing: opens a file
  std::string folder;                           // absolute; kept for the next time
  bool takes_keyboard = false;                  // its field does, in the next frame
  int visits = 0;                               // of folders: each reads its folder anew
  std::string typed;                            // the name of the file to save, kept for the next time
  command::What named = command::What::result;  // what it is a name for
  Search search;                                // among the files to open
};

struct LayoutState {
  bool reset = false;
  int focus_settings =
      0;  // frames until its tab is brought to the front: windows that appear take the front themselves
  std::optional<bool> narrow;       // which of the two layouts fits the window's width
  std::array<std::string, 2> kept;  // the other one as it was: a window is often resized for a projector, and back
  std::string wanted;               // to load before the next frame
};

struct UiState {
  // Whether this panel is on the screen.
  bool shows(bool ShownPanels::*panel) const { return presenter.on ? presenter.panel == panel : shown.*panel; }
  ViewTransform view;
  CompareView compare;
  ViewTransform view_of(int lane) const {
    ViewTransform of = view;
    if (lane == 1 && compare.side_by_side)
      of.centre = {view.centre.x + compare.apart.x, view.centre.y + compare.apart.y};
    return of;
  }
  // Whether a race was started in a panel that is on the screen, or at the desk while presenting.
  bool races() const { return panels.race.runs && (shown.race || shows(&ShownPanels::race)); }
  // Of the panels that lessons open, these alone stay; in presenter mode, the first that can be shown there.
  void show_only(const std::vector<std::string>& ids);
  // The ids of those panels that are open.
  std::vector<std::string> scene_panels() const {
    std::vector<std::string> ids = shown.open_ones();
    std::erase(ids, "lesson");
    return ids;
  }
  std::array<LaneArea, max_lanes> areas;
  Probe probe;
  ShownPanels shown;
  PanelViews panels;
  Wants wants;
  Presenter presenter;
  LayoutState layout;
  CommandPalette palette;
  VariantChooser chooser;
  MatrixEditor matrix;
  GoTo go_to;
  FileChooser file_chooser;
  Toast toast;
  std::optional<Question> question;
  struct LogLine {
    std::string time, text;  // "14:03:07"
    bool is_error = false;
  };
  std::vector<LogLine> log;
  bool holds_key = false;        // one that repeats while it is held
  std::string path_text;         // typed
  std::optional<float> seeking;  // the position in a video that is being dragged to
};

// Those that presenter mode can show in place of the pictures.
inline constexpr bool ShownPanels::*presentable_panels[] = {
    &ShownPanels::race,   &ShownPanels::block,  &ShownPanels::trace,    &ShownPanels::idea,   &ShownPanels::inspector,
    &ShownPanels::kernel, &ShownPanels::puzzle, &ShownPanels::concepts, &ShownPanels::profile};
inline void UiState::show_only(const std::vector<std::string>& ids) {
  presenter.panel = nullptr;
  for (std::size_t i = 0; i < panel_ids.size(); ++i) {
    if (panel_flags[i] == &ShownPanels::lesson) continue;
    shown.*panel_flags[i] = std::ranges::find(ids, panel_ids[i]) != ids.end();
    const bool can = std::ranges::find(presentable_panels, panel_flags[i]) != std::end(presentable_panels);
    if (presenter.on && shown.*panel_flags[i] && can && !presenter.panel) presenter.panel = panel_flags[i];
  }
  panels.race.runs = panels.race.runs && shown.race;
}

}  // namespace conv
