// What only a window on an NVIDIA GPU can show. Needs a display on that GPU and a writable folder for the kernel files:
//   gpu_window_test interop|copy     every variant and format reaches the texture correctly, this way
//   gpu_window_test handover         both pictures reach their textures at once, from the GPU that draws the window
//   gpu_window_test source           frames of a moving source reach every format correctly
//   gpu_window_test video            so do those that FFmpeg decodes, where it is installed
//   gpu_window_test race             all variants race at the window's frame rate; equal ones tie
//   gpu_window_test bench            a sweep in the window measures what the engine alone measures
//   gpu_window_test map              a crossover map and tuning find the fastest
//   gpu_window_test explain          the panel explains the lanes' own times
//   gpu_window_test memory           memory is given back; large pictures hold no frame up
//   gpu_window_test live             kernel files edited while the window runs: an error, a fault, and recovery
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include "app/live/edited_compile.h"
#include "app/live/kernel_worker.h"
#include "app/measure/crossover.h"
#include "app/measure/engine.h"
#include "app/measure/explanation.h"
#include "app/measure/tuning.h"
#include "app/sources/frame_writer.h"
#include "app/sources/pattern.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "window_support.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

int failures = 0;
void expect(bool good, const std::string& what) {
  if (!good) fmt::print("FAILED: {}\n", what);
  failures += !good;
}

void check_textures(bool interop) {
  const auto app = make_window({.device = DeviceChoice::gpu, .interop = interop});
  app->settings().view = ViewMode::side;
  int turn = 0;
  for (const Variant* variant : variants()) {
    if (!variant->exhibit.empty() || variant->fuses_edges) continue;
    // The path of a format to the texture is the same for all variants: two of them show every format.
    const bool every_format = variant->id == "global" || variant->id == "separable_tiles";  // with scratch images
    for (const PixelTypeInfo& format : pixel_types) {
      if (!every_format && format.type != PixelType::rgba8) continue;
      const Size2 size = ++turn % 2 == 0 ? Size2{1920, 1080} : Size2{333, 217};
      app->settings().source.pattern_size = size;
      app->settings().lanes[0].variant = variant->id;
      app->settings().lanes[0].format = format.type;
      app->settings().filter.kind = variant->needs_equal_taps ? FilterKind::box : FilterKind::gaussian;
      app->frame();
      settle(*app);
      app->frame();
      const LaneStatus& lane = app->status().lanes[0];
      const std::string what = fmt::format("{} {} {}x{}", variant->id, format.id, size.width, size.height);
      expect(lane.shown.starts_with(variant->id), what + " shows " + lane.shown);
      expect(lane.on_cpu || lane.interop == interop, what + ": interop is not as asked, " + lane.interop_reason);
      const std::string wrong = mismatch(*app);
      expect(wrong.empty(), what + ": " + wrong);
      for (const StepOccupancy& step : lane.occupancy)
        expect(step.occupancy.blocks == step.counted_blocks,
               fmt::format("{}, {}: {} blocks by our rules, {} by CUDA's", what, step.title, step.occupancy.blocks,
                           step.counted_blocks));
    }
  }
}

// The pictures of both lanes are handed to OpenGL without a change of contexts amid CUDA's work, which takes 0.3 ms.
void check_handover() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  const char* const order = std::getenv("CUDA_VISIBLE_DEVICES");
  fmt::print("  the window is drawn by {}; CUDA_VISIBLE_DEVICES: {}\n", app->window().gpu_uuid(),
             order ? order : "not set");
  Settings& settings = app->settings();
  settings.view = ViewMode::side;
  settings.source.pattern = PatternKind::noise;
  settings.source.pattern_size = {1920, 1080};
  for (LaneSettings& lane : settings.lanes) lane = {.variant = "tile_unrolled", .format = PixelType::rgba8};
  settle(*app);
  for (int i = 0; i < 300; ++i) app->frame();
  for (int i = 0; i < 2; ++i) {
    const LaneStatus& lane = app->status().lanes[i];
    expect(lane.interop, "CUDA has the window's GPU: " + lane.interop_reason);
    const auto& ms = lane.times.to_texture_ms;
    fmt::print("  lane {:c}: kernel {:.4f} ms, to texture {:.4f} ms\n", 'A' + i, lane.times.kernel_ms->median,
               ms ? ms->median : -1);
    expect(ms && ms->median < 0.2f, "a picture of 8 MB is in its texture within 0.2 ms");
  }
  if (const auto& ms = app->status().frame.map_ms) fmt::print("  map and unmap, host: {:.4f} ms\n", ms->median);
}

