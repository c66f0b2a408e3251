// Streams: the thread that plays them, and its behaviour if they are slow, lost, or end.
#include "app/sources/feed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "app/sources/frame_writer.h"
#include "app/sources/pattern.h"
#include "kernels/core/file.h"
#include "support.h"

namespace conv {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

std::shared_ptr<const Frame> next_frame(Feed& feed, std::chrono::milliseconds limit = 5000ms) {
  for (const auto end = Clock::now() + limit; Clock::now() < end; std::this_thread::sleep_for(1ms))
    if (auto frame = feed.take()) return frame;
  return nullptr;
}

bool reaches(const Feed& feed, FeedState state, std::chrono::milliseconds limit = 5000ms) {
  for (const auto end = Clock::now() + limit; Clock::now() < end; std::this_thread::sleep_for(1ms))
    if (feed.status().state == state) return true;
  return false;
}

// A device controlled by the test.
struct FakeDevice {
  std::atomic<bool> busy = false, unplugged = false, hangs = false;
  std::atomic<int> opened = 0, closed = 0;
};

class FakeReader final : public FrameReader {
 public:
  explicit FakeReader(FakeDevice& device) : device_(device) {}
  ~FakeReader() override { ++device_.closed; }
  StreamInfo info() const override { return {.name = "Fake", .rate = 1000, .paces_itself = true}; }
  Result<bool> next(Frame& frame, const std::stop_token&) override {
    std::this_thread::sleep_for(1ms);
    if (device_.unplugged) return failure("no such device");
    frame.resize({4, 3});
    frame.number = number_++;
    return true;
  }
  Result<void> seek(double) override { return failure("Cameras cannot seek"); }

 private:
  FakeDevice& device_;
  long long number_ = 0;
};

OpenReader fake(FakeDevice& device) {
  return [&device](const std::stop_token& stop) -> Result<std::unique_ptr<FrameReader>> {
    while (device.hangs && !stop.stop_requested()) std::this_thread::sleep_for(1ms);
    if (device.busy) return failure("Fake: another program uses this camera. Close it, or choose another");
    if (device.unplugged) return failure("Fake: no such device");
    ++device.opened;
    return std::make_unique<FakeReader>(device);
  };
}

std::vector<long long> numbers(Feed& feed, int count) {
  std::vector<long long> list;
  while (static_cast<int>(list.size()) < count) {
    const auto frame = next_frame(feed);
    if (!frame) break;
    list.push_back(frame->number);
  }
  return list;
}

}  // namespace

TEST(Feed, LosesNoFrameWhileFramesSetThePace) {
  Feed feed(moving_scene({320, 180}), {.playback = {.speed = 0}});
  for (int i = 0; i < 200; ++i) {
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->number, i);
    ASSERT_EQ(scene_number(frame->picture), i) << "the pixels are of another frame";
  }
  EXPECT_EQ(feed.status().dropped, 0);
  EXPECT_EQ(feed.status().shown, 200);
}

TEST(Feed, PlaysInTheStreamsTimeAndDropsWhatNobodyTakes) {
  Feed feed(moving_scene({64, 48}, 200), {});
  ASSERT_TRUE(next_frame(feed));
  std::this_thread::sleep_for(500ms);
  const auto newest = next_frame(feed);
  ASSERT_TRUE(newest);
  // Half a second at 200 frames per second; a loaded machine may be late, never early.
  EXPECT_GT(newest->number, 50);
  EXPECT_LE(newest->number, 104);
  EXPECT_GE(feed.status().dropped, newest->number - 3);
}

