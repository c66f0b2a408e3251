// What is known in this frame, for panels to show: a snapshot, no handles.
#pragma once
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/check/block_shapes.h"
#include "app/check/compiled_text.h"
#include "app/check/followed_thread.h"
#include "app/check/inspection.h"
#include "app/check/lab.h"
#include "app/check/memory_heat.h"
#include "app/lessons/lesson_facts.h"
#include "app/lessons/own_lessons.h"
#include "app/live/own_kernels.h"
#include "app/live/puzzle_folder.h"
#include "app/measure/explanation.h"
#include "app/measure/gpu_models.h"
#include "app/measure/image_metrics.h"
#include "app/measure/presets.h"
#include "app/measure/region_values.h"
#include "app/measure/shipped.h"
#include "app/measure/time_samples.h"
#include "app/model/frame_trace.h"
#include "app/model/settings.h"
#include "app/sources/feed.h"
#include "app/sources/recording.h"
#include "app/sources/sample_pictures.h"
#include "kernels/core/blocks.h"
#include "kernels/core/cost.h"
#include "kernels/core/occupancy.h"
#include "kernels/core/plan.h"
#include "kernels/cpu/block_recording.h"
#include "kernels/gpu/gpu_clock.h"
#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

struct StepTime {
  std::string title;
  std::optional<Summary> ms;
};

// The GPU resources that a lane's kernel uses.
struct StepOccupancy {
  std::string title;
  KernelResources resources;
  Occupancy occupancy;
  int counted_blocks = 0;    // as CUDA counts them
  double waves = 0;          // grid / blocks that all multiprocessors hold at once
  double writing_share = 0;  // share of threads that write a pixel
  struct Point {
    Size2 block;
    std::optional<double> share;  // nothing if the plan is refused
  };
  std::vector<Point> curve;  // over the block shapes of the list, with this kernel's registers
};

// Times of a lane's launches with its current plan.
struct LaneFigures {
  std::optional<Summary> kernel_ms;
  std::optional<float> before_ms;  // the median of the settings before, until there is a new one
  std::optional<float> cold_ms;    // the first launch; on the GPU it is not one of the samples
  long long generation = 0;        // grows when the times start again
  std::vector<float> history;      // kernel ms, oldest first
  std::vector<StepTime> steps;
  std::vector<StepSpan> timeline;  // of the last timed launch: a span for each step of the plan
  std::optional<Summary> to_texture_ms;
};

struct LiveReport;

struct LaneStatus {
  bool active = false;       // shown in this view, so it runs
  bool has_picture = false;  // its texture has a result
  std::string shown;         // what the picture shows: "tile_unrolled · radius 5"
  std::string note;          // why the picture is not what was requested: compiling, computing; otherwise empty
  std::string refusal;       // why the chosen settings cannot run; empty if they can
  std::string exhibit;       // how the running variant is deliberately wrong
  std::string outdated;      // the CPU runs another text of the kernel than the editor shows; empty: the same
  std::shared_ptr<const LiveReport> edited;  // of the variant's edited kernel file; null: not edited, or being checked
  std::string log;                           // the compiler's whole log, together with `note`
  bool on_cpu = false;                       // times are CPU times
  int max_radius = conv::max_radius;         // the largest square window that the variant can do here
  bool includes_transfers() const { return plan && plan->transfers(); }
  // A smaller radius would run. False if no radius does.
  bool refused_by_radius(int radius) const { return !refusal.empty() && radius > max_radius && max_radius > 0; }
  bool settled = false;   // the picture shows the chosen settings by the exact kernel
  long long frame = -1;   // of the moving source: the frame that the picture shows
  long long picture = 0;  // grows with each new picture
  LaneFigures times;
  bool interop = false;
  std::string interop_reason;              // why interop is off
  bool centred = false;                    // drawn with 0 as grey
  std::shared_ptr<const LaunchPlan> plan;  // of the chosen settings, if they can run
  std::vector<StepOccupancy> occupancy;    // of the running kernels, on a GPU
};

