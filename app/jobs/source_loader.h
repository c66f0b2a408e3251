// Opens the chosen source in the background: reads its picture, or starts a Feed, which it owns and whose frames it
// delivers. The old picture is shown until the new one is ready, or if it cannot be read.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>

#include "app/model/settings_file.h"
#include "app/sources/feed.h"

namespace conv {

struct NamedSession {
  std::string file;  // file name without folder
  Session session;
};

// The name of a picture that is not in a file.
bool is_pasted(const std::string& path);

// A picture to be shown.
struct SourceArrival {
  std::shared_ptr<const Picture> picture;
  bool next = false;                    // the next frame of a moving source; otherwise the first picture of a source
  bool again = false;                   // the same source as before, read again
  std::shared_ptr<const Frame> frame;   // null for a still picture
  std::optional<NamedSession> session;  // opened together with the picture
};

// Why a source has no picture. The source before it is shown again.
struct SourceRefusal {
  std::string text;
  std::string path;           // the file
  int percent_that_fits = 0;  // the scale at which it could be opened, or 0
};

class SourceLoader {
 public:
  using News = std::optional<tl::expected<SourceArrival, SourceRefusal>>;

  // options: for moving sources started from now on.
  explicit SourceLoader(std::function<FeedOptions()> options) : options_(std::move(options)) {}

  // Keeps a picture that is not in a file, such as a pasted one. Returns a name for SourceSettings::path that is valid
  // while the program runs.
  std::string keep(std::shared_ptr<const Picture> picture);
  // Starts to open the source of the settings or of the session; cancels what was being opened.
  void open(const SourceSettings& said, std::optional<NamedSession> session = std::nullopt);
  // What has arrived since the last call; at most one frame. takes_frames false: moving sources wait.
  News poll(const Playback& playback, bool takes_frames);
  // Cancels opening.
  void give_up();
  // A pattern to show before the first picture of a source.
  SourceArrival meanwhile(Size2 size);

  // The source settings of the last request; nothing before the first.
  std::optional<SourceSettings> said() const { return opening_ ? opening_->said : shown_; }
  // Where the shown picture comes from; nothing before the first.
  const std::optional<SourceSettings>& shown() const { return shown_; }
  // The moving source that is shown, or null.
  Feed* feed() const { return feed_.get(); }
  std::optional<FeedStatus> opening() const;
  // A still picture, or the source of a session, is being opened: what is shown is not yet what was requested.
  bool holds_up() const { return opening_ && (!opening_->feed || opening_->session); }

 private:
  // A picture that is read or made on its own thread.
  struct Still {
    std::filesystem::file_time_type time;    // modification time when reading began
    std::shared_ptr<const Picture> picture;  // null if it cannot be read;
    SourceRefusal refusal;                   // then the reason
  };
  struct Opening {
    SourceSettings said, source;
    std::optional<NamedSession> session;
    std::chrono::steady_clock::time_point since;
    std::future<Result<Still>> still;  // nobody waits for its thread: a file may never answer
    std::unique_ptr<Feed> feed;        // a moving source until its first frame arrives
  };
  std::shared_ptr<const Picture> kept(const std::string& path) const;
  static Still read(const SourceSettings& source, const std::shared_ptr<const Picture>& kept);
  static Still read_pattern(const SourceSettings& source);
  static Still read_file(const SourceSettings& source);
  std::unique_ptr<Feed> begin(const SourceSettings& source);
  News poll_still();
  News poll_opening_feed();
  News refuse(SourceRefusal refusal);
  SourceArrival opened(std::shared_ptr<const Picture> picture, std::shared_ptr<const Frame> frame);
  void watch_file();

  std::function<FeedOptions()> options_;
  std::vector<std::shared_ptr<const Picture>> kept_;
  std::optional<SourceSettings> shown_;
  std::unique_ptr<Feed> feed_;
  std::filesystem::file_time_type file_time_{};  // of the shown still picture, when it was read
  std::chrono::steady_clock::time_point watched_{};
  std::optional<Opening> opening_;
};

}  // namespace conv