// Plays for 0.3 seconds, until the settings are reached, and pauses.
void play_and_pause(App& app) {
  app.execute(command::Pause{false});
  const auto start = Clock::now();
  do app.frame();
  while (ms_since(start) < 300 || (ms_since(start) < 60'000 && (!app.settled() || app.status().source.opening)));
  app.execute(command::Pause{true});
  for (int i = 0; i < 30; ++i) app.frame();
}

// Frames of a moving source in every format, pinned and not, synchronous and not: the picture shows the frame it names.
void check_source() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  Settings& settings = app->settings();
  settings.source.pattern = PatternKind::moving_scene;
  int turn = 0;
  for (const PixelTypeInfo& format : pixel_types) {
    settings.source.pattern_size = ++turn % 2 == 0 ? Size2{1920, 1080} : Size2{333, 217};
    settings.lanes[0].format = format.type;
    settings.transfer = {.pinned = turn % 3 != 0, .asynchronous = turn % 4 != 0};
    play_and_pause(*app);
    const std::string what = fmt::format("moving scene, {}, {}x{}", format.id, settings.source.pattern_size.width,
                                         settings.source.pattern_size.height);
    expect(app->status().source.feed && app->status().source.feed->state == FeedState::paused,
           what + " is a paused stream");
    expect(app->picture()->size == settings.source.pattern_size, what + " has its size");
    expect(scene_number(*app->picture()) == app->status().source.feed->number, what + " is of the frame it says");
    const std::string wrong = mismatch(*app);
    expect(wrong.empty(), what + ": " + wrong);
  }
}

// A film whose frames FFmpeg decodes reaches the texture as it was decoded, without a conversion on the host.
void check_video() {
  const fs::path path = fs::temp_directory_path() / "convoscope-gpu-video.mp4";
  fs::remove(path);
  auto writer = frame_writer(path.string(), 20, true);
  if (!writer) {
    fmt::print("no video was tested: {}\n", writer.error().text);
    return;
  }
  for (int i = 0; i < 40; ++i)
    expect((*writer)->add(make_pattern(PatternKind::moving_scene, {640, 360}, i)).has_value(), "a frame is written");
  expect((*writer)->finish().has_value(), "the video is written");
  const auto app = make_window({.device = DeviceChoice::gpu});
  app->execute(command::OpenFile{path.string()});
  Settings& settings = app->settings();
  for (const PixelType format : {PixelType::rgba8, PixelType::f32, PixelType::rgb8_soa, PixelType::rgba16f}) {
    settings.lanes[0].format = format;
    play_and_pause(*app);
    const std::string what = fmt::format("video, {}", info(format).id);
    const auto picture = app->picture();
    expect(picture && picture->size == Size2{640, 360} && picture->yuv, what + ": frames stay as they were decoded");
    const auto& status = app->status().source;
    fmt::print("  {}: frame {}, {} bytes sent\n", what, status.feed ? status.feed->number : -1, status.upload_bytes);
    const std::string wrong = mismatch(*app);
    expect(wrong.empty(), what + ": " + wrong);
  }
  fs::remove(path);
}

// The GPU's stages of a moving scene's frames are in order, and not before the frame was handed over.
void check_timeline() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  app->settings().source.pattern = PatternKind::moving_scene;
  app->settings().source.pattern_size = {1920, 1080};
  app->settings().lanes[0] = {.variant = "separable_tiles", .format = PixelType::f32};
  settle(*app);  // a frame during a compilation has fewer stages
  std::shared_ptr<const FrameTrace> seen;
  int told = 0;
  float earliest = 1e9f;
  const auto start = Clock::now();
  while (told < 20 && ms_since(start) < 30'000) {
    app->frame();
    if (app->status().frame.trace == seen || app->status().frame.trace->start() < start) continue;
    seen = app->status().frame.trace;
    std::vector<TracedStage> gpu;
    float submit = 0, uploads = 0;
    for (const TracedStage& stage : seen->stages()) {
      if (stage.title == "join clocks") submit = stage.end_ms;
      if (stage.title == "upload") ++uploads;
      if (stage.by == TracedBy::processor) gpu.push_back(stage);
    }
    if (uploads == 0) continue;  // the source had no new frame
    ++told;
    std::sort(gpu.begin(), gpu.end(), [](const auto& a, const auto& b) { return a.begin_ms < b.begin_ms; });
    std::vector<std::string> order, wanted{"upload", "to F32 luma"};
    for (const TracedStage& stage : gpu) order.push_back(stage.title);
    const LaunchPlan& plan = *app->status().lanes[0].plan;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) wanted.emplace_back(plan.title_of(i));
    wanted.emplace_back("to texture");
    expect(order == wanted, fmt::format("a frame's way is {}", fmt::join(order, ", ")));
    earliest = std::min(earliest, gpu.front().begin_ms - submit);
    for (std::size_t i = 0; i < gpu.size(); ++i)
      expect(
          gpu[i].ms() >= 0 && (i == 0 || gpu[i].begin_ms >= gpu[i - 1].end_ms - 0.005f),
          fmt::format("{} comes after what is before it: {} to {} ms", gpu[i].title, gpu[i].begin_ms, gpu[i].end_ms));
  }
  expect(told == 20, "frames are told as timelines");
  expect(earliest > -0.02f, fmt::format("the GPU begins {} ms after the clocks are joined", earliest));
  for (const TracedStage& stage : seen->stages())
    fmt::print("  {:45} {:8.3f} to {:8.3f} ms\n", stage.title, stage.begin_ms, stage.end_ms);
}