// A pixel of the image's corner, or the padding's value there; nothing if valid padding has no result.
struct CornerCell {
  unsigned char r = 0, g = 0, b = 0;
  bool exists = false;
};

// The last or current run of the correctness lab: cells row by row, one row per filter, one column per variant.
struct LabStatus {
  LabJob job;
  std::vector<LabCell> cells;
  std::string device, error;
  bool running = false;
  int done = 0, total = 0;
};

// The last or current sweep, and all results of this processor.
struct BenchStatus {
  bool running = false;
  std::string doing, error;
  int done = 0, total = 0;
  std::chrono::steady_clock::time_point started;
  std::shared_ptr<const BenchResults> results = std::make_shared<BenchResults>();
  std::optional<Ceilings> ceilings;
};

struct RecordedBlock {
  BlockQuestion question;
  BlockRecording recording;
};

// The compiler's output for a kernel.
struct CodeQuestion {
  std::shared_ptr<const KernelTexts> texts;
  CompileJob job;  // for machine code
  friend bool operator==(const CodeQuestion&, const CodeQuestion&) = default;
};
struct CodeAnswer {
  CodeQuestion question;
  CompiledText ptx, sass;
};

// A variant in a race is checked once it has run; until then it is not ranked.
enum class RaceState { waiting, compiling, racing, refused, failed };
struct RaceEntryStatus {
  std::string variant;
  RaceState state = RaceState::waiting;
  std::string text;  // why it was refused, or how wrong it is
  std::optional<Summary> ms;
  Interval interval;         // of the median
  int place = 0;             // from 1, shared by those who tie; 0: not ranked, or not yet
  Comparison against_first;  // time of the fastest / this time
  bool checked = false, transfers = false;
  bool less_exact = false;  // by a switch: ranked separately
  std::vector<Cost> costs;  // of its steps
  double error = 0;         // largest; 1 is full scale
};
struct RaceStatus {
  bool running = false, on_cpu = false;
  int rounds = 0;
  std::string what;  // "1920×1080 RGBA8 · Gaussian, 11×11 · Replicate · block 16×16"
  std::vector<RaceEntryStatus> entries;
};

struct CameraList {
  std::vector<Camera> cameras;
  std::string error;  // why looking for cameras failed
};
inline CameraList list_cameras() {
  Result<std::vector<Camera>> found = find_cameras();
  return found ? CameraList{std::move(*found), ""} : CameraList{{}, found.error().text};
}

// The contents of a folder.
struct FolderQuestion {
  std::string folder;
  int visit = 0;  // another visit reads it anew
  friend bool operator==(const FolderQuestion&, const FolderQuestion&) = default;
};
struct FolderEntry {
  std::string name;
  bool is_folder = false;
  long long bytes = 0;
};
struct FolderListing {
  FolderQuestion question;
  std::vector<FolderEntry> entries;
  std::string note;  // why it is incomplete; otherwise empty
};

// A results file to show beside the own results.
struct ResultsQuestion {
  std::string path;
  int visit = 0;  // another visit reads it anew
  friend bool operator==(const ResultsQuestion&, const ResultsQuestion&) = default;
};
struct ReadResults {
  ResultsQuestion question;
  std::string name;            // of the file
  std::vector<BenchRow> rows;  // at least one
};

// A lesson file to open.
struct LessonFileQuestion {
  std::string path;
  int visit = 0;  // another visit reads it anew
  friend bool operator==(const LessonFileQuestion&, const LessonFileQuestion&) = default;
};
struct ReadLesson {
  LessonFileQuestion question;
  Lesson lesson;
};

// What kernels of lanes A and B would use of a GPU that is not here.
struct WhatIfQuestion {
  const GpuModel* gpu = nullptr;
  std::shared_ptr<const KernelTexts> texts;
  Size2 image;
  std::shared_ptr<const Taps> taps;
  std::array<std::optional<PlanInputs>, 2> lanes;  // nothing: not shown
  friend bool operator==(const WhatIfQuestion&, const WhatIfQuestion&) = default;
};
struct WhatIfAnswer {
  WhatIfQuestion question;
  std::array<std::vector<StepOccupancy>, 2> lanes;
  std::array<std::optional<LeastTime>, 2> least;
  std::array<std::string, 2> why_none;  // a refusal, or no compiler
};

