// Streams: the thread that plays them, and what it does when they are slow, lost, or end.
#include "app/sources/feed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "app/sources/pattern.h"
#include "support.h"

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

// A device of the tests' own: what it does is set from outside.
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
  Result<void> seek(double) override { return failure("A camera has no past"); }

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
  // Half a second at 200 frames a second; a loaded machine may be late, never early.
  EXPECT_GT(newest->number, 50);
  EXPECT_LE(newest->number, 104);
  EXPECT_GE(feed.status().dropped, newest->number - 3);
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
}

TEST_F(Sequence, AFolderWithoutPicturesSaysSo) {
  Feed feed(picture_sequence((folder_ / "").string()), {});
  ASSERT_TRUE(reaches(feed, FeedState::failed));
  EXPECT_THAT(feed.status().text, testing::HasSubstr("holds no picture"));
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

TEST_F(Video, LifeGoesOn) {
  Feed feed(video({.path = "lavfi:life=size=64x48:rate=60:seed=7"}), {.playback = {.speed = 0}});
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
  for (const auto& [what, words] : {std::pair<std::string, std::string>{path, "text.mp4: not a video FFmpeg can read"},
                                    {(files / "none.mp4").string(), "no such file"},
                                    {"lavfi:nonsense", "not a video FFmpeg can read"},
                                    {"lavfi:sine=frequency=440[out0]", "holds no video"}}) {
    Feed feed(video({.path = what}), {});
    ASSERT_TRUE(reaches(feed, FeedState::failed)) << what;
    EXPECT_THAT(feed.status().text, testing::HasSubstr(words));
  }
}