// The device converts camera frames to the same bits as the host.
void check_yuv() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  Settings& settings = app->settings();
  settings.filter = {.kind = FilterKind::identity};
  std::mt19937 random(11);
  int turn = 0;
  for (const YuvOrder order : {YuvOrder::planes_420, YuvOrder::pairs_420, YuvOrder::planes_422, YuvOrder::woven_422})
    for (const PixelType format : {PixelType::rgba8, PixelType::f32, PixelType::rgb8_soa, PixelType::rgba16f})
      for (const bool mirrored : {false, true}) {
        const Size2 size = ++turn % 2 == 0 ? Size2{1920, 1080} : Size2{333, 217};
        Picture picture{
            .size = size, .channels = 4, .yuv = YuvFormat{order, yuv_matrix(turn % 3 == 0, turn % 5 == 0), mirrored}};
        picture.levels.resize(static_cast<std::size_t>(yuv_rows(order, size).area()));
        for (unsigned char& level : picture.levels) level = static_cast<unsigned char>(random());
        const auto frame = std::make_shared<const Picture>(std::move(picture));
        settings.lanes[0].format = format;
        app->pipeline().set_source(frame);
        settle(*app);
        const std::string what =
            fmt::format("YUV order {}, {}, {}x{}", static_cast<int>(order), info(format).id, size.width, size.height);
        // The host converted while the kernel was compiled; the kernel converts the next frame.
        const AppStatus& status = app->status();
        const auto converted = [&] {
          return status.source.upload_bytes == static_cast<long long>(frame->levels.size()) &&  // and not also as RGBA
                 status.source.conversions.size() == (format == PixelType::rgba8 ? 1 : 2) &&
                 std::all_of(status.source.conversions.begin(), status.source.conversions.end(),
                             [](const StepTime& step) { return step.ms; });
        };
        const auto start = Clock::now();
        do {
          app->pipeline().set_frame(frame);
          for (int i = 0; i < 5; ++i) app->frame();
        } while (ms_since(start) < 10'000 && !converted());
        expect(converted(), what + " is sent as it is and converted on the device");
        // Another frame, which only the kernel has converted.
        auto next = std::make_shared<Picture>(*frame);
        for (unsigned char& level : next->levels) level = static_cast<unsigned char>(random());
        app->pipeline().set_frame(next);
        for (int i = 0; i < 8; ++i) app->frame();
        const auto shown = app->pipeline().result(0);
        expect(shown && shown->bytes == to_format(*next, shown->type).bytes, what + " has the host's bits");
      }
}

