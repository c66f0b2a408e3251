// Measures the targets of the window on this machine: start, frames, a dragged radius, ten thousand frames of changing
// settings. Every part compares pictures with the host variant in the same run.
//   frame_benchmark start|frame|drag|hop|difference|stream|yuv|soak [FORMAT] [WINDOW]
// One part per process: the caller decides whether the kernel cache is cold or warm (XDG_CACHE_HOME).
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "app/sources/frame_writer.h"
#include "window_support.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Spread {
  double median, p10, p90, max;
};
Spread spread_of(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5f), quantile(values, 0.1f), quantile(values, 0.9f), values.back()};
}
void print(const std::string& what, const Spread& s, std::size_t count) {
  fmt::print("{:58} median {:8.3f}  p10 {:8.3f}  p90 {:8.3f}  max {:8.3f} ms  n {}\n", what, s.median, s.p10, s.p90,
             s.max, count);
}

// Of the last 64, whose maximum is not kept.
void print(const std::string& what, const Summary& s) {
  fmt::print("{:58} median {:8.3f}  p10 {:8.3f}  p90 {:8.3f} ms  n {}\n", what, s.median, s.p10, s.p90, s.count);
}

int faults = 0;
void check(App& app, int& checked) {
  ++checked;
  if (const std::string text = mismatch(app); !text.empty() && ++faults <= 5) fmt::print("MISMATCH: {}\n", text);
}

void measure_start() {
  const auto start = Clock::now();
  const auto app = make_window();
  while (!app->status().lanes[0].has_picture) app->frame();
  const double first = ms_since(start);
  settle(*app);
  fmt::print("start: first filtered picture after {:.0f} ms, exact kernel after {:.0f} ms; {}\n", first,
             ms_since(start), app->status().device.name);
  int checked = 0;
  check(*app, checked);
}

void measure_frame(PixelType format, std::optional<Size2> window) {
  const auto app = make_window({.window_size = window});
  app->settings().lanes[0].format = format;
  settle(*app);
  for (int i = 0; i < 200; ++i) app->frame();
  std::vector<float> frames, panels, swaps, submits, maps, kernels;
  for (int i = 0; i < 2000; ++i) {
    const auto start = Clock::now();
    app->frame();
    frames.push_back(static_cast<float>(ms_since(start)));
    const AppStatus& status = app->status();
    if (i % 64 != 0) continue;
    panels.push_back(status.frame.panels_ms->median);
    swaps.push_back(status.frame.swap_ms->median);
    submits.push_back(status.frame.launch_ms->median);
    if (const auto& ms = status.frame.map_ms) maps.push_back(ms->median);
    if (const auto& ms = status.lanes[0].times.kernel_ms) kernels.push_back(ms->median);
  }
  const std::string_view id = info(format).id;
  print(fmt::format("whole frame, 1920x1080 {}, radius 5, tile_unrolled", id), spread_of(frames), frames.size());
  print("  our own work: status, panels, plots", spread_of(panels), panels.size());
  print("  submit to the GPU, host", spread_of(submits), submits.size());
  print("  swap, host", spread_of(swaps), swaps.size());
  if (!maps.empty()) print("  map..unmap, host", spread_of(maps), maps.size());
  if (!kernels.empty()) print("  kernel", spread_of(kernels), kernels.size());
  fmt::print("  interop {}\n", app->status().lanes[0].interop ? "on" : "off: " + app->status().lanes[0].interop_reason);
  int checked = 0;
  check(*app, checked);
}

