// What is known at this frame, for panels to show: a snapshot, no handles.
#pragma once
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/check/inspection.h"
#include "app/check/lab.h"
#include "app/measure/image_metrics.h"
#include "app/measure/presets.h"
#include "app/measure/samples.h"
#include "app/model/frame_trace.h"
#include "app/model/settings.h"
#include "app/sources/feed.h"
#include "app/sources/recording.h"
#include "app/sources/samples.h"
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

// What a kernel of a lane takes of the GPU.
struct StepOccupancy {
  std::string title;
  KernelResources resources;
  Occupancy occupancy;
  int counted_blocks = 0;    // as CUDA counts them
  double waves = 0;          // the grid over what all multiprocessors hold at once
  double writing_share = 0;  // threads that write a pixel
  struct Point {
    Size2 block;
    std::optional<double> share;  // nothing where the plan is refused
  };
  std::vector<Point> curve;  // over the block shapes of the list, with this kernel's registers
};

// Of the launches of a lane that are of its present plan.
struct LaneFigures {
  std::optional<Summary> kernel_ms;
  std::optional<float> cold_ms;  // the first launch: on the GPU not among the others
  long long generation = 0;      // grows when the times start anew
  std::vector<float> history;    // kernel ms, oldest first
  std::vector<StepTime> steps;
  std::vector<StepSpan> timeline;  // of the last launch timed: a span for each step of the plan
  std::optional<Summary> to_texture_ms;
  std::optional<float> map_host_ms;  // host time of mapping and unmapping the texture, median
};

struct LaneStatus {
  bool active = false;       // shown in this view, so it runs
  bool has_picture = false;  // its texture holds a result
  std::string shown;         // what the picture shows: "tile_unrolled · radius 5"
  std::string note;          // while that is not what was asked for: compiling, refused, computing; empty otherwise
  std::string refusal;       // why the chosen settings cannot run; empty when they can
  std::string exhibit;       // what is wrong on purpose with what runs
  std::string log;           // a compiler's whole log, with `note`
  bool on_cpu = false;       // times are CPU times
  int max_radius = conv::max_radius;  // the largest square window the variant can do here
  bool settled = false;               // the picture is of the chosen settings by the exact kernel
  long long frame = -1;               // of the moving source, that the picture is of
  long long picture = 0;              // grows with each new picture
  LaneFigures times;
  bool interop = false;
  std::string interop_reason;              // why not
  bool centred = false;                    // drawn with grey as 0
  std::shared_ptr<const LaunchPlan> plan;  // of the chosen settings, when they can run
  std::vector<StepOccupancy> occupancy;    // of the kernels that run, on a GPU
};

// A pixel of the image's corner, or what the padding puts there; nothing where valid padding has no result.
struct CornerCell {
  unsigned char r = 0, g = 0, b = 0;
  bool exists = false;
};

// The last or present run of the correctness lab: cells row by row, a row per filter, a column per variant.
struct LabStatus {
  LabJob job;
  std::vector<LabCell> cells;
  std::string device, error;
  bool running = false;
  int done = 0, total = 0;
};

// The last or present sweep, and all that was measured on this processor.
struct BenchStatus {
  bool running = false;
  std::string doing, error;
  int done = 0, total = 0;
  std::chrono::steady_clock::time_point started;
  std::shared_ptr<const BenchResults> results = std::make_shared<BenchResults>();
  std::optional<Ceilings> ceilings;
};

// Which block of which step to record; the step is one of the plan's.
struct BlockQuestion {
  std::shared_ptr<const LaunchPlan> plan;
  const KernelStep* step = nullptr;
  Point2 block;
  friend bool operator==(const BlockQuestion&, const BlockQuestion&) = default;
};
struct RecordedBlock {
  BlockQuestion question;
  BlockRecording recording;
};

// What the compiler makes of a kernel.
struct CodeQuestion {
  std::shared_ptr<const KernelTexts> texts;
  CompileJob job;  // for machine code
  friend bool operator==(const CodeQuestion&, const CodeQuestion&) = default;
};
struct CompiledText {
  std::string text;     // empty where there is none,
  std::string why_not;  // and why
  std::string counts;   // "2384 instructions as they stand · fma 121 · ..."
};
struct CodeAnswer {
  CodeQuestion question;
  CompiledText ptx, sass;
};