// Every variant at 1920x1080, not throttled: each is correct, and the window continues.
void check_race(App& app) {
  app.ui().shown.race = app.ui().panels.race.runs = true;
  const RaceStatus& race = app.status().race;
  const auto start = Clock::now();
  const auto all_checked = [&] {
    return !race.entries.empty() && std::all_of(race.entries.begin(), race.entries.end(), [](const auto& entry) {
      return entry.state >= RaceState::refused || entry.checked;
    });
  };
  while (!all_checked() && ms_since(start) < 90'000) app.frame();  // compiled, and the reference is ready
  std::vector<float> frames;
  const int before = race.rounds;
  while (race.rounds < before + 40 && ms_since(start) < 120'000) {
    const auto begin = Clock::now();
    app.frame();
    frames.push_back(static_cast<float>(ms_since(begin)));
  }
  std::sort(frames.begin(), frames.end());
  const float median = quantile(frames, 0.5f), p90 = quantile(frames, 0.9f);
  fmt::print("race of all variants, 1920x1080: frame {:.2f} ms (p90 {:.2f}, n {}), {} rounds in {:.1f} s\n", median,
             p90, frames.size(), race.rounds - before, ms_since(start) / 1000);
  expect(p90 < 20, "50 frames a second");
  for (const RaceEntryStatus& entry : race.entries) {
    fmt::print("  {:2} {:22} {:8.4f} ms {}\n", entry.place, entry.variant, entry.ms ? entry.ms->median : 0.0f,
               entry.ms ? fmt::format("off by {:.1e}", entry.error) : entry.text);
    expect(entry.state == RaceState::refused || (entry.state == RaceState::racing && entry.checked),
           fmt::format("{} is raced and right: {}", entry.variant, entry.text));
  }
  app.ui().panels.race.runs = false;
  app.frame();
}

void check_ties(App& app) {
  int ties = 0;
  for (int i = 0; i < 100; ++i) {
    app.pipeline().race(app.settings(), {});
    AppStatus status;
    const auto start = Clock::now();
    const auto placed = [&] { return status.race.entries[0].place > 0 && status.race.entries[1].place > 0; };
    while ((status.race.rounds < 40 || !placed()) && ms_since(start) < 10'000) {
      app.pipeline().race(app.settings(), {"tile_unrolled", "tile_unrolled"});
      app.pipeline().fill_times(status);
    }
    const bool tie = status.race.entries[0].place == 1 && status.race.entries[1].place == 1;
    ties += tie;
    if (!tie)
      for (const RaceEntryStatus& entry : status.race.entries)
        fmt::print("race {}: place {}, {:.5f} ms, {:.4f} ({:.4f} to {:.4f}) of the first\n", i, entry.place,
                   entry.ms->median, entry.against_first.ratio, entry.against_first.low, entry.against_first.high);
  }
  fmt::print("tile_unrolled against itself: {} ties in 100 races of 40 rounds\n", ties);
  expect(ties >= 95, "equals tie");
}

void check_racing() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  settle(*app);
  check_race(*app);
  check_ties(*app);
}