// Two lanes at 4K in the difference view, whose numbers start again in every frame.
void measure_difference(PixelType format) {
  const auto app = make_window();
  Settings& settings = app->settings();
  settings.source.pattern_size = {3840, 2160};
  settings.source.pattern = PatternKind::noise;
  settings.view = ViewMode::difference;
  settings.lanes[0].format = format;
  settle(*app);
  for (int i = 0; i < 200; ++i) app->frame();
  std::vector<float> frames, kernels, draws, swaps, overheads;
  for (int i = 0; i < 1000; ++i) {
    settings.difference.threshold = i % 2 == 0 ? 1e-5f : 2e-5f;
    const auto start = Clock::now();
    app->frame();
    frames.push_back(static_cast<float>(ms_since(start)));
    const AppStatus& status = app->status();
    if (i % 64 != 63 || !status.lanes[0].times.kernel_ms || !status.lanes[1].times.kernel_ms || !status.frame.draw_ms)
      continue;
    kernels.push_back(status.lanes[0].times.kernel_ms->median + status.lanes[1].times.kernel_ms->median);
    draws.push_back(status.frame.draw_ms->median);
    swaps.push_back(status.frame.swap_ms->median);
    const std::vector<float> last(frames.end() - 64, frames.end());
    overheads.push_back(spread_of(last).median - kernels.back() - draws.back());
  }
  print(fmt::format("whole frame, difference, 3840x2160 {}, radius 5", info(format).id), spread_of(frames),
        frames.size());
  print("  both kernels", spread_of(kernels), kernels.size());
  print("  GL draw of the difference", spread_of(draws), draws.size());
  print("  frame beyond kernels and draw, swap included", spread_of(overheads), overheads.size());
  print("  swap, host", spread_of(swaps), swaps.size());
  settings.difference.threshold = 1e-5f;
  for (int i = 0; i < 300 && !app->status().picture.metrics; ++i) app->frame();
  if (const auto& m = app->status().picture.metrics)
    fmt::print("  max {:.3g}, mean {:.3g}, {} px beyond\n", m->max_abs, m->mean_abs, m->beyond);
  int checked = 0;
  check(*app, checked);
}

// Frames of both kinds from page-locked memory, each shown as soon as the one before is.
void measure_yuv() {
  const auto app = make_window();
  app->settings().lanes[0].format = PixelType::rgba8;
  app->settings().filter = {.kind = FilterKind::identity};  // the result equals what was uploaded
  app->ui().shown.inspector = false;                        // it would inspect a pixel on the host
  settle(*app);
  std::mt19937 random(3);
  for (const Size2 size : {Size2{1920, 1080}, Size2{3840, 2160}})
    for (const bool yuv : {false, true}) {
      std::vector<std::shared_ptr<const Picture>> ring;
      std::vector<std::shared_ptr<void>> locks;
      for (int i = 0; i < 4; ++i) {
        auto picture = std::make_shared<Picture>(Picture{.size = size, .channels = 4});
        if (yuv) picture->yuv = YuvFormat{.order = YuvOrder::pairs_420, .matrix = yuv_matrix(true, false)};
        picture->levels.resize(yuv ? static_cast<std::size_t>(yuv_rows(picture->yuv->order, size).area())
                                   : picture->samples());
        for (unsigned char& level : picture->levels) level = static_cast<unsigned char>(random());
        if (const auto lock = app->pipeline().page_locking())
          locks.push_back(lock(picture->levels.data(), picture->levels.size()));
        ring.push_back(std::move(picture));
      }
      app->pipeline().set_source(ring[0]);
      settle(*app);
      std::vector<float> frames;
      for (std::size_t i = 0; i < 400; ++i) {
        const auto start = Clock::now();
        app->pipeline().set_frame(ring[i % ring.size()]);
        app->frame();
        if (i >= 100) frames.push_back(static_cast<float>(ms_since(start)));
      }
      const AppStatus& status = app->status();
      const auto start = Clock::now();
      const HostImage made = to_format(*ring[0], PixelType::rgba8);
      const double host_ms = ms_since(start);
      print(fmt::format("{}x{} {}, whole frame", size.width, size.height, yuv ? "NV12" : "RGBA8"), spread_of(frames),
            frames.size());
      if (status.source.upload_ms)
        print(fmt::format("  upload of {:.1f} MB", static_cast<double>(status.source.upload_bytes) / 1e6),
              *status.source.upload_ms);
      for (const StepTime& step : status.source.conversions)
        if (step.ms) print("  " + step.title, *step.ms);
      fmt::print("  the same on one core of the host: {:.2f} ms\n", host_ms);
      app->pipeline().set_frame(ring[0]);
      for (int i = 0; i < 8; ++i) app->frame();
      const auto shown = app->pipeline().result(0);
      if (!shown || shown->bytes != made.bytes) ++faults, fmt::print("  MISMATCH\n");
    }
}

