// The window's application: owns everything, in the order of construction, and makes frames.
#pragma once
#include <chrono>
#include <memory>
#include <optional>

#include "app/cli/options.h"
#include "app/jobs/background.h"
#include "app/jobs/bench_runner.h"
#include "app/jobs/code_reader.h"
#include "app/jobs/filter_wall.h"
#include "app/jobs/lab_runner.h"
#include "app/jobs/source_loader.h"
#include "app/measure/bench_file.h"
#include "app/pipeline/pipeline.h"
#include "app/platform/clipboard.h"
#include "app/platform/window.h"
#include "app/shell/pictures.h"
#include "app/sources/recording.h"
#include "app/ui/panels/panels.h"

struct ImGuiContext;
struct ImPlotContext;

class App {
 public:
  // The error is a line for stderr.
  static Result<std::unique_ptr<App>> create(const Options& options);
  ~App();
  App(const App&) = delete;  // owns the window, the contexts of both libraries, and the pipeline
  App& operator=(const App&) = delete;

  bool running() const { return !window_->should_close(); }
  // One frame, from the window's events to the swap. capture: receives what was drawn, RGB.
  void frame(Picture* capture = nullptr);

  const Status& status() const { return status_; }
  Settings& settings() { return settings_; }
  Preferences& preferences() { return preferences_; }
  UiState& ui() { return ui_; }
  Pipeline& pipeline() { return *pipeline_; }
  Window& window() { return *window_; }
  std::shared_ptr<const Picture> picture() const { return picture_; }
  // All active lanes show what is chosen, by their exact kernels.
  bool settled() const;
  // And everything that is being measured has been measured.
  bool finished() const;
  // A picture, something that moves, or a session by its ending .json. It is read beside the frames, and what was there
  // stays until then and when it fails. The error: of the session's own text.
  Result<void> open(const std::string& path, int percent = 100);
  void execute(const Command& command);
  // The result of lane A, to a file that the user has chosen and agreed to replace. Says what became of it.
  void save_result(const std::string& path);
  // A kernel's fault took the device from this process for good.
  bool lost_gpu() const { return pipeline_->lost_gpu(); }
  // Replaces this process by a new one with the same settings, which knows what crashed. arguments: of the program.
  // Returns only when that fails; then the CPU goes on.
  void start_again(const std::vector<std::string>& arguments);

 private:
  // Destroys the contexts after everything that uses them.
  struct Contexts {
    explicit Contexts(Window& window);
    ~Contexts();
  };
  // A file dialog of the desktop, running beside the program.
  struct Dialog;

  App();
  void say(const std::string& text);
  void apply_preferences();
  void show(const SourceLoader::Arrival& arrival);
  Result<void> take_source();
  Result<void> bring_first_picture();
  Playback playback() const;
  void update_source();
  void give_up_opening();
  void take_back_source();
  void take_view(const SessionView& view);
  void remember(const std::string& path);
  void take_pasted();
  void record_result();
  std::optional<Picture> result_of_a();
  void update_history();
  void draw_panels();
  void poll_dialogs();
  void refresh_status();
  void begin_trace(std::chrono::steady_clock::time_point start);
  bool traces() const { return trace_ && !trace_->ended(); }  // this frame
  bool read_settings_file();
  void save_settings() const;
  Picture drawn() const;  // the frame before its swap
  std::optional<Picture> drawn_view() const;
  void save_view(const std::string& path);
  void copy_view();
  std::string session_text(const std::filesystem::path& file) const;
  Result<void> open_session(const command::OpenSession& asked);

  std::unique_ptr<Window> window_;
  std::unique_ptr<Contexts> contexts_;
  Fonts fonts_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<Pictures> pictures_;
  std::unique_ptr<Dialog> dialog_;
  std::string view_path_;  // where to save the next frame's view
  bool copies_view_ = false;

  LabRunner lab_;
  BenchRunner bench_{results_folder()};
  FilterWall wall_;
  std::shared_ptr<const Picture> wall_picture_;  // while the list of filters is open
  Background<CodeQuestion, CodeAnswer> code_{read_code};
  Background<BlockQuestion, RecordedBlock> blocks_{[](const BlockQuestion& question) {
    return RecordedBlock{question, CpuExecutor::record(*question.plan, *question.step, question.block)};
  }};

  Settings settings_, seen_;  // seen_: of the last frame, for the history
  std::vector<Settings> undo_, redo_;
  Preferences preferences_;
  std::optional<Theme> applied_theme_;
  float applied_scale_ = 0;
  bool applied_vsync_ = true;
  UiState ui_;
  Status status_;
  std::vector<Command> commands_;

  SourceLoader loader_{[this] { return FeedOptions{.playback = playback(), .pin = pipeline_->page_locking()}; }};
  std::shared_ptr<const Frame> arrived_;  // in this frame
  Samples wait_ms_, decode_ms_, latency_ms_;
  Background<int, Pasted> paste_{paste_from_desktop};
  int pastes_ = 0, pasted_ = 0;  // asked for, and taken
  std::unique_ptr<Recording> recording_;
  long long recorded_ = -1;  // the frame of lane A's picture that was written last
  Background<int, CameraList> cameras_{[](int) { return list_cameras(); }};
  int cameras_asked_ = 0;
  std::shared_ptr<const Picture> picture_;
  Samples frame_ms_, launch_ms_, panels_ms_, swap_ms_;
  std::shared_ptr<FrameTrace> trace_;  // being made
  std::chrono::steady_clock::time_point frame_start_{}, refreshed_{}, inquired_{};
  bool restart_failed_ = false;
  bool remember_ = true;     // write settings at the end
  bool unattended_ = false;  // nobody is there to answer a question
  bool trusts_ = false;      // --trust: sessions may open pictures anywhere
};

// The window from start to end; the program's exit status.
int run_window(const Options& options);