// The window draws from time to time; the medians are the same within 3 %.
void check_sweep() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  settle(*app);
  app->ui().shown.bench = true;
  app->frame();
  const BenchJob job = job_of(*find_preset("s1"), true);
  app->execute(command::RunBench{{job}, {}});
  const auto start = Clock::now();
  int frames = 0;
  do {
    app->frame();
    ++frames;
  } while (app->status().bench.running && ms_since(start) < 60'000);
  expect(app->status().bench.error.empty(), app->status().bench.error);
  fmt::print("sweep in the window: {} frames in {:.1f} s\n", frames, ms_since(start) / 1000);
  Processor processor = *Processor::create(DeviceChoice::gpu);
  BenchEngine engine(processor);
  for (const BenchGroup& group : job.groups) {
    const auto alone = engine.measure(group);
    for (const BenchRow& row : *alone) {
      const auto& rows = app->status().bench.results->rows;
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const BenchRow& r) { return r.point == row.point; });
      const bool there = same != rows.end() && same->state == RowState::measured;
      expect(there, row.point.lane.variant + " is measured");
      if (!there) continue;
      const float ratio = same->summary().median / row.summary().median;
      fmt::print("  {:16} {:10} in the window {:.5f} ms, alone {:.5f} ms\n", row.point.lane.variant,
                 info(row.point.border).id, same->summary().median, row.summary().median);
      expect(std::fabs(ratio - 1) <= 0.03f, "both agree within 3 %");
    }
  }
}

// A map of two variants, cut short, and the blocks of one of them: every cell has a fastest, and the list shows it.
void check_map_and_tuning() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  settle(*app);
  const auto run = [&](BenchJob job) {
    app->execute(command::RunBench{{std::move(job)}, crossover_protocol});
    const auto start = Clock::now();
    do app->frame();
    while (app->status().bench.running && ms_since(start) < 120'000);
    expect(app->status().bench.error.empty(), app->status().bench.error);
  };
  const BenchPoint point{.image = {1920, 1080}, .lane = {.variant = "tile_linear", .format = PixelType::f32}};
  BenchJob job = crossover_job(crossover_kinds[0], point, {"tile_unrolled", "separable_tiles"}, true);
  run(job);
  const CrossoverMap map = crossover_map(rows_of(app->status().bench.results->rows, job.id));
  int clear = 0;
  for (const CrossoverCell& cell : map.cells) {
    expect(cell.ranked.size() == 2, "both have a time everywhere");
    clear += cell.clear();
  }
  fmt::print("crossover: {} of {} places are outside the noise\n", clear, map.cells.size());
  for (std::size_t y = 0; y < map.rows.size(); ++y) {
    fmt::print("  {:>10}", map.rows[y]);
    for (std::size_t x = 0; x < map.radii.size(); ++x) {
      const CrossoverCell& cell = map.cells[y * map.radii.size() + x];
      if (!cell.ranked.empty())
        fmt::print(" {}{:.2f}{}", map.letter(cell.ranked[0]->point.lane.variant), cell.margin.ratio,
                   cell.clear() ? ' ' : '~');
    }
    fmt::print("\n");
  }
  run(tuning_job(point));
  const auto tuning = tuning_of(app->status().bench.results->rows, point);
  expect(tuning.has_value(), "the blocks were timed");
  if (!tuning) return;
  expect(tuning->rows.size() == std::size(block_presets), "all of them");
  fmt::print("tuning: {}\n", tuning_text(*tuning, point.lane.block));
}

fs::path kernel_file() {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "kernels";
  if (fs::exists(beside)) return beside / "variants" / "global.cu";
  fmt::print("put a copy of the kernels folder at {}\n", beside.string());
  std::exit(2);
}

// Saves the file and runs frames until `done`, at most 90 s: after a fault, the driver takes 20 s for a frame.
template <class Done>
void edit(App& app, const fs::path& file, const std::string& text, const std::string& what, Done done) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  static_cast<void>(write_file(file, text));
  fs::last_write_time(file, fs::file_time_type::clock::now());
  const auto start = Clock::now();
  double slowest = 0;
  while (!done() && ms_since(start) < 90'000) {
    const auto begin = Clock::now();
    app.frame();
    slowest = std::max(slowest, ms_since(begin));
  }
  fmt::print("{}: {:.1f} s, the slowest frame {:.0f} ms\n", what, ms_since(start) / 1000, slowest);
  if (!done())
    for (const UiState::LogLine& line : app.ui().log) fmt::print("  log: {}\n", line.text);
  expect(done(), fmt::format("{}: note is \"{}\", refusal \"{}\"", what, app.status().lanes[0].note,
                             app.status().lanes[0].refusal));
}

