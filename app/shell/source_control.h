// Where the picture comes from: files, patterns, sessions, the clipboard, cameras and videos.
#pragma once
#include <memory>
#include <optional>

#include "app/jobs/source_loader.h"
#include "app/jobs/worker.h"
#include "app/pipeline/pipeline.h"
#include "app/platform/clipboard.h"
#include "app/shell/app_state.h"
#include "app/sources/bundle.h"

namespace conv {

// What a session file may do.
struct SessionRights {
  bool trusts = false;      // --trust: sessions may open pictures anywhere
  bool unattended = false;  // nobody is there to answer a question
};

class SourceControl {
 public:
  // Both must outlive it.
  SourceControl(AppState& state, Pipeline& pipeline, SessionRights rights);

  // As App::open.
  Result<void> open(const std::string& path, int percent);
  Result<void> open_session(const command::OpenSession& asked);
  // Opens the first picture before the first frame, if it is a file that answers soon, and its session.
  Result<void> bring_first_picture();
  void reload();
  void give_up_opening();
  void paste();
  // Called in each frame: first to take what has arrived, and last to follow a source that a panel or undo has changed.
  void take_arrivals();
  void follow_settings();

  // The picture shown; null before the first.
  std::shared_ptr<const Picture> picture() const { return picture_; }
  // The moving source's frame that arrived in this frame; otherwise null.
  const Frame* arrived() const { return arrived_.get(); }
  // The moving source that is shown, or null.
  Feed* feed() const { return loader_.feed(); }
  bool holds_up() const { return loader_.holds_up(); }
  std::optional<FeedStatus> opening() const { return loader_.opening(); }
  // The source to remember for the next start: not one that never answered, nor one that is in no file.
  SourceSettings to_remember() const;
  void report(SourceStatus& status, bool times) const;
  // The settings and the view as a session. file: where it is saved; empty for the clipboard.
  std::string session_text(const std::filesystem::path& file) const;
  // The session, its picture, and the kernels of the lanes if they were edited. Refused if the picture is in no file.
  Result<BundledFiles> session_bundle() const;

 private:
  tl::unexpected<Error> refuse(const Error& error);  // and says it
  Result<void> open_bundle(const std::string& path);
  std::string session_with(SourceSettings source) const;
  Result<void> take_arrival();
  void take_pasted();
  void show(const SourceArrival& arrival);
  void take_view(const SessionView& view);
  void remember(const std::string& path);
  void take_back();
  Playback playback() const;

  AppState& state_;
  Pipeline& pipeline_;
  const SessionRights rights_;
  SourceLoader loader_;
  std::shared_ptr<const Picture> picture_;
  std::shared_ptr<const Frame> arrived_;
  Samples wait_ms_, decode_ms_;
  Worker<int, Pasted> paste_{[](int ticket, const std::stop_token&) { return paste_from_desktop(ticket); }};
  int pastes_ = 0, pasted_ = 0;  // requested, and taken
};

}  // namespace conv
