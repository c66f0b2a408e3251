// What only a window on an NVIDIA GPU can show. Needs a display on that GPU and a writable folder for the kernel files:
//   gpu_window_test interop|copy     every variant and format reaches the texture right, this way
//   gpu_window_test live             kernel files edited while the window runs: an error, a fault, and back
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernels/core/registry.h"
#include "window_support.h"

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
  for (const Variant* variant : variants())
    for (const PixelTypeInfo& format : pixel_types)
      for (const Size2 size : {Size2{1920, 1080}, {333, 217}}) {
        app->settings().source.pattern_size = size;
        app->settings().lanes[0].variant = variant->id;
        app->settings().lanes[0].format = format.type;
        app->frame();
        settle(*app);
        app->frame();
        const LaneStatus& lane = app->status().lanes[0];
        const std::string what = fmt::format("{} {} {}x{}", variant->id, format.id, size.width, size.height);
        expect(lane.shown.starts_with(variant->id), what + " shows " + lane.shown);
        expect(lane.on_cpu || lane.interop == interop, what + ": interop is not as asked, " + lane.interop_reason);
        const std::string wrong = mismatch(*app);
        expect(wrong.empty(), what + ": " + wrong);
      }
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Saves the file and runs frames until `done`, at most 20 s.
template <class Done>
void edit(App& app, const fs::path& file, const std::string& text, const std::string& what, Done done) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::ofstream(file) << text;
  fs::last_write_time(file, fs::file_time_type::clock::now());
  const auto start = Clock::now();
  while (!done() && ms_since(start) < 20'000) app.frame();
  if (!done())
    for (const std::string& line : app.ui().log) fmt::print("  log: {}\n", line);
  expect(done(), fmt::format("{}: note is \"{}\", refusal \"{}\"", what, app.status().lanes[0].note,
                             app.status().lanes[0].refusal));
}

void check_live_editing() {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "kernels";
  if (!fs::exists(beside)) {
    fmt::print("put a copy of the kernels folder at {}\n", beside.string());
    std::exit(2);
  }
  const fs::path file = beside / "variants" / "global.cu";
  const std::string good = read(file);
  const auto app = make_window({.device = DeviceChoice::gpu});
  app->settings().lanes[0].variant = "global";
  settle(*app);
  const LaneStatus& lane = app->status().lanes[0];
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  edit(*app, file, changed("  const Target", "  foo();\n  const Target"), "a kernel that does not compile", [&] {
    return lane.note.find("global.cu:9: identifier \"foo\" is undefined. Running the last good kernel.") == 0;
  });
  expect(mismatch(*app).empty(), "the last good kernel still shows the right picture");
  edit(*app, file, changed("taps[tap++]", "0.5f * taps[tap++]"), "an edited kernel",
       [&] { return lane.note.empty() && app->settled() && !mismatch(*app).empty(); });
  // Some drivers give a process that shares its device with OpenGL a new context after a fault, others do not: then the
  // CPU goes on. Either way the fault is named and pictures stay right.
  const std::string fault =
      changed("target.store(x, y, sum", "*reinterpret_cast<volatile int*>(16) = 1;\n  target.store(x, y, sum");
  edit(*app, file, fault, "a kernel that faults",
       [&] { return lane.refusal.find("global crashed: ") == 0 || !app->status().no_gpu.empty(); });
  std::ofstream(file) << good;
  app->settings().lanes[0].variant = "tile_unrolled";
  settle(*app);
  app->frame();
  expect(lane.shown.starts_with("tile_unrolled") && mismatch(*app).empty(), "other variants go on after the fault");
  expect(app->ui().toast.text.find("The GPU cannot be used") == 0 || app->status().no_gpu.empty(), "the loss is told");
  fmt::print("after the fault: {}\n",
             app->status().no_gpu.empty() ? "on the GPU" : "on the CPU: " + app->status().no_gpu);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "interop" || part == "copy")
    check_textures(part == "interop");
  else if (part == "live")
    check_live_editing();
  else
    return 2;
  fmt::print("{}: {}\n", part, failures == 0 ? "passed" : fmt::format("{} failed", failures));
  return failures == 0 ? 0 : 1;
}
