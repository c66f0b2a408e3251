// Saves results, views, plots, sessions and recordings to files that the user has chosen and agreed to replace, and to
// the clipboard. Each reports its outcome.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "app/display/image_renderer.h"
#include "app/jobs/saver.h"
#include "app/pipeline/pipeline.h"
#include "app/platform/window.h"
#include "app/shell/app_state.h"
#include "app/shell/source_control.h"

namespace conv {

class Exports {
 public:
  // All must outlive it.
  Exports(AppState& state, const SourceControl& source, Pipeline& pipeline, AppWindow& window)
      : state_(state), source_(source), pipeline_(pipeline), window_(window) {}

  // The result of lane A. Saves only what was requested, never an older picture that is still shown.
  void save_result(const std::string& path);
  void save_plot(const std::string& path);
  void save_kernel(const std::string& path);
  // As .json, or with its picture as a bundle.
  void save_session(const std::string& path);
  // As .md, or with its pictures as a bundle.
  void save_lesson(const std::string& path);
  void copy_state(command::CopyState::As as);
  // The lanes as they are on the screen, without the panels around them; from the next frame that is drawn.
  void save_view(const std::string& path) { view_path_ = path; }
  void copy_view() { copies_view_ = true; }
  // Results of lane A, frame by frame, until it is stopped.
  void record(const std::string& path);
  // The whole window, as it is drawn.
  void record_window(const std::string& path);
  void stop_recording();
  // At the end of the program: returns when a recording is complete. A picture that is not saved soon is given up, in
  // words.
  void complete();

  // Called in each frame, once lanes have reported. frame_start: when it is shown, for a recording.
  void record_frame(std::chrono::steady_clock::time_point frame_start);
  // Called when everything is drawn, before the swap. frame_start: as of record_frame.
  void take_drawn(std::chrono::steady_clock::time_point frame_start);
  std::optional<RecordingStatus> recording() const;

  // Called in each frame: starts what waits to be saved, and says what was.
  void advance_saving();
  std::optional<SavingStatus> saving() const;
  void cancel_saving() { saver_.cancel(); }

 private:
  // A result of lane A, or the window, that OpenGL is copying.
  struct Asked {
    std::string path;  // empty: for the recording
    int channels = 4;
    FloatStorage storage = FloatStorage::f32;
    double shown_s = 0;
    bool is_window = false;
  };
  void save_bundle(const std::string& path, const Result<BundledFiles>& files);
  void start_recording(const std::string& path, double rate, bool of_window);
  void take_view();
  void take_window(std::chrono::steady_clock::time_point frame_start);
  void ask_for_result(Asked asked);
  void take_results(bool waits);
  void save(const Asked& asked, HostImage result);
  std::optional<Picture> drawn_view() const;

  AppState& state_;
  const SourceControl& source_;
  Pipeline& pipeline_;
  AppWindow& window_;
  std::string view_path_;
  bool copies_view_ = false;
  std::unique_ptr<Recording> recording_;
  double rate_ = 0;          // frames per second; 0: unknown
  long long recorded_ = -1;  // the frame of lane A's picture that was written last; of the window, in units of its rate
  PixelProbe result_;
  std::optional<Asked> asked_;
  Saver saver_;
};

// The frame before its swap.
Picture drawn_window(const AppWindow& window);

}  // namespace conv