// A file that was joined from two has such a jump in its times.
TEST(Feed, GoesOnWhereTheTimeOfTheFramesJumps) {
  class Jumping final : public FrameReader {
   public:
    StreamInfo info() const override { return {.name = "Jumping", .rate = 100}; }
    Result<bool> next(Frame& frame, const std::stop_token&) override {
      frame.resize({4, 3});
      frame.number = number_;
      frame.at_s = static_cast<double>(number_) / 100 + (number_ < 10 ? 0 : 3600);
      return number_++ < 1000;
    }
    Result<void> seek(double) override { return {}; }

   private:
    long long number_ = 0;
  };
  Feed feed([](const std::stop_token&) -> Result<std::unique_ptr<FrameReader>> { return std::make_unique<Jumping>(); },
            {});
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  long long number = 0;
  while (number < 20 && std::chrono::steady_clock::now() < deadline)
    if (const auto frame = next_frame(feed)) number = frame->number;
  EXPECT_GE(number, 20);
}

TEST(Feed, FramesInUseAreNeverWrittenTo) {
  Feed feed(moving_scene({200, 48}), {.playback = {.speed = 0}});
  std::vector<std::shared_ptr<const Frame>> kept;
  for (int i = 0; i < 30; ++i) kept.push_back(next_frame(feed));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(scene_number(kept[i]->picture), i);
}

TEST(Feed, PausesStepsAndSeeks) {
  Feed feed(moving_scene({64, 48}, 100), {});
  ASSERT_TRUE(next_frame(feed));
  feed.pause(true);
  while (next_frame(feed, 100ms)) {
  }
  const long long at = feed.status().number;
  EXPECT_EQ(feed.status().state, FeedState::paused);
  feed.step(1);
  ASSERT_EQ(numbers(feed, 1), std::vector<long long>{at + 1});
  feed.step(-1);
  ASSERT_EQ(numbers(feed, 1), std::vector<long long>{at});
  feed.seek(7.5);
  ASSERT_EQ(numbers(feed, 1), std::vector<long long>{750});
  EXPECT_FALSE(next_frame(feed, 100ms)) << "it goes on although it is paused";
  feed.pause(false);
  ASSERT_EQ(numbers(feed, 1), std::vector<long long>{751});
}

TEST(Feed, ABusyCameraIsSaidInWords) {
  FakeDevice device;
  device.busy = true;
  Feed feed(fake(device), {});
  ASSERT_TRUE(reaches(feed, FeedState::failed));
  EXPECT_EQ(feed.status().text, "Fake: another program uses this camera. Close it, or choose another");
}

TEST(Feed, ACameraThatDoesNotAnswerIsGivenUp) {
  FakeDevice device;
  device.hangs = true;
  const auto start = Clock::now();
  {
    Feed feed(fake(device), {.open_limit = 100ms, .no_answer = "Camera did not answer (in use?)"});
    EXPECT_EQ(feed.status().state, FeedState::opening);
    ASSERT_TRUE(reaches(feed, FeedState::failed));
    EXPECT_EQ(feed.status().text, "Camera did not answer (in use?)");
  }
  EXPECT_LT(Clock::now() - start, 1s);
}

TEST(Feed, AnUnpluggedCameraComesBack) {
  FakeDevice device;
  Feed feed(fake(device), {.retry_period = 20ms});
  ASSERT_TRUE(next_frame(feed));
  device.unplugged = true;
  ASSERT_TRUE(reaches(feed, FeedState::lost));
  EXPECT_EQ(feed.status().text, "Camera lost, retrying");
  EXPECT_EQ(device.opened, device.closed) << "it is kept open while it is lost";
  device.unplugged = false;
  ASSERT_TRUE(reaches(feed, FeedState::playing));
  EXPECT_TRUE(next_frame(feed));
  EXPECT_EQ(device.opened, 2);
}

TEST(Feed, NoThreadStaysBehind) {
  FakeDevice device;
  for (int i = 0; i < 50; ++i) {
    Feed feed(fake(device), {});
    if (i % 2) next_frame(feed);
  }
  for (int i = 0; i < 2000 && device.opened != device.closed; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(device.opened, device.closed);
}

class Sequence : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "frames");
    for (const int i : {1, 2, 10, 9}) {
      const Picture picture = make_pattern(PatternKind::noise, {8 + i, 5}, static_cast<std::uint32_t>(i));
      ASSERT_TRUE(save_picture(picture, folder_ / fmt::format("frames/f{}.png", i)));
    }
    std::ofstream(folder_ / "frames/f3.png") << "no picture";
    std::ofstream(folder_ / "frames/notes.txt") << "no picture either";
  }
  TemporaryFolder folder_;
};

