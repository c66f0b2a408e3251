// Brings the picture of the chosen source beside the frames: what is shown stays until the next one is there, and when
// that cannot be read.
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
  std::string file;  // without its folder
  Session session;
};

// The name of a picture that is in no file.
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

  // options: for a moving source that is begun now.
  explicit SourceLoader(std::function<FeedOptions()> options) : options_(std::move(options)) {}

  // A picture that is in no file, such as a pasted one. Returns the name that stands for it in SourceSettings::path for
  // as long as the program runs.
  std::string keep(std::shared_ptr<const Picture> picture);
  // Begins to open what the settings say, or with a session its source, and lets go of what was being opened.
  void open(const SourceSettings& said, std::optional<NamedSession> session = std::nullopt);
  // What has come since the last call; at most one frame. takes_frames: else moving sources wait.
  News poll(const Playback& playback, bool takes_frames);
  // Lets go of what is being opened.
  void give_up();
  // A pattern to look at, before the first picture of a source.
  SourceArrival meanwhile(Size2 size);

  // What the settings said when the last source was asked for; nothing before the first.
  std::optional<SourceSettings> said() const { return opening_ ? opening_->said : shown_; }
  // Where the picture shown comes from; nothing before the first.
  const std::optional<SourceSettings>& shown() const { return shown_; }
  // The moving source that is shown, or null.
  Feed* feed() const { return feed_.get(); }
  std::optional<FeedStatus> opening() const;
  // A still, or what a session goes with, is being opened: what is shown is not yet what was asked for.
  bool holds_up() const { return opening_ && (!opening_->feed || opening_->session); }

 private:
  // A picture of a file, read on a thread of its own.
  struct Still {
    std::filesystem::file_time_type time;    // of the file, when reading began
    std::shared_ptr<const Picture> picture;  // null: it cannot be read,
    SourceRefusal refusal;                   // and why
  };
  struct Opening {
    SourceSettings said, source;
    std::optional<NamedSession> session;
    std::chrono::steady_clock::time_point since;
    std::future<Still> still;    // by a thread that nobody waits for: a file may never answer
    std::unique_ptr<Feed> feed;  // of a moving source, until its first frame is there
  };
  Still read(const SourceSettings& source) const;
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
  std::filesystem::file_time_type file_time_{};  // of the still picture shown, when it was read
  std::chrono::steady_clock::time_point watched_{};
  std::optional<Opening> opening_;
};

}  // namespace conv
