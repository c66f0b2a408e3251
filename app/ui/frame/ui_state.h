// What the panels remember that is no setting: where the view is, what is being typed.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/check/lab.h"
#include "app/measure/chart.h"
#include "app/measure/crossover.h"
#include "app/model/commands.h"
#include "app/model/status.h"
#include "app/ui/frame/view_transform.h"

namespace conv {

struct ViewArea {
  float left = 0, top = 0, width = 0, height = 0;  // screen pixels of ImGui; empty when the lane is not shown
};

// What is drawn of one lane, for the application.
struct LaneArea {
  ViewArea view;     // whose middle the picture is seen from; empty when the lane is not drawn
  ViewArea visible;  // the part of it that is drawn
};

// The bar between A and B.
struct WipeBar {
  float at = 0.5f;     // 0 to 1 of the view
  bool level = false;  // it lies, and A is above
};

constexpr std::size_t most_pins = 4;

enum class BlockOverlay { none, blocks, heat };
struct BlockView {
  BlockOverlay overlay = BlockOverlay::none;
  int lane = 0, step = 0;      // among the kernels of the lane's plan
  int phase = 0, thread = -1;  // thread: under the mouse
  bool playing = false;
  double next_phase = 0;                // when
  std::optional<BlockQuestion> wanted;  // by the panel, in this frame
};

struct RaceView {
  bool runs = false, frozen = false;
  bool by_time = true, logarithmic = false;
};

// What the bench panel shows, worked out of the results for these choices.
struct BenchFigures {
  std::shared_ptr<const BenchResults> results;
  std::string ceilings;  // their date
  std::string shown;
  BenchClock clock = BenchClock::median;
  BenchValue value = BenchValue::ms;
  Chart chart;
  std::vector<std::string> headers;
  struct Line {
    std::vector<std::string> texts;
    std::vector<double> keys;  // to sort by; not a number: the text
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
  Chart plot_to_save;  // while its file is being chosen
  BenchFigures figures;
};

struct RooflinePoint {
  double intensity = 0, gflop_per_s = 0;  // operations a byte; a multiply-add is two
  friend bool operator==(const RooflinePoint&, const RooflinePoint&) = default;
};
struct RooflineView {
  std::array<std::deque<RooflinePoint>, 2> trails;  // of lanes A and B
};

struct CrossoverView {
  CrossoverKind kind = crossover_kinds[0];
  // Worked out of these results for that kind.
  std::shared_ptr<const BenchResults> results;
  std::string_view shown;
  CrossoverMap map;
  std::vector<std::string> winners;  // in the order in which they came to have a cell
};

struct PublishedView {
  std::size_t table = 0;
  BenchClock clock = BenchClock::median;
};

struct CommandPalette {
  bool open = false;  // asks for it
  std::string typed;
  int chosen = 0;
};

// What the panels of measurements remember.
struct PanelViews {
  LabJob lab;  // what its panel is set to
  BlockView block;
  RaceView race;
  BenchView bench;
  PublishedView published;
  RooflineView roofline;
  CrossoverView crossover;
};

// Which of the windows are open.
struct ShownPanels {
  bool settings = true, timing = true, inspector = true;
  bool race = false, bench = false, published = false, roofline = false, crossover = false;
  bool block = false, code = false, occupancy = false, idea = false, lab = false, log = false, help = false;
  bool welcome = false;  // at the first start, until something is done
};

// What panels ask for in this frame, because it can be seen; taken and cleared before the next.
struct Wants {
  bool thumbnails = false;  // the list of filters is open
  bool histogram = false;
  bool trace = false;       // the timeline of a frame is open, and the mouse is not over one
  bool cameras = false;     // their list is open, or was asked to look again
  bool inspection = false;  // the inspector is open
  std::optional<CodeQuestion> code;
};

// How the pictures of lanes A and B stand to each other.
struct CompareView {
  // The side view unlocked: how far B's middle is from A's, in pixels of the image; kept when it is locked again.
  bool unlocked = false;
  Vec2 apart;
  bool side_by_side = false;  // what is drawn is the side view
  WipeBar wipe;
  bool flipped = false;          // the flip view shows B
  bool holds_b = false;          // while the key is down
  bool holds_reference = false;  // likewise
  bool blinks = false;           // the flip view changes by itself; off at every start
  float blink_hz = 1;            // 0.5 to 4
};

// Which pixels the mouse and the user point at.
struct Probe {
  bool hovered = false;  // the cursor is over a pixel of the image
  int hovered_lane = 0;
  Point2 pixel;                  // which
  std::optional<Point2> picked;  // by a click; arrows move it
  std::vector<Point2> pins;      // kept pixels, at most most_pins
  int inspected_pin = -1;        // which of them the inspector shows; -1: the cursor's pixel
  int channel = 0;               // that it shows
};

// Large figures and pictures, nothing else.
struct Presenter {
  bool on = false;
  bool blank = false;       // all eyes on the lecturer
  bool shows_timer = true;  // how long it has presented
  double since = 0;
  // What it says of the lanes, since when, and of which plans.
  struct Presented {
    double since = 0;
    std::array<std::string, 2> times;
    std::array<std::shared_ptr<const LaunchPlan>, 2> plans;
    std::string verdict;
  };
  Presented presented;
  struct TrailPoint {
    Vec2 at;
    double when;
  };
  std::deque<TrailPoint> trail;  // where the pointer was
};

// A line at the bottom for some seconds.
struct Toast {
  std::string text;
  double until = 0;
  std::string offer_path;  // a file that can be opened at offer_percent instead
  int offer_percent = 0;
};

// What the user must decide; its window is on top until then.
struct Question {
  std::string title, text, yes, no;  // yes, no: words of the buttons
  Command on_yes, on_no;
};

struct MatrixEditor {
  std::string text, error;
  bool editing = false;
};

// The window that Ctrl+G opens, and what is typed there.
struct GoTo {
  bool open = false;
  Point2 pixel;
  float zoom = 1;
};

struct LayoutState {
  bool reset = false;
  int focus_settings = 0;      // frames until its tab comes to the front: windows that appear take the front themselves
  std::optional<bool> narrow;  // which of the two default layouts the window's width asks for
};

struct UiState {
  ViewTransform view;
  CompareView compare;
  ViewTransform view_of(int lane) const {
    ViewTransform of = view;
    if (lane == 1 && compare.side_by_side)
      of.centre = {view.centre.x + compare.apart.x, view.centre.y + compare.apart.y};
    return of;
  }
  std::array<LaneArea, max_lanes> areas;
  Probe probe;
  ShownPanels shown;
  PanelViews panels;
  Wants wants;
  Presenter presenter;
  LayoutState layout;
  CommandPalette palette;
  MatrixEditor matrix;
  GoTo go_to;
  Toast toast;
  std::optional<Question> question;
  std::vector<std::string> log;
  bool holds_key = false;                  // one that steps on while it is held
  std::string path_text;                   // typed
  std::optional<float> seeking;            // where the place in a video is being dragged to
  bool open_variants[2] = {false, false};  // the A or B key asks the toolbar to open its list
};

}  // namespace conv