TEST_F(Sequence, ShowsPicturesInTheOrderPeopleCount) {
  Feed feed(picture_sequence((folder_ / "frames").string()), {.playback = {.speed = 0, .loops = false}});
  for (const int i : {1, 2, 9, 10}) {
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame);
    const Picture right = make_pattern(PatternKind::noise, {8 + i, 5}, static_cast<std::uint32_t>(i));
    ASSERT_EQ(frame->picture.size, right.size);
    EXPECT_EQ(levels_at(frame->picture, {3, 2}), levels_at(right, {3, 2}));
  }
  EXPECT_TRUE(reaches(feed, FeedState::ended));
}

TEST_F(Sequence, NamesWithNumbersAndStars) {
  const std::string base = (folder_ / "frames").string();
  EXPECT_EQ(sequence_files(base + "/f%d.png").size(), 5u);
  EXPECT_EQ(sequence_files(base + "/f%02d.png"), std::vector<std::string>{base + "/f10.png"});
  EXPECT_EQ(sequence_files(base + "/f*.png").size(), 5u);
  EXPECT_TRUE(is_sequence(base));
  EXPECT_FALSE(is_sequence(base + "/f1.png"));
  const std::filesystem::path odd = folder_ / "[a]";  // no pattern of a shell
  std::filesystem::create_directory(odd);
  std::filesystem::copy_file(base + "/f1.png", odd / "f1.png");
  EXPECT_EQ(sequence_files((odd / "f%d.png").string()), std::vector{(odd / "f1.png").string()});
  EXPECT_THAT(sequence_files(base + "/f%" + std::string(100'000, '9') + "d.png"), testing::IsEmpty());
}

// A source that cannot be rewound ends, instead of trying forever.
TEST_F(Sequence, EndsWhenItsFilesAreGone) {
  Feed feed(picture_sequence((folder_ / "frames").string()), {.playback = {.speed = 0}});
  ASSERT_TRUE(next_frame(feed));
  std::filesystem::remove_all(folder_ / "frames");
  while (next_frame(feed, 300ms)) {
  }
  EXPECT_TRUE(reaches(feed, FeedState::ended));
  EXPECT_THAT(next_frame(feed, 50ms), testing::IsNull());
}

TEST_F(Sequence, AFolderWithoutPicturesSaysSo) {
  Feed feed(picture_sequence((folder_ / "").string()), {});
  ASSERT_TRUE(reaches(feed, FeedState::failed));
  EXPECT_THAT(feed.status().text, testing::HasSubstr("holds no picture"));
}

// Root may read every folder: for the moment, the test is another user.
struct AnotherUser {
  AnotherUser() : was_root(::geteuid() == 0), is_another(!was_root || ::seteuid(65534) == 0) {}
  ~AnotherUser() {
    if (was_root && ::seteuid(0) != 0) std::abort();  // the other tests need their rights
  }
  AnotherUser(const AnotherUser&) = delete;
  const bool was_root, is_another;
};

TEST_F(Sequence, AFolderThatCannotBeReadSaysSo) {
  std::string folder = (folder_ / "").string();
  folder.pop_back();  // the slash
  std::filesystem::permissions(folder, std::filesystem::perms::none);
  bool is_another = false;
  const Result<std::vector<std::string>> files = [&] {
    const AnotherUser user;
    is_another = user.is_another;
    return readable_sequence(folder);
  }();
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  if (!is_another) GTEST_SKIP() << "there is no other user";
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().text, folder + ": cannot be read: Permission denied");
}

class Video : public Sequence {
 protected:
  void SetUp() override {
    if (!no_video().empty()) GTEST_SKIP() << no_video();
  }
};

TEST_F(Video, AGeneratorGivesEveryFrameOnceAndInOrder) {
  Feed feed(video({.path = "lavfi:testsrc2=size=320x180:rate=30:duration=2"}),
            {.playback = {.speed = 0, .loops = false}});
  for (int i = 0; i < 60; ++i) {
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame) << i;
    ASSERT_EQ(frame->number, i);
    ASSERT_EQ(frame->picture.size, (Size2{320, 180}));
    EXPECT_NEAR(frame->at_s, i / 30.0, 1e-6);
  }
  EXPECT_TRUE(reaches(feed, FeedState::ended));
  EXPECT_EQ(feed.status().dropped, 0);
}

TEST_F(Video, AGeneratorThatEndsBeginsAgain) {
  Feed feed(video({.path = "lavfi:testsrc2=size=64x48:rate=30:duration=1"}), {.playback = {.speed = 0}});
  std::vector<unsigned char> first;
  for (int i = 0; i < 75; ++i) {
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame) << i;
    ASSERT_EQ(frame->number, i % 30);
    if (i == 0) first = frame->picture.levels;
    EXPECT_TRUE(i != 60 || frame->picture.levels == first);
  }
  feed.pause(true);
  feed.seek(0.1);
  for (int i = 0; i < 20; ++i)  // frames in flight first, then those of the seek
    if (const auto frame = next_frame(feed); frame && frame->number == 3) return;
  FAIL() << "it was not sought in";
}

