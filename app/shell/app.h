// The window's application: owns everything, in the order of construction, and draws frames.
#pragma once
#include <chrono>
#include <memory>
#include <optional>

#include "app/cli/options.h"
#include "app/pipeline/pipeline.h"
#include "app/platform/window.h"
#include "app/shell/app_state.h"
#include "app/shell/background_jobs.h"
#include "app/shell/exports.h"
#include "app/shell/file_dialogs.h"
#include "app/shell/frame_times.h"
#include "app/shell/lane_view.h"
#include "app/shell/source_control.h"
#include "app/ui/panels/panels.h"

namespace conv {

// The preferences that ImGui and the window have now.
struct AppliedPreferences {
  std::optional<Theme> theme;
  float scale = 0;
  bool vsync = true;
};

class App {
 public:
  // The error is a line for stderr.
  static Result<std::unique_ptr<App>> create(const Options& options);
  ~App();
  App(const App&) = delete;  // owns the window, the contexts of both libraries, and the pipeline
  App& operator=(const App&) = delete;

  bool running() const { return !window_->should_close(); }
  // One frame, from the window's events to the swap. capture: receives what was drawn, as RGB.
  void frame(Picture* capture = nullptr);

  const AppStatus& status() const { return state_.status; }
  Settings& settings() { return state_.settings; }
  Preferences& preferences() { return state_.preferences; }
  UiState& ui() { return state_.ui; }
  Pipeline& pipeline() { return *pipeline_; }
  AppWindow& window() { return *window_; }
  std::shared_ptr<const Picture> picture() const { return source_->picture(); }
  // The OpenGL names of textures that panels show.
  PanelTextures textures() const;
  // All active lanes show what is chosen, by their exact kernels.
  bool settled() const;
  // Also, everything that is being measured has been measured.
  bool finished() const;
  // Whether the window would draw the same picture until there is input: minimised, or nothing moves and all is
  // measured.
  bool sleeps() const;
  // Returns after input, or after half a second.
  void wait_for_input();
  // Opens a picture, a moving source, or a session or benchmark results (.json), in the background. What was shown
  // remains until the new source is ready, or if it cannot be opened. Only errors in the session's text are returned.
  Result<void> open(const std::string& path, int percent = 100) { return source_->open(path, percent); }
  // Why a file could not be opened. The text is of the last such file, and stays; empty: there was none.
  const std::string& unopened() const { return state_.unopened; }
  void execute(const Command& command);
  // Writes the settings and completes a recording. Uses neither the window nor OpenGL.
  void keep();
  // A kernel's fault has taken the GPU from this process for good.
  bool lost_gpu() const { return pipeline_->lost_gpu(); }
  // Replaces this process by a new one with the same settings, which knows which variants crashed. arguments: of the
  // program. Returns only if that fails; then lanes run on the CPU.
  void start_again(const std::vector<std::string>& arguments);

 private:
  // Destroys the contexts after everything that uses them.
  struct Contexts {
    explicit Contexts(AppWindow& window);
    ~Contexts();
  };
  struct CommandHandlers;
  App() = default;
  Result<void> open_window(const Options& options, const std::string& title);
  Result<void> create_parts(const Options& options);
  Result<void> open_first_source(const Options& options, bool remembered, bool recovers);
  bool compared() const;  // the difference view has its numbers, or cannot have any
  void apply_preferences();
  void close_when_saved();
  void poll(double wait_s);
  void take_input();
  void run_lanes();
  void refresh_status();
  void draw_panels();
  void update_history();
  void draw_frame(Picture* capture);
  Settings settings_to_keep() const;
  Preferences preferences_to_keep() const;

  AppState state_;
  std::unique_ptr<AppWindow> window_;
  std::unique_ptr<Contexts> contexts_;
  Fonts fonts_;
  AppliedPreferences applied_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<SourceControl> source_;
  std::unique_ptr<LaneView> lane_view_;
  std::unique_ptr<Exports> exports_;
  BackgroundJobs jobs_;
  FileDialogs dialogs_;
  FrameTimes times_;
  std::vector<Command> commands_;
  std::chrono::steady_clock::time_point refreshed_{}, inquired_{}, last_input_{};
  bool restart_failed_ = false;
  bool closes_when_saved_ = false;
  bool remembers_ = true;  // writes settings at the end
};

// Runs the window from start to end; returns the program's exit status.
int run_window(const Options& options);

}  // namespace conv