// What explains the time of a configuration: its own kernels, counted, and its times with other blocks.
struct ExplainQuestion {
  std::shared_ptr<const KernelTexts> texts;
  std::string architecture;  // "sm_90"
  BenchPoint point;
  std::shared_ptr<const LaunchPlan> plan;    // of the lane; null: that of the point
  std::shared_ptr<const BenchResults> rows;  // where times with other blocks are looked for
  DeviceLimits limits;
  std::optional<MultiprocessorLimits> multiprocessor;  // to count waves; nothing: they are known already
  friend bool operator==(const ExplainQuestion& a, const ExplainQuestion& b) {
    return a.texts == b.texts && a.architecture == b.architecture && a.point == b.point && a.plan == b.plan &&
           a.rows == b.rows;
  }
};
struct ExplainAnswer {
  ExplainQuestion question;
  std::vector<StepCounts> steps;
  std::vector<OtherBlock> others;
  std::string why_not;  // if there are no steps
};

struct DeviceStatus {
  std::string name;                    // "NVIDIA H200" or "CPU executor, 2 threads"
  std::string detail;                  // driver, runtime, architecture
  std::string architecture = "sm_90";  // that kernels are compiled for; an example if there is no GPU
  std::string no_gpu;                  // why kernels run on the CPU; empty on a GPU
  bool connecting = false;             // they run there until the GPU's driver answers
  DeviceLimits limits;
  std::optional<GpuClock> clock;  // nothing if the driver does not report it
};

// The picture or the moving source, and its costs until it is on the processor.
struct SourceStatus {
  std::vector<Sample> samples;
  std::string name, note;
  Size2 size;
  int channels = 0;
  std::optional<Summary> upload_ms;
  long long upload_bytes = 0;         // of each upload
  std::vector<StepTime> conversions;  // of a frame, on the GPU, before the lanes
  std::optional<double> link_rate;    // highest rate from page-locked memory, 10^9 bytes per second; for moving sources
  std::optional<FeedStatus> feed, opening;    // the moving source, and the one that replaces it once it is open
  std::optional<Summary> wait_ms, decode_ms;  // of a frame: waiting for it, and decoding it
  std::optional<Summary> latency_ms;          // from then until it is given to the display
  std::optional<RecordingStatus> recording;
  std::shared_ptr<const CameraList> cameras;  // null before the first search
  bool playing() const { return feed && feed->state == FeedState::playing; }
};

struct FilterStatus {
  std::shared_ptr<const Taps> taps;  // of the last valid filter
  int rank = 1;                      // of the filter's matrix
  double rank_1_error = 0;           // of the best rank-1 approximation, relative to the largest tap
  std::array<CornerCell, 16> corner;
  std::string error;        // why the filter cannot be used; lanes keep their pictures
  std::vector<float> bell;  // row taps of a separable filter
};

// What is read from the pictures on the screen.
struct PictureStatus {
  std::optional<ImageMetrics> metrics;  // of the pictures shown, in the difference view
  float gain = 1;                       // of the difference view, chosen or automatic
  std::optional<Histogram> histogram;   // of lane A's picture, while requested
  std::string no_difference;            // why A and B cannot be subtracted; empty if they can
  bool has_reference = false;           // the reference is available, while requested
  bool has_original = false;            // the same of the source
  // What each lane's area shows: its letter, R for the reference, O for the original.
  std::array<char, max_lanes> letters{};
  float reference_progress = 1;  // of the reference being computed
  // What each lane shows, while pixels are large enough for numbers.
  std::array<std::optional<ImagePart>, max_lanes> pixels;
};