TEST_F(Video, ColoursAreThoseOfTheStream) {
  Feed feed(video({.path = "lavfi:color=color=0x2060C0:size=34x18"}), {});
  const auto frame = next_frame(feed);
  ASSERT_TRUE(frame);
  ASSERT_EQ(frame->picture.size, (Size2{34, 18}));
  const auto levels = levels_at(frame->picture, {20, 9});
  EXPECT_NEAR(levels[0], 0x20, 3);
  EXPECT_NEAR(levels[1], 0x60, 3);
  EXPECT_NEAR(levels[2], 0xC0, 3);
}

// Two of three frames, so that the times between them differ.
TEST_F(Video, VariableRatesKeepTheirTimes) {
  Feed feed(video({.path = "lavfi:testsrc2=size=64x48:rate=30:duration=1,select=mod(n\\,3)"}),
            {.playback = {.speed = 0, .loops = false}});
  for (int i = 0; i < 30; ++i) {
    if (i % 3 == 0) continue;
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame) << i;
    EXPECT_NEAR(frame->at_s, (i - 1) / 30.0, 1e-6);  // since the first frame
  }
}

TEST_F(Video, AVideoWithoutFramesSaysSo) {
  Feed feed(video({.path = "lavfi:testsrc2=size=64x48:duration=1,select=0"}), {});
  ASSERT_TRUE(reaches(feed, FeedState::failed));
  EXPECT_THAT(feed.status().text, testing::HasSubstr("has no frame that can be decoded"));
}

TEST_F(Video, AnEndlessGeneratorGoesOn) {
  Feed feed(video({.path = "lavfi:mandelbrot=size=64x48:rate=60"}), {.playback = {.speed = 0}});
  const auto first = next_frame(feed);
  ASSERT_TRUE(first);
  const std::vector<unsigned char> before = first->picture.levels;
  const auto second = next_frame(feed);
  ASSERT_TRUE(second);
  EXPECT_NE(before, second->picture.levels);
}

TEST_F(Video, WhatIsNoVideoIsSaidInWords) {
  TemporaryFolder files;
  const std::string path = (files / "text.mp4").string();
  std::ofstream(path) << "no video, but some words that go on for a while";
  const std::string huge = (files / "huge.y4m").string();  // FFmpeg's answer is that of a camera in use
  std::ofstream(huge) << "YUV4MPEG2 W99999999 H99999999 F25:1 C420\nFRAME\n";
  for (const auto& [what, words] :
       {std::pair<std::string, std::string>{path, "text.mp4: not a video that FFmpeg can read"},
        {huge, "huge.y4m: not a video that FFmpeg can read"},
        {(files / "none.mp4").string(), "no such file"},
        {"lavfi:testsrc2=size=nonsense", "not a video that FFmpeg can read"},
        {"lavfi:sine=frequency=440", "this generator is not allowed"}}) {
    Feed feed(video({.path = what}), {});
    ASSERT_TRUE(reaches(feed, FeedState::failed)) << what;
    EXPECT_THAT(feed.status().text, testing::HasSubstr(words));
  }
}

