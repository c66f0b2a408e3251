#include "app/jobs/source_loader.h"

#include <fmt/format.h>

#include "app/sources/pattern.h"
#include "kernels/core/background.h"

namespace conv {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto watch_period = std::chrono::milliseconds(500);
constexpr std::string_view pasted_prefix = "clipboard:";

}  // namespace

bool is_pasted(const std::string& path) {
  return path.starts_with(pasted_prefix);
}

std::string SourceLoader::keep(std::shared_ptr<const Picture> picture) {
  kept_.push_back(std::move(picture));
  return fmt::format("{}{}", pasted_prefix, kept_.size());
}

std::shared_ptr<const Picture> SourceLoader::kept(const std::string& path) const {
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (path == fmt::format("{}{}", pasted_prefix, i + 1)) return kept_[i];
  return nullptr;
}

SourceLoader::Still SourceLoader::read_pattern(const SourceSettings& source) {
  if (const Result<void> fits = check_size("The pattern", source.pattern_size); !fits)
    return {.refusal = {.text = fits.error().text}};
  return {.picture = std::make_shared<const Picture>(make_pattern(source.pattern, source.pattern_size, source.seed))};
}

// kept: the pasted picture, if it is one.
SourceLoader::Still SourceLoader::read(const SourceSettings& source, const std::shared_ptr<const Picture>& kept) {
  if (source.path.empty()) return read_pattern(source);
  if (!is_pasted(source.path)) return read_file(source);
  if (kept) return {.picture = std::make_shared<const Picture>(scaled(*kept, source.percent))};
  return {.refusal = {.text = "The pasted picture is not available any more. Paste it again"}};
}

SourceLoader::Still SourceLoader::read_file(const SourceSettings& source) {
  std::error_code none;
  Still still{.time = fs::last_write_time(source.path, none)};
  Result<Picture> picture = load_picture(source.path, source.percent);
  if (picture)
    still.picture = std::make_shared<const Picture>(std::move(*picture));
  else
    still.refusal = {picture.error().text, source.path, percent_that_fits(source.path)};
  return still;
}

std::unique_ptr<Feed> SourceLoader::begin(const SourceSettings& source) {
  FeedOptions options = options_();
  const std::string name = source.path.empty() ? "The scene" : fs::path(source.path).filename().string();
  options.no_answer = name + " did not answer in time";
  OpenReader reader;
  if (!source.camera.empty()) {
    options.no_answer = "Camera did not answer (in use?)";
    reader = video({.path = source.camera,
                    .camera = true,
                    .size = source.camera_size,
                    .rate = source.camera_rate,
                    .flip = source.flip});
  } else if (source.path.empty()) {
    const Result<void> fits = check_size("The scene", source.pattern_size);
    reader = fits ? moving_scene(source.pattern_size)
                  : [fits](const std::stop_token&) -> Result<std::unique_ptr<FrameReader>> {
      return tl::unexpected(fits.error());
    };
  } else {
    reader = stream_of(source.path);
  }
  return std::make_unique<Feed>(std::move(reader), std::move(options));
}

void SourceLoader::open(const SourceSettings& said, std::optional<NamedSession> session) {
  const SourceSettings source = session ? session->session.settings.source : said;
  opening_ = Opening{.said = said, .source = source, .session = std::move(session), .since = Clock::now()};
  if (source.moves()) {
    if (!source.camera.empty() && shown_ && source.camera == shown_->camera)
      feed_.reset();  // a camera serves one reader at a time
    opening_->feed = begin(source);
    return;
  }
  opening_->still = in_background([source, kept = kept(source.path)]() -> Result<Still> { return read(source, kept); });
}

SourceArrival SourceLoader::opened(std::shared_ptr<const Picture> picture, std::shared_ptr<const Frame> frame) {
  Opening opening = std::move(*opening_);
  opening_.reset();
  feed_ = std::move(opening.feed);
  const bool again = shown_ == opening.source;
  shown_ = opening.source;
  return {
      .picture = std::move(picture), .again = again, .frame = std::move(frame), .session = std::move(opening.session)};
}

SourceLoader::News SourceLoader::poll_still() {
  if (opening_->still.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
  Result<Still> still = opening_->still.get();
  if (!still) return refuse({.text = still.error().text});
  if (!still->picture) return refuse(std::move(still->refusal));
  file_time_ = still->time;
  return opened(std::move(still->picture), nullptr);
}

SourceLoader::News SourceLoader::refuse(SourceRefusal refusal) {
  if (opening_->session)
    refusal.text = fmt::format("{}: its picture cannot be read: {}", opening_->session->file, refusal.text);
  give_up();
  return tl::unexpected(std::move(refusal));
}

SourceLoader::News SourceLoader::poll_opening_feed() {
  if (const auto frame = opening_->feed->take()) return opened({frame, &frame->picture}, frame);
  const FeedStatus status = opening_->feed->status();
  if (status.state != FeedState::failed) return std::nullopt;
  return refuse({.text = status.text});
}

SourceLoader::News SourceLoader::poll(const Playback& playback, bool takes_frames) {
  if (opening_)
    if (auto news = opening_->feed ? poll_opening_feed() : poll_still()) return news;
  watch_file();
  if (!feed_) return std::nullopt;
  feed_->set(playback);
  const auto frame = takes_frames ? feed_->take() : nullptr;
  if (!frame) return std::nullopt;
  return SourceArrival{.picture = {frame, &frame->picture}, .next = true, .frame = frame};
}

// Starts the earlier source again, which was closed for the new one.
void SourceLoader::give_up() {
  if (!opening_) return;
  const bool made_room = shown_ && shown_->moves() && !feed_ && opening_->source != *shown_;
  opening_.reset();
  if (made_room) open(*shown_);
}

SourceArrival SourceLoader::meanwhile(Size2 size) {
  shown_ = SourceSettings{.pattern_size = size};
  if (Still still = read_pattern(*shown_); still.picture) return {.picture = std::move(still.picture)};
  shown_ = SourceSettings{};  // there is no memory for that size
  return {.picture = read_pattern(*shown_).picture};
}

std::optional<FeedStatus> SourceLoader::opening() const {
  if (!opening_) return std::nullopt;
  FeedStatus status;
  if (opening_->feed)
    status = opening_->feed->status();
  else
    status.opening_s = std::chrono::duration<double>(Clock::now() - opening_->since).count();
  const SourceSettings& source = opening_->source;
  if (status.info.name.empty()) status.info.name = source.camera.empty() ? source.path : source.camera;
  return status;
}

// Reads a picture again after another program has written it completely.
void SourceLoader::watch_file() {
  const Clock::time_point now = Clock::now();
  if (now - watched_ < watch_period || feed_ || opening_ || !shown_ || shown_->path.empty()) return;
  watched_ = now;
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(shown_->path, error);
  if (error || time == file_time_ || fs::file_time_type::clock::now() - time < watch_period) return;
  file_time_ = time;
  open(*shown_);
}

}  // namespace conv