// Host times of the window's frames.
struct FrameStatus {
  std::optional<Summary> ms, launch_ms, panels_ms, draw_ms, swap_ms;
  std::optional<Summary> map_ms;  // host time of giving all textures to CUDA and taking them back
  float display_fps = 0;
  std::shared_ptr<const FrameTrace> trace;  // of a recent frame, while requested; null before the first
};

// A region of the pictures, or one line through them, in numbers.
struct RegionStatus {
  std::string none;  // why there is nothing
  PixelRect rect;    // in the source
  // Of the original, of lane A and of lane B; null until it has been read, or if it is not shown.
  std::array<std::shared_ptr<const RegionValues>, 3> of;
  std::array<Point2, 3> corner;                // where the pictures that they are parts of begin in the source
  std::optional<RegionDifference> difference;  // of A and B
};

// The pixel under the pointer, or the picked one.
struct ProbeStatus {
  std::optional<Inspection> inspection;
  std::string no_inspection;  // why there is none
  // As lanes A and B show it, in the unit of the inspection's type; nothing until it has been read.
  std::array<std::optional<std::array<double, 3>>, 2> shown;
  RegionStatus region;
  std::string cursor;  // "x 831  y 402  A 118 94 61 255"
};

struct CodeStatus {
  std::shared_ptr<const KernelTexts> kernels;                // as on disk, or built in
  std::string kernels_from;                                  // which of the two, and when they last changed
  std::set<std::string> edited_here;                         // files whose texts are those of the window's editor
  std::array<std::shared_ptr<const CodeAnswer>, 2> answers;  // of lanes A and B; null before the first
  std::shared_ptr<const OwnKernels> own;                     // null until the panel has asked for them
  std::string own_error;                                     // why a text could not be read or kept
};

struct PuzzleStatus {
  std::shared_ptr<const PuzzleFolder> folder;  // null until a panel has asked for it
  std::set<int> passed;                        // since the program started, by number
  std::shared_ptr<const CheckedPuzzle> checked;
  bool checking = false;
  std::string error;  // why the last kernel could not be checked, or the kernel in the editor not be kept
};

// A picture that is being written in the background.
struct SavingStatus {
  std::string what;  // "results.png", "the view"
  float share = 0;   // done
  float seconds = 0;
};

// Times of lanes A and B from the best source: a race in which both run, otherwise the live view.
struct BestTimes {
  bool of_race = false;
  std::array<std::optional<Summary>, 2> ms;
  Comparison comparison;  // while both run on the same kind of processor
};

struct AppStatus {
  DeviceStatus device;
  SourceStatus source;
  FilterStatus filter;
  PictureStatus picture;
  std::array<LaneStatus, max_lanes> lanes;
  BestTimes best;
  FrameStatus frame;
  ProbeStatus probe;
  CodeStatus code;
  std::shared_ptr<const RecordedBlock> block;  // null before the first
  std::shared_ptr<const TracedBlock> trace;    // the same
  std::shared_ptr<const FollowedThread> thread;
  std::shared_ptr<const BlockShapes> shapes;
  std::shared_ptr<const HeatAnswer> heat;
  std::array<std::shared_ptr<const ExplainAnswer>, 2> explained;  // of lanes A and B; null before the first
  PuzzleStatus puzzles;
  std::shared_ptr<const LessonCounts> lesson;  // of the kernels that a lesson asked for last; null before the first
  RaceStatus race;
  LabStatus lab;
  BenchStatus bench;
  std::shared_ptr<const ShippedResults> shipped;      // null until a panel has asked for them
  std::shared_ptr<const ReadResults> opened_results;  // null before the first
  std::shared_ptr<const ReadLesson> opened_lesson;    // null before the first
  std::shared_ptr<const OwnLessons> own_lessons;      // null until the panel has asked for them
  std::string own_lesson_error;                       // why they could not be read or kept
  std::shared_ptr<const WhatIfAnswer> what_if;        // null before the first
  std::shared_ptr<const FolderListing> folder;        // the last one that was read; null before the first
  std::optional<SavingStatus> saving;
  std::string undo, redo;  // what they would change; empty if there is nothing
};

}  // namespace conv