// Written here and read back: the frames have the contents of the pictures.
class RecordedVideo : public testing::TestWithParam<std::tuple<std::string, Size2>> {
 protected:
  void SetUp() override {
    if (!no_video().empty()) GTEST_SKIP() << no_video();
  }
  // A bar at a position given by the frame's number.
  static Picture picture(Size2 size, int number) {
    Picture made{.size = size, .channels = 3};
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const auto level = static_cast<unsigned char>(x < size.width * (number + 1) / 12 ? 220 : 30);
        made.levels.insert(made.levels.end(), {level, level, 40});
      }
    return made;
  }
  std::string write(const std::string& name, Size2 size, int count = 10) {
    const std::string path = (folder_ / name).string();
    auto recorder = frame_writer(path, 20, true);
    EXPECT_TRUE(recorder);
    for (int i = 0; i < count; ++i) {
      const Result<void> added = (*recorder)->add(picture(size, i));
      EXPECT_TRUE(added) << added.error().text;
    }
    const Result<void> finished = (*recorder)->finish();
    EXPECT_TRUE(finished) << finished.error().text;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ""))
      EXPECT_THAT(entry.path().string(), testing::Not(testing::HasSubstr("unfinished")));
    return path;
  }
  TemporaryFolder folder_;
};

TEST_P(RecordedVideo, ComesBackAsItWasWritten) {
  const auto [name, size] = GetParam();
  Feed feed(video({.path = write(name, size)}), {.playback = {.speed = 0, .loops = false}});
  for (int i = 0; i < 10; ++i) {
    const auto frame = next_frame(feed);
    ASSERT_TRUE(frame) << i << ": " << feed.status().text;
    ASSERT_EQ(frame->picture.size, size);
    EXPECT_EQ(frame->number, i);
    const Picture right = picture(size, i);
    for (const int x : {size.width / 24, size.width * 13 / 24, size.width * 21 / 24})
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(levels_at(frame->picture, {x, size.height / 2})[c], levels_at(right, {x, size.height / 2})[c], 25)
            << "frame " << i << ", x " << x << ", channel " << c;
  }
  EXPECT_TRUE(reaches(feed, FeedState::ended));
}
INSTANTIATE_TEST_SUITE_P(Kinds, RecordedVideo,
                         testing::Values(std::tuple<std::string, Size2>{"a.mp4", {128, 96}},
                                         std::tuple<std::string, Size2>{"a.mp4", {97, 61}},
                                         std::tuple<std::string, Size2>{"a.avi", {128, 96}},
                                         std::tuple<std::string, Size2>{"a.mkv", {128, 96}},
                                         std::tuple<std::string, Size2>{"a.mjpeg", {97, 61}},
                                         std::tuple<std::string, Size2>{"a.avi", {97, 61}},
                                         std::tuple<std::string, Size2>{"a.webm", {97, 61}}));

// Frames that stay YUV look like those that FFmpeg converts to RGBA.
TEST_P(RecordedVideo, MayStayYuv) {
  const auto [name, size] = GetParam();
  const std::string path = write(name, size);
  Feed made(video({.path = path}), {.playback = {.speed = 0, .loops = false}});
  Feed kept(video({.path = path}), {.playback = {.speed = 0, .loops = false, .takes_yuv = true}});
  for (int i = 0; i < 10; ++i) {
    const auto rgba = next_frame(made), yuv = next_frame(kept);
    ASSERT_TRUE(rgba && yuv) << i;
    ASSERT_FALSE(rgba->picture.yuv);
    ASSERT_TRUE(yuv->picture.yuv || size.width % 2 != 0);  // odd widths: some encoders store a colour per pixel
    ASSERT_EQ(yuv->picture.size, size);
    const HostImage expected = to_format(rgba->picture, PixelType::rgba8),
                    is = to_format(yuv->picture, PixelType::rgba8);
    double sum = 0, most = 0;
    for (std::size_t at = 0; at < is.bytes.size(); ++at) {
      const double off = std::abs(static_cast<int>(is.bytes[at]) - static_cast<int>(expected.bytes[at]));
      sum += off;
      most = std::max(most, off);
    }
    // If a side is odd FFmpeg mixes neighbouring colours there, which matters at the bar's edge.
    EXPECT_LE(size.width % 2 == 0 ? most : sum / static_cast<double>(is.bytes.size()), 3) << "frame " << i;
  }
}