// The moving scene through queue, pinned ring, upload, kernel and texture: at its own speed for a minute, then as fast
// as frames are shown; then only uploads, with each setting.
void measure_stream(PixelType format, std::optional<Size2> window) {
  const auto app = make_window({.window_size = window});
  Settings& settings = app->settings();
  settings.lanes[0].format = format;
  settings.source.pattern = PatternKind::moving_scene;
  do app->frame();
  while (!app->status().source.feed || !app->settled());
  const auto run = [&](double ms) {
    const auto start = Clock::now();
    const FeedStatus before = *app->status().source.feed;
    long long frames = 0;
    for (; ms_since(start) < ms; ++frames) app->frame();
    const FeedStatus after = *app->status().source.feed;
    const double seconds = ms_since(start) / 1000;
    const AppStatus& status = app->status();
    fmt::print(
        "  {:.1f} s: {} shown ({:.1f}/s), {} dropped; display {:.0f}/s; captured to swap {:.2f} ms (p90 {:.2f})\n",
        seconds, after.shown - before.shown, static_cast<double>(after.shown - before.shown) / seconds,
        after.dropped - before.dropped, static_cast<double>(frames) / seconds, status.source.latency_ms->median,
        status.source.latency_ms->p90);
    fmt::print("    medians, ms: make {:.2f}, upload {:.3f}, kernel {:.3f}, swap {:.2f}, frame {:.2f}\n",
               status.source.decode_ms->median, status.source.upload_ms ? status.source.upload_ms->median : 0,
               status.lanes[0].times.kernel_ms->median, status.frame.swap_ms->median, status.frame.ms->median);
  };
  const auto check_paused = [&] {
    app->execute(command::Pause{true});
    for (int i = 0; i < 30; ++i) app->frame();
    int checked = 0;
    check(*app, checked);
    app->execute(command::Pause{false});
  };
  fmt::print("moving scene 1920x1080 at 60/s, {}, radius 5, tile_unrolled\n", info(format).id);
  run(60'000);
  check_paused();
  fmt::print("the same, unthrottled\n");
  settings.playback.speed = 0;
  run(1'000);
  run(10'000);
  check_paused();
  settings.source.pattern_size = {3840, 2160};
  do app->frame();
  while (app->picture()->size != settings.source.pattern_size);
  for (const bool pinned : {true, false})
    for (const bool asynchronous : {true, false}) {
      settings.transfer = {pinned, asynchronous};
      for (const auto start = Clock::now(); ms_since(start) < 3'000;) app->frame();
      if (const auto& ms = app->status().source.upload_ms)
        print(fmt::format("upload 3840x2160 rgba8, {}, {}", pinned ? "pinned" : "pageable",
                          asynchronous ? "asynchronous" : "synchronous"),
              *ms);
      fmt::print("  {:.1f} GB/s of the link's {:.1f}; {:.0f} frames/s\n",
                 3840.0 * 2160 * 4 / app->status().source.upload_ms->median / 1e6,
                 app->status().source.link_rate.value_or(0), app->status().frame.display_fps);
    }
  check_paused();
}

long long resident_bytes() {
  std::ifstream in("/proc/self/statm");
  long long total = 0, resident = 0;
  in >> total >> resident;
  return resident * 4096;
}
// Memory in use. Resident memory also has gaps that malloc cannot return.
long long heap_bytes() {
  const auto info = mallinfo2();
  return static_cast<long long>(info.uordblks + info.hblkhd);
}

int threads() {
  return static_cast<int>(std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator()));
}

struct Used {
  long long resident, heap, device;  // bytes
  int threads;
};

// A looping video, with seeks and changes to other sources again and again: memory and threads at the same still
// picture.
void measure_soak(double seconds) {
  const auto app = make_window({.window_size = Size2{1024, 640}});
  Settings& settings = app->settings();
  const fs::path folder = fs::temp_directory_path() / fmt::format("convoscope-soak-{}", getpid());
  fs::create_directories(folder / "pictures");
  for (int i = 0; i < 12; ++i)
    static_cast<void>(save_picture(make_pattern(PatternKind::noise, {320, 240}, static_cast<std::uint32_t>(i)),
                                   folder / "pictures" / fmt::format("{}.png", i)));
  std::vector<std::string> paths{(folder / "pictures").string(), ""};
  if (no_video().empty()) {
    for (const char* name : {"a.mp4", "b.avi", "c.mjpeg"}) {
      const std::string path = (folder / name).string();
      const auto writer = frame_writer(path, 30, true);
      for (int i = 0; writer && i < 60; ++i)
        static_cast<void>((*writer)->add(make_pattern(PatternKind::gradient, {640, 360}, 0)));
      if (writer && (*writer)->finish()) paths.push_back(path);
    }
    paths.push_back("lavfi:testsrc2=size=640x360:rate=30");
  }
  const SourceSettings still{.pattern = PatternKind::noise, .pattern_size = {640, 360}};
  std::mt19937 random(11);
  const auto memory = [&] {
    settings.source = still;
    settle(*app);
    for (int i = 0; i < 100; ++i) app->frame();
    malloc_trim(0);
    return Used{resident_bytes(), heap_bytes(), device_bytes(), threads()};
  };
  std::vector<Used> used;
  long long frames = 0, switches = 0, seeks = 0;
  const auto start = Clock::now();
  for (double next = seconds / 8; ms_since(start) < seconds * 1000;) {
    app->frame();
    if (++frames % 37 == 0 && app->status().source.feed && app->status().source.feed->info.duration_s > 0) {
      app->execute(
          command::Seek{app->status().source.feed->info.duration_s * static_cast<double>(random() % 1000) / 1000});
      ++seeks;
    }
    if (frames % 211 == 0) {
      const std::string& path = paths[random() % paths.size()];
      settings.source = {.path = path, .pattern = PatternKind::moving_scene, .pattern_size = {640, 360}};
      settings.playback.speed = random() % 3 == 0 ? 0 : 1;
      ++switches;
    }
    if (ms_since(start) / 1000 < next) continue;
    next += seconds / 8;
    used.push_back(memory());
  }
  fmt::print("{:.0f} s of moving sources: {} frames, {} switches, {} seeks\n", seconds, frames, switches, seeks);
  const auto grown = [&](const Used& at, long long Used::*bytes) {
    return static_cast<double>(at.*bytes - used.front().*bytes) / (1 << 20);
  };
  for (const Used& at : used)
    fmt::print("  resident {:+.1f} MB, of it in use {:+.1f} MB, device {:+.1f} MB, {} threads\n",
               grown(at, &Used::resident), grown(at, &Used::heap), grown(at, &Used::device), at.threads);
  fs::remove_all(folder);
}

// The slider from 0 to 64 and back in 20 s.
void measure_drag(PixelType format) {
  const auto app = make_window();
  app->settings().lanes[0].format = format;
  settle(*app);
  std::vector<float> frames;
  int checked = 0;
  const auto start = Clock::now();
  double paused = 0;
  for (double t = 0; t < 20'000; t = ms_since(start) - paused) {
    const double along = t < 10'000 ? t / 10'000 : 2 - t / 10'000;
    app->settings().filter.radius = static_cast<int>(std::lround(64 * std::clamp(along, 0.0, 1.0)));
    const auto begin = Clock::now();
    app->frame();
    frames.push_back(static_cast<float>(ms_since(begin)));
    if (frames.size() % 97 == 0) {  // outside the timed frames
      const auto check_start = Clock::now();
      check(*app, checked);
      paused += ms_since(check_start);
    }
  }
  print(fmt::format("radius dragged 0..64..0, {}, frame", info(format).id), spread_of(frames), frames.size());
  fmt::print("  {} pictures checked against their labels\n", checked);
}

void measure_hop() {
  const auto app = make_window();
  std::mt19937 random(7);
  const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
  constexpr Size2 sizes[] = {{1920, 1080}, {640, 480}, {333, 777}, {1024, 1024}},
                  blocks[] = {{16, 16}, {32, 8}, {13, 7}, {64, 4}};
  constexpr int radii[] = {0, 1, 2, 5, 9};
  const char* ids[] = {"global", "constant", "tile_linear", "tile_unrolled", "separable_tiles"};
  std::vector<Settings> hops;
  for (int i = 0; i < 60; ++i) {
    Settings s = app->settings();
    s.lanes[0] = {.variant = pick(ids), .format = pick(pixel_types).type, .block = pick(blocks)};
    s.border = pick(borders).border;
    s.border_value = s.border == Border::constant ? 0.25f : 0;
    s.filter.radius = pick(radii);
    s.source.pattern_size = pick(sizes);
    hops.push_back(s);
  }
  const auto compiling = Clock::now();
  int checked = 0;
  for (const Settings& s : hops) {
    app->settings() = s;
    settle(*app);
    check(*app, checked);  // reading a texture back is warmed up too: the driver keeps memory for the largest
  }
  fmt::print("60 settings compiled and checked in {:.1f} s\n", ms_since(compiling) / 1000);
  std::vector<float> frames;
  // Compared at the same settings, with a picture converted anew: its other formats exist as long as it does. Freed
  // memory that malloc keeps is returned first, so that resident memory is in use.
  const auto memory = [&] {
    app->settings() = hops.front();
    app->settings().source.pattern_size = {64, 64};
    settle(*app);
    app->settings() = hops.front();
    settle(*app);
    while (app->pipeline().compiling()) app->frame();  // a running compilation needs memory
    malloc_trim(0);
    return std::pair(resident_bytes(), device_bytes());
  };
  std::vector<std::pair<long long, long long>> used;
  for (int i = 0; i < 10'000; ++i) {
    if (i % 7 == 0) app->settings() = hops[random() % hops.size()];
    const auto start = Clock::now();
    app->frame();
    frames.push_back(static_cast<float>(ms_since(start)));
    if (i % 499 == 498) check(*app, checked);
    if (i % 2'000 == 1'999) used.push_back(memory());
  }
  print("10 000 frames over 60 settings, frame", spread_of(frames), frames.size());
  fmt::print("  memory against frame 2 000, MB: ");
  for (const auto& [host, device] : used)
    fmt::print(" host {:+.1f} device {:+.1f},", static_cast<double>(host - used.front().first) / (1 << 20),
               static_cast<double>(device - used.front().second) / (1 << 20));
  fmt::print(" {} pictures checked\n", checked);
}

}  // namespace

}  // namespace conv

using namespace conv;

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "", id = argc > 2 ? argv[2] : "rgba8";
  const auto format =
      std::find_if(pixel_types.begin(), pixel_types.end(), [&](const PixelTypeInfo& t) { return t.id == id; });
  if ((format == pixel_types.end() && part != "soak") ||
      !std::set<std::string>{"start", "frame", "drag", "hop", "difference", "stream", "yuv", "soak"}.contains(part)) {
    fmt::print(stderr,
               "usage: frame_benchmark start|frame|drag|hop|difference|stream|yuv|soak [FORMAT or SECONDS] [WINDOW]\n");
    return 2;
  }
  if (part == "soak") measure_soak(argc > 2 ? std::atof(argv[2]) : 1800);
  if (part == "start") measure_start();
  if (part == "frame") measure_frame(format->type, argc > 3 ? parse_size(argv[3]) : std::nullopt);
  if (part == "drag") measure_drag(format->type);
  if (part == "hop") measure_hop();
  if (part == "yuv") measure_yuv();
  if (part == "stream") measure_stream(format->type, argc > 3 ? parse_size(argv[3]) : std::nullopt);
  if (part == "difference") measure_difference(format->type);
  fmt::print("{} mismatches\n", faults);
  return faults == 0 ? 0 : 1;
}
