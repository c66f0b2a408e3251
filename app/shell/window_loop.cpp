// The window from start to end.
#include <csignal>

#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/shell/app.h"

namespace conv {

using Clock = std::chrono::steady_clock;

namespace {

// A program ended by its desktop session or by Ctrl+C saves its settings, as one that is closed.
volatile std::sig_atomic_t asked_to_end = 0;

// A panel that grows with its text has its new size one frame later, and what lies beside it may move then.
constexpr int frames_to_fit = 2;

}  // namespace

int run_window(const Options& options) {
  on_ending_signals([](int) { asked_to_end = 1; });
  auto app = App::create(options);
  if (!app) return complain(app.error().text);
  App& a = **app;
  AppWindow::on_lost_display([&a] {
    a.keep();
    fmt::print(stderr, "convoscope: the display is gone. The settings and any recording are saved.\n");
  });
  const Clock::time_point start = Clock::now();
  // A screenshot waits until everything is measured, at most 30 seconds.
  const auto final_picture = [&] { return a.finished() || Clock::now() - start > std::chrono::seconds(30); };
  int still = 0;  // frames in which nothing has changed
  int ready = 0;  // frames in which nothing was missing for the screenshot
  for (int frame = 1; a.running() && !asked_to_end; ++frame) {
    still = a.sleeps() ? still + 1 : 0;
    if (!options.window.unattended && still > frames_to_fit) {
      a.wait_for_input();
      continue;
    }
    a.frame();
    if (a.lost_gpu()) a.start_again(options.arguments);
    if (options.window.unattended && !a.unopened().empty()) return complain(a.unopened());
    ready = !options.window.screenshot.empty() && frame > 10 && final_picture() ? ready + 1 : 0;
    if (ready > frames_to_fit) {
      Picture picture;
      a.frame(&picture);
      if (const Result<void> saved = save_picture(picture, options.window.screenshot); !saved)
        return complain(saved.error().text);
      break;
    }
    // A screenshot is waited for.
    if (options.window.frames > 0 && frame >= options.window.frames && options.window.screenshot.empty()) break;
  }
  return 0;
}

}  // namespace conv