// Every byte order, also with odd sides and mirrored, in memory that had another layout before.
TEST_F(Video, FramesStayYuvWhileThatIsTaken) {
  for (const char* format : {"yuv420p", "nv12", "yuv422p", "yuyv422"})
    for (const Size2 size : {Size2{64, 48}, Size2{65, 49}})
      for (const bool flip : {false, true}) {
        const std::string path =
            fmt::format("lavfi:testsrc2=size={}x{}:rate=30,gblur=sigma=3,format={}", size.width, size.height, format);
        const auto what = fmt::format("{} {}", path, flip);
        Feed made(video({.path = path, .flip = flip}), {.playback = {.speed = 0}});
        Feed kept(video({.path = path, .flip = flip}), {.playback = {.speed = 0}});
        for (int i = 0; i < 12; ++i) {
          kept.set({.speed = 0, .takes_yuv = i / 4 % 2 == 1});
          const auto rgba = next_frame(made), yuv = next_frame(kept);
          ASSERT_TRUE(rgba && yuv) << made.status().text;
          ASSERT_EQ(yuv->number, rgba->number);
          ASSERT_TRUE(i % 4 < 3 || yuv->picture.yuv.has_value() == (i / 4 % 2 == 1)) << what;
          const HostImage expected = to_format(rgba->picture, PixelType::rgba8),
                          is = to_format(yuv->picture, PixelType::rgba8);
          double sum = 0;
          for (std::size_t at = 0; at < is.bytes.size(); ++at)
            sum += std::abs(static_cast<int>(is.bytes[at]) - static_cast<int>(expected.bytes[at]));
          EXPECT_LT(sum / (3.0 * static_cast<double>(size.area())), 2.5) << what;  // over red, green and blue
        }
      }
}

TEST_P(RecordedVideo, IsSoughtFrameByFrame) {
  const auto [name, size] = GetParam();
  if (name == "a.mjpeg") GTEST_SKIP() << "pictures one after the other, without times";
  Feed feed(video({.path = write(name, size, 10)}), {});
  ASSERT_TRUE(next_frame(feed));
  EXPECT_NEAR(feed.status().info.duration_s, 0.5, 0.06);
  EXPECT_NEAR(feed.status().info.rate, 20, 0.01);
  feed.pause(true);
  while (next_frame(feed, 50ms)) {
  }
  for (const int to : {7, 3, 9, 0}) {
    feed.seek(to / 20.0);
    ASSERT_EQ(numbers(feed, 1), std::vector<long long>{to});
  }
}

// Lines of one pixel, alternating red and blue, in a format with a colour per pixel.
TEST_F(Video, KeepsTheColourOfEachPixelWhereTheFormatDoes) {
  Feed feed(video({.path = "lavfi:nullsrc=size=64x48:duration=1,format=gbrp,"
                           "geq=r=255*mod(X\\,2):g=0:b=255*(1-mod(X\\,2)),format=yuv444p"}),
            {});
  const auto frame = next_frame(feed);
  ASSERT_TRUE(frame) << feed.status().text;
  for (const int x : {30, 31}) {
    const auto levels = levels_at(frame->picture, {x, 20});
    EXPECT_NEAR(levels[0], x % 2 == 1 ? 255 : 0, 6) << x;
    EXPECT_NEAR(levels[2], x % 2 == 1 ? 0 : 255, 6) << x;
  }
}