// `good` with other text for the GPU alone, which passes the check on the CPU.
std::string changed_on_gpu(std::string good, const std::string& from, const std::string& to) {
  const std::string both = fmt::format("\n#ifdef __CUDACC_RTC__\n{}\n#else\n{}\n#endif\n", to, from);
  return good.replace(good.find(from), from.size(), both);
}

const std::string wild_store = "*reinterpret_cast<volatile int*>(16) = 1;\n  target.store(x, y, sum";

// A driver that refuses a new context to a process that shares its device with OpenGL needs a new process, which knows
// what crashed and continues with the settings. next: the part of this program that follows then.
void cause_fault(App& app, const fs::path& file, const std::string& good, const std::string& next) {
  edit(app, file, changed_on_gpu(good, "target.store(x, y, sum", wild_store), "a kernel that faults",
       [&] { return app.status().lanes[0].refusal.find("global crashed: ") == 0 || app.lost_gpu(); });
  if (failures == 0 && app.lost_gpu()) app.start_again({"gpu_window_test", next});
}

void check_after_fault(App& app, const fs::path& file, const std::string& good) {
  const LaneStatus& lane = app.status().lanes[0];
  const auto start = Clock::now();
  float slowest = 0;
  std::size_t told = 0;
  const auto timed = [&] {
    const auto begin = Clock::now();
    app.frame();
    slowest = std::max(slowest, static_cast<float>(ms_since(begin)));
    for (; told < app.ui().log.size(); ++told)
      fmt::print("  after {:.1f} s: {}\n", ms_since(start) / 1000, app.ui().log[told].text);
  };
  for (int i = 0; i < 10; ++i) timed();
  fmt::print("after the fault: 10 frames in {:.0f} ms, the slowest {:.0f} ms\n", ms_since(start), slowest);
  while (app.status().device.connecting && ms_since(start) < 90'000) timed();
  timed();
  fmt::print("after the fault: the driver answers after {:.1f} s, the slowest frame {:.0f} ms\n",
             ms_since(start) / 1000, slowest);
  expect(app.status().device.no_gpu.empty(), "the GPU is back: " + app.status().device.no_gpu);
  expect(lane.refusal.find("global crashed: ") == 0, "the variant is marked: " + lane.refusal);
  app.settings().lanes[0].variant = "tile_unrolled";
  int frames = 0;
  do timed(), ++frames;
  while (!app.settled() && ms_since(start) < 90'000);
  app.frame();
  fmt::print("  {} frames, the slowest {:.0f} ms, note: {}\n", frames, slowest, lane.note);
  fmt::print("after the fault: a picture from the GPU after {:.1f} s\n", ms_since(start) / 1000);
  expect(lane.shown.starts_with("tile_unrolled") && !lane.on_cpu && mismatch(app).empty(),
         fmt::format("other variants go on: {} {} {} {}", lane.shown, lane.note, lane.interop_reason, mismatch(app)));
  app.settings().lanes[0].variant = "global";
  app.frame();
  edit(app, file, good, "the mended kernel", [&] { return lane.refusal.empty() && app.settled(); });
  expect(lane.shown.starts_with("global") && mismatch(app).empty(), "the mended kernel is right");
}

void check_live_editing() {
  const fs::path file = kernel_file();
  const std::string good = read_file(file).value_or("");
  static_cast<void>(write_file(file.string() + ".good", good));
  const auto app = make_window({.device = DeviceChoice::gpu});
  app->settings().lanes[0].variant = "global";
  settle(*app);
  const LaneStatus& lane = app->status().lanes[0];
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  edit(*app, file, changed("taps[tap++]", "0.5f * taps[tap++]"), "a kernel that is wrong",
       [&] { return lane.outdated.find("wrong: off by") != std::string::npos; });
  edit(*app, file, changed("target.store(x, y, sum", wild_store), "a wild store",
       [&] { return lane.outdated.find("memory: ") != std::string::npos; });
  expect(mismatch(*app).empty() && !app->lost_gpu(), "the GPU has run neither");
  edit(*app, file, changed_on_gpu(good, "  const Target", "  foo();\n  const Target"), "a kernel that does not compile",
       [&] {
         return lane.note.find("identifier \"foo\" is undefined. Running the last good kernel.") != std::string::npos;
       });
  expect(mismatch(*app).empty(), "the last good kernel still shows the right picture");
  const std::string edited = changed_on_gpu(good, "taps[tap++]", "0.5f * taps[tap++]");
  edit(*app, file, edited, "an edited kernel",
       [&] { return lane.note.empty() && app->settled() && !mismatch(*app).empty(); });
  app->settings().lanes[0].format = PixelType::gray8;
  bool was_built = false;
  edit(*app, file, edited, "another instance of it", [&] {
    was_built |= lane.outdated.ends_with("It runs as it was built.");
    return was_built && lane.outdated.empty() && app->settled() && !mismatch(*app).empty();
  });
  cause_fault(*app, file, good, "after_fault");
  if (failures == 0) check_after_fault(*app, file, good);
}

// Started by the part `live`, or by itself: the restart state is the last argument.
void check_restarted(const std::string& restart_state, bool first) {
  const fs::path file = kernel_file();
  const std::string good = read_file(file.string() + ".good").value_or("");
  const auto app = make_window({.restart_state = std::atoi(restart_state.c_str())});
  check_after_fault(*app, file, good);
  if (first && failures == 0) cause_fault(*app, file, good, "after_second_fault");
}

// The times of this GPU, explained by its own rates. That a time stays unexplained is no failure.
void check_explanations() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  Settings& settings = app->settings();
  settings.source.pattern_size = {1920, 1080};
  settings.view = ViewMode::side;
  app->ui().shown.explain = true;
  const auto frames_until = [&](const auto& done) {
    const auto start = Clock::now();
    do app->frame();
    while (!done() && ms_since(start) < 60'000);
    return done();
  };
  const AppStatus& status = app->status();
  expect(frames_until([&] { return status.bench.ceilings.has_value(); }), "the panel has the rates measured");
  if (!status.bench.ceilings) return;
  int explained = 0, all = 0;
  for (const auto& [a, b] : {std::pair{"global", "tile_linear"},
                             {"tile_nested", "tile_unrolled"},
                             {"separable_tiles", "separable_whitepaper"}}) {
    settings.lanes[0].variant = a, settings.lanes[1].variant = b;
    settings.lanes[0].format = settings.lanes[1].format = PixelType::f32;
    settle(*app);
    const auto answered = [&](std::size_t lane) {
      const auto& answer = status.explained[lane];
      return answer && answer->question.plan == status.lanes[lane].plan && status.best.ms[lane] &&
             status.best.ms[lane]->count >= 16;
    };
    expect(frames_until([&] { return answered(0) && answered(1); }), fmt::format("{} and {} are explained", a, b));
    for (std::size_t lane = 0; lane < 2 && answered(lane); ++lane) {
      std::vector<StepCounts> counts = status.explained[lane]->steps;
      expect(counts.size() == status.lanes[lane].occupancy.size(), "each kernel is counted");
      for (std::size_t i = 0; i < counts.size(); ++i) {
        counts[i].waves = status.lanes[lane].occupancy[i].waves;
        expect(counts[i].waves > 0, "the waves are known");
      }
      const Explanation told = explain(counts, *status.bench.ceilings, status.best.ms[lane]->median, true);
      for (const LimitTime& time : told.steps[0].times) expect(time.ms.has_value(), "each part is counted");
      fmt::print("{:22} {:.4f} ms, counted {:.4f}: {}\n", lane == 0 ? a : b, told.measured_ms, told.counted_ms,
                 told.verdict);
      explained += told.explains;
      ++all;
    }
  }
  fmt::print("{} of {} explained\n", explained, all);
}

// Four lanes of 7680x4320, then less and less of it: the memory is given back.
void check_memory() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  Settings& settings = app->settings();
  const auto used = [&](const std::string& what) {
    settle(*app);
    for (int i = 0; i < 20; ++i) app->frame();
    const double mb = static_cast<double>(device_bytes()) / 1e6;
    fmt::print("{:40} {:8.0f} MB\n", what, mb);
    return mb;
  };
  const double small = used("one lane, 1920x1080 RGBA8");
  settings.source.pattern_size = {7680, 4320};
  settings.view = ViewMode::grid;
  for (LaneSettings& lane : settings.lanes) lane.format = PixelType::rgba32f;
  const double grid = used("grid, 7680x4320 RGBA32F");
  settings.view = ViewMode::single;
  const double single = used("one lane, 7680x4320 RGBA32F");
  // The driver keeps some of what OpenGL gave back: 1 GB on an H100.
  expect(grid - single > 2000, "hidden lanes give their results and textures back");
  settings.lanes[0].format = PixelType::rgba8;
  const double bytes = used("one lane, 7680x4320 RGBA8");
  expect(single - bytes > 800, "a format that no lane reads is given back");
  settings.source.pattern_size = {1920, 1080};
  expect(used("one lane, 1920x1080 RGBA8 again") < small + 1500, "a smaller picture needs less");
}

// The longest frame while something large is done.
void check_stalls() {
  const auto app = make_window({.device = DeviceChoice::gpu});
  Settings& settings = app->settings();
  const auto longest = [&](const std::string& what, const std::function<bool()>& done) {
    double worst = 0;
    const auto start = Clock::now();
    do {
      const auto began = Clock::now();
      app->frame();
      worst = std::max(worst, ms_since(began));
    } while (!done() && ms_since(start) < 60'000);
    fmt::print("{:40} longest frame {:6.1f} ms of {:7.1f} ms\n", what, worst, ms_since(start));
    return worst;
  };
  const auto settled = [&] { return app->settled(); };
  settle(*app);
  settings.source.pattern = PatternKind::zone_plate;
  settings.source.pattern_size = {7680, 4320};
  longest("zone plate of 7680x4320", settled);
  for (const PixelType format : {PixelType::f32, PixelType::rgba32f}) {
    settings.lanes[0].format = format;
    longest(fmt::format("first use of {}", info(format).title), settled);
  }
  settings.lanes[0].format = PixelType::rgba8;
  settle(*app);
  const fs::path folder = fs::temp_directory_path() / "convoscope-stall";
  fs::create_directories(folder);
  settings.source.pattern_size = {1920, 1080};
  settle(*app);
  app->execute(command::RecordWindow{(folder / "window%03d.png").string()});
  const auto& recording = app->status().source.recording;
  const double recorded = longest("recording the window", [&] { return recording && recording->written > 60; });
  expect(recorded < 50, "a recording of the window holds no frame up");
  app->execute(command::StopRecording{});
  longest("the end of the recording", [&] { return !recording; });
  settings.source.pattern_size = {7680, 4320};
  settle(*app);
  const fs::path path = folder / "result.png";
  app->execute(command::SaveResult{path.string()});
  app->frame();
  const double saving = longest("saving 7680x4320 as PNG", [&] { return !app->status().saving; });
  expect(saving < 300, "saving holds no frame up");
  const Result<Picture> saved = load_picture(path);
  expect(saved && saved->size == Size2{7680, 4320}, "the saved picture can be read");
  fs::remove_all(folder);
}

}  // namespace

}  // namespace conv

using namespace conv;

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);                              // no output is lost in a crash
  if (are_worker_arguments(argc, argv)) return run_kernel_worker(argv);  // as convoscope
  compile_edited_kernels_in_a_process();
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "interop")
    check_textures(true);
  else if (part == "copy")
    check_textures(false);
  else if (part == "handover")
    check_handover();
  else if (part == "source")
    check_source(), check_yuv(), check_timeline();
  else if (part == "video")
    check_video();
  else if (part == "race")
    check_racing();
  else if (part == "bench")
    check_sweep();
  else if (part == "map")
    check_map_and_tuning();
  else if (part == "explain")
    check_explanations();
  else if (part == "memory")
    check_memory(), check_stalls();
  else if (part == "live")
    check_live_editing();
  else if (part.starts_with("after_") && argc > 3)
    check_restarted(argv[3], part == "after_fault");
  else
    return 2;
  fmt::print("{}: {}\n", part, failures == 0 ? "passed" : fmt::format("{} failed", failures));
  return failures == 0 ? 0 : 1;
}