// A racer is checked once it has run; until then it is in no ranking.
enum class RaceState { waiting, compiling, racing, refused, failed };
struct RaceEntryStatus {
  std::string variant;
  RaceState state = RaceState::waiting;
  std::string text;  // why refused, or how wrong
  std::optional<Summary> ms;
  Interval interval;         // of the median
  int place = 0;             // from 1, shared by those who tie; 0: in no ranking, or not yet
  Comparison against_first;  // the fastest one's time under this one's
  bool checked = false, transfers = false;
  bool less_exact = false;  // by a switch: ranked apart from the others
  std::vector<Cost> costs;  // of its steps
  double error = 0;         // largest, 1 is full scale
};
struct RaceStatus {
  bool running = false, on_cpu = false;
  int rounds = 0;
  std::string what;  // "1920×1080 RGBA8 · Gaussian, 11×11 · Replicate · block 16×16"
  std::vector<RaceEntryStatus> entries;
};

struct CameraList {
  std::vector<Camera> cameras;
  std::string error;  // why they could not be looked for
};
inline CameraList list_cameras() {
  Result<std::vector<Camera>> found = find_cameras();
  return found ? CameraList{std::move(*found), ""} : CameraList{{}, found.error().text};
}

struct DeviceStatus {
  std::string name;                    // "NVIDIA H200" or "CPU executor, 2 threads"
  std::string detail;                  // driver, runtime, architecture
  std::string architecture = "sm_90";  // kernels are compiled for; without a GPU an example
  std::string no_gpu;                  // why kernels run on the CPU; empty on a GPU
  DeviceLimits limits;
  std::optional<GpuClock> clock;  // nothing where the driver does not say
};

// The picture or the moving source, and what it costs until it is on the processor.
struct SourceStatus {
  std::vector<Sample> samples;
  std::string name, note;
  Size2 size;
  int channels = 0;
  std::optional<Summary> upload_ms;
  long long upload_bytes = 0;                 // of each
  std::vector<StepTime> conversions;          // of a frame of it, on the GPU, before the lanes
  std::optional<double> link_rate;            // 10^9 bytes a second from page-locked memory at best; of moving sources
  std::optional<FeedStatus> feed, opening;    // of a moving source, and of the one that takes its place when it is open
  std::optional<Summary> wait_ms, decode_ms;  // for a frame of it: until it came, until it was a picture
  std::optional<Summary> latency_ms;          // from then until it was handed to the display
  std::optional<RecordingStatus> recording;
  std::shared_ptr<const CameraList> cameras;  // null before they were looked for
  bool moves() const { return feed && feed->state == FeedState::playing; }
};

struct FilterStatus {
  std::shared_ptr<const Taps> taps;  // of the last filter that could be used
  int rank = 1;                      // of the filter's matrix
  double rank_1_error = 0;           // of the closest row times column, relative to the largest tap
  std::array<CornerCell, 16> corner;
  std::string error;        // why the filter cannot be used; lanes keep their pictures
  std::vector<float> bell;  // row taps of a separable filter
};

// What is read of the pictures on the screen.
struct PictureStatus {
  std::optional<ImageMetrics> metrics;  // of the pictures shown, in the difference view
  std::optional<Histogram> histogram;   // of lane A's picture, while it is asked for
  std::string no_difference;            // why A and B cannot be subtracted; empty when they can
  bool has_reference = false;           // its picture is there, while it is asked for
  float reference_progress = 1;         // of the one being worked out
  // What can be seen of each lane, while pixels are large enough to be told in numbers.
  std::array<std::optional<ImagePart>, max_lanes> pixels;
};

// Host times of the window's frames.
struct FrameStatus {
  std::optional<Summary> ms, launch_ms, panels_ms, draw_ms, swap_ms;
  float display_fps = 0;
  std::shared_ptr<const FrameTrace> trace;  // of a frame of late, while it is asked for; null before the first
};

// The pixel under the cursor, or the picked one.
struct ProbeStatus {
  std::optional<Inspection> inspection;
  std::string no_inspection;  // why there is none
  // As lanes A and B show it, in the unit of the inspection's type; nothing until it has been read.
  std::array<std::optional<std::array<double, 3>>, 2> shown;
  std::string cursor;  // "x 831  y 402  A 118 94 61 255"
};

struct CodeStatus {
  std::shared_ptr<const KernelTexts> kernels;  // as they are on disk, or built in
  std::string kernels_from;                    // which of the two, and when they last changed
  std::shared_ptr<const CodeAnswer> answer;    // null before the first
};

struct AppStatus {
  DeviceStatus device;
  SourceStatus source;
  FilterStatus filter;
  PictureStatus picture;
  std::array<LaneStatus, max_lanes> lanes;
  Comparison comparison;  // of lane A and lane B, while both run on the same kind of processor
  FrameStatus frame;
  ProbeStatus probe;
  CodeStatus code;
  std::shared_ptr<const RecordedBlock> block;  // null before the first
  RaceStatus race;
  LabStatus lab;
  BenchStatus bench;
  bool can_undo = false, can_redo = false;
};

}  // namespace conv