// Phones store frames in the sensor's orientation, together with a rotation.
TEST_F(RecordedVideo, IsTurnedAsThePhoneWasHeld) {
  const std::string path = write("phone.mp4", {96, 64}, 3);
  std::string bytes = *read_file(path);
  const std::size_t matrix = bytes.find("tkhd") + 44;  // ISO 14496-12, 8.3.2: nine numbers of 32 bits, big-endian
  ASSERT_LT(matrix, bytes.size());
  const std::string one("\0\1\0\0", 4), minus_one("\xff\xff\0\0", 4), zero(4, '\0');
  const auto turned = [&](const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
    bytes.replace(matrix, 8, a + b);
    bytes.replace(matrix + 12, 8, c + d);
    EXPECT_TRUE(write_file(path, bytes));
    Feed feed(video({.path = path}), {.playback = {.speed = 0, .loops = false}});
    const auto frame = next_frame(feed);
    EXPECT_TRUE(frame) << feed.status().text;
    return frame ? frame->picture : Picture();
  };
  // The first frame is bright on the left; rotated clockwise by a quarter, at the top.
  const Picture up = turned(zero, one, minus_one, zero);
  ASSERT_EQ(up.size, (Size2{64, 96}));
  EXPECT_GT(levels_at(up, {32, 2})[0], 150);
  EXPECT_LT(levels_at(up, {32, 90})[0], 80);
  const Picture down = turned(zero, minus_one, one, zero);
  ASSERT_EQ(down.size, (Size2{64, 96}));
  EXPECT_LT(levels_at(down, {32, 2})[0], 80);
  EXPECT_GT(levels_at(down, {32, 93})[0], 150);
  const Picture over = turned(minus_one, zero, zero, minus_one);
  ASSERT_EQ(over.size, (Size2{96, 64}));
  EXPECT_LT(levels_at(over, {2, 32})[0], 80);
  EXPECT_GT(levels_at(over, {93, 32})[0], 150);
  const Picture upside_down = turned(one, zero, zero, minus_one);  // left stays left
  EXPECT_GT(levels_at(upside_down, {2, 32})[0], 150);
  EXPECT_LT(levels_at(upside_down, {93, 32})[0], 80);
  EXPECT_LT(levels_at(turned(minus_one, zero, zero, one), {2, 32})[0], 80);
}

TEST_F(RecordedVideo, LoopsUntilItIsTold) {
  Feed feed(video({.path = write("a.mp4", {64, 48}, 5)}), {.playback = {.speed = 0}});
  EXPECT_EQ(numbers(feed, 12), (std::vector<long long>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1}));
  feed.set({.speed = 0, .loops = false});
  ASSERT_TRUE([&] {
    while (next_frame(feed, 200ms)) {
    }
    return reaches(feed, FeedState::ended);
  }());
}

TEST_F(RecordedVideo, ACutOffFileShowsWhatThereIs) {
  const std::string whole = write("a.mkv", {128, 96}, 40);
  const std::string bytes = *read_file(whole), cut = (folder_ / "cut.mkv").string();
  std::ofstream(cut, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  Feed feed(video({.path = cut}), {.playback = {.speed = 0, .loops = false}});
  int frames = 0;
  while (next_frame(feed, 300ms)) ++frames;
  EXPECT_TRUE(feed.status().state == FeedState::ended || feed.status().state == FeedState::failed);
  EXPECT_LT(frames, 40);
  std::ofstream(folder_ / "head.mp4", std::ios::binary) << bytes.substr(0, 100);
  Feed head(video({.path = (folder_ / "head.mp4").string()}), {});
  EXPECT_TRUE(reaches(head, FeedState::failed));
}

// A killed program leaves a file beside the target, which plays up to the last seconds.
TEST_F(RecordedVideo, AnUnfinishedOneCanBePlayed) {
  for (const std::string ending : {".mp4", ".mov", ".mkv", ".avi"}) {
    auto recorder = frame_writer((folder_ / ("a" + ending)).string(), 20, true);
    ASSERT_TRUE(recorder);
    for (int i = 0; i < 120; ++i) ASSERT_TRUE((*recorder)->add(picture({64, 48}, i % 12)));
    const std::string killed = (folder_ / ("killed" + ending)).string();
    std::filesystem::copy_file(folder_ / ("a.unfinished" + ending), killed);
    Feed feed(video({.path = killed}), {.playback = {.speed = 0, .loops = false}});
    int frames = 0;
    while (next_frame(feed, 300ms)) ++frames;
    EXPECT_GE(frames, 60) << ending;
  }
}

TEST_F(RecordedVideo, NothingStaysBehindWhenItIsNotFinished) {
  const std::string path = (folder_ / "half.mp4").string();
  {
    auto recorder = frame_writer(path, 20, true);
    ASSERT_TRUE(recorder);
    ASSERT_TRUE((*recorder)->add(picture({64, 48}, 0)));
    const Result<void> other = (*recorder)->add(picture({32, 48}, 0));
    EXPECT_THAT(other.error().text, testing::HasSubstr("so a picture of 32x48 cannot be added"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / ""));
  auto nowhere = frame_writer((folder_ / "no/such/a.mp4").string(), 20, true);
  ASSERT_TRUE(nowhere);
  EXPECT_THAT((*nowhere)->add(picture({64, 48}, 0)).error().text, testing::HasSubstr("cannot be written"));
  write("small.gif", {33, 21});
}

// Limits the size of files, which acts as a full disk: the system refuses the rest of a write.
class LittleRoom {
 public:
  explicit LittleRoom(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~LittleRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LittleRoom(const LittleRoom&) = delete;  // applies to the process
  LittleRoom& operator=(const LittleRoom&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

// file: the first one that would be written.
void expect_refused(const std::string& path, const std::string& file, const Picture& picture) {
  ASSERT_TRUE(write_file(file, "what was there"));
  Result<void> written;
  {
    const LittleRoom little(20'000);
    auto writer = frame_writer(path, 20, true);
    ASSERT_TRUE(writer);
    for (int i = 0; i < 50 && written; ++i) written = (*writer)->add(picture);
    if (written) written = (*writer)->finish();
  }
  ASSERT_FALSE(written) << path;
  EXPECT_THAT(written.error().text, testing::HasSubstr("cannot be written: File too large")) << path;
}

TEST(FrameWriter, WithoutRoomLeavesWhatWasThere) {
  TemporaryFolder folder;
  const Picture noise = make_pattern(PatternKind::noise, {320, 240});
  const std::string mp4 = (folder / "a.mp4").string();
  expect_refused((folder / "a%03d.png").string(), (folder / "a000.png").string(), noise);
  if (no_video().empty()) expect_refused(mp4, mp4, noise);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "")) {
    ++files;
    EXPECT_EQ(*read_file(entry.path()), "what was there") << entry.path();
  }
  EXPECT_EQ(files, no_video().empty() ? 2 : 1);
}

TEST(FrameWriter, MakesNoFolderWithTheNameOfAPicture) {
  const TemporaryFolder folder;
  EXPECT_FALSE(frame_writer((folder / "p.png").string(), 20, true));
  EXPECT_FALSE(std::filesystem::exists(folder / "p.png"));
}

TEST(FrameWriter, NumbersFiles) {
  TemporaryFolder folder;
  const Picture picture = make_pattern(PatternKind::gradient, {9, 7});
  auto named = frame_writer((folder / "f%03d.png").string(), 0, true),
       filled = frame_writer((folder / "new/one").string(), 0, true);
  for (auto* recorder : {&named, &filled}) {
    ASSERT_TRUE(*recorder);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE((**recorder)->add(picture));
    ASSERT_TRUE((**recorder)->finish());
  }
  for (const char* name : {"f000.png", "f001.png", "new/one/frame000000.png", "new/one/frame000001.png"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
}

}  // namespace conv
