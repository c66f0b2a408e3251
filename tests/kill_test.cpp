// Programs that are killed while they write: what was there before or the new file, whole, and never anything else.
// CONVOSCOPE_KILLS: how often each of them is killed; 10 otherwise.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <random>

#include "app/measure/bench_json.h"
#include "app/model/settings_file.h"
#include "app/shell/user_files.h"
#include "app/sources/feed.h"
#include "app/sources/frame_writer.h"
#include "app/sources/frames.h"
#include "app/sources/pattern.h"
#include "support.h"

namespace conv {
namespace {

namespace fs = std::filesystem;

pid_t forked(const std::function<void(int turn)>& writes) {
  const pid_t child = fork();
  if (child != 0) return child;
  for (int turn = 0; turn < 1'000'000; ++turn) writes(turn);
  _exit(0);
}

class Killed : public testing::Test {
 protected:
  // Starts a writer and kills it after a random time of at most `longest_ms`, again and again.
  void kill_often(const std::function<pid_t()>& start_writer, int longest_ms, const std::function<void()>& check) {
    const char* const times = std::getenv("CONVOSCOPE_KILLS");
    const int kills = times ? std::atoi(times) : 10;
    for (int i = 0; i < kills && !HasFailure(); ++i) {
      const pid_t child = start_writer();
      usleep(static_cast<useconds_t>(random_() % (static_cast<unsigned>(longest_ms) * 1000)));
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      check();
    }
  }
  // Writes once, in a process of its own. It removes what killed ones left in the folder.
  void write_once(const std::function<void(int turn)>& writes) {
    const pid_t child = fork();
    if (child == 0) {
      writes(0);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  std::vector<std::string> names(const fs::path& folder) const {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder_;
  std::mt19937 random_{17};
};

TEST_F(Killed, WhileItSavesSettings) {
  setenv("XDG_CONFIG_HOME", (folder_ / "").c_str(), 1);
  const auto save = [](int turn) {
    Settings settings;
    settings.filter.radius = 1 + turn % 50;
    write_user_files(settings, {}, std::string(20'000, 'x'));
  };
  write_once(save);
  kill_often(
      [&] { return forked(save); }, 60,
      [] {
        Settings settings;
        Preferences preferences;
        EXPECT_TRUE(read_user_settings(settings, preferences, [](const std::string& text) { ADD_FAILURE() << text; }));
        EXPECT_EQ(read_user_layout().size(), 20'000u);
      });
  write_once(save);
  EXPECT_THAT(names(config_folder()), testing::UnorderedElementsAre("layout.ini", "settings.json"));
  unsetenv("XDG_CONFIG_HOME");
}

TEST_F(Killed, WhileItSavesASession) {
  const fs::path path = folder_ / "lecture.json";
  const auto save = [&](int turn) {
    Settings settings;
    settings.filter.radius = 1 + turn % 50;
    static_cast<void>(write_file(path, session_to_json(settings, {})));
  };
  write_once(save);
  kill_often([&] { return forked(save); }, 60,
             [&] {
               const Result<Session> read = session_from_json(read_file(path).value_or(""));
               ASSERT_TRUE(read) << read.error().text;
               EXPECT_TRUE(read->corrections.empty());
             });
  write_once(save);
  EXPECT_THAT(names(folder_ / ""), testing::ElementsAre("lecture.json"));
}

TEST_F(Killed, WhileItRecords) {
  const fs::path path = folder_ / "lecture.mkv";
  if (!frame_writer(path, 20, true)) GTEST_SKIP() << "built without FFmpeg";
  constexpr int length = 25;
  const Picture picture = make_pattern(PatternKind::gradient, {64, 48});
  const auto record = [&](int) {
    auto writer = frame_writer(path, 20, true);
    for (int i = 0; i < length; ++i) static_cast<void>((*writer)->add(picture));
    static_cast<void>((*writer)->finish());
  };
  kill_often([&] { return forked(record); }, is_sanitized ? 2000 : 300,
             [&] {
               for (const std::string& name : names(folder_ / ""))
                 EXPECT_TRUE(name == "lecture.mkv" || name.starts_with("lecture.unfinished")) << name;
               if (!fs::exists(path)) return;
               Feed feed(video({.path = path}), {.playback = {.speed = 0, .loops = false}});
               int frames = 0;
               while (feed.status().state != FeedState::ended && feed.status().state != FeedState::failed)
                 frames += feed.take() != nullptr;
               while (feed.take()) ++frames;
               EXPECT_EQ(frames, length);
             });
}

TEST_F(Killed, WhileItConvolvesAFolder) {
  fs::create_directory(folder_ / "in");
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {96, 64}), folder_ / "in/0.png"));
  for (int i = 1; i < 30; ++i) fs::copy_file(folder_ / "in/0.png", folder_ / fmt::format("in/{}.png", i));
  const auto convolve = [&](std::string_view name) {
    return fmt::format("env -u DISPLAY " CONV_PROGRAM " convolve {} {} --device cpu --force >/dev/null 2>&1",
                       (folder_ / "in").string(), (folder_ / name).string());
  };
  ASSERT_EQ(std::system(convolve("whole").c_str()), 0);
  const std::string whole = *read_file(folder_ / "whole/0.png");
  kill_often([&] { return start(convolve("out")); }, is_sanitized ? 3000 : 600,
             [&] {
               for (const std::string& name : names(folder_ / "out")) {
                 EXPECT_TRUE(!name.ends_with(".png") || *read_file(folder_ / "out" / name) == whole) << name;
               }
             });
  ASSERT_EQ(std::system(convolve("out").c_str()), 0);
  EXPECT_EQ(names(folder_ / "out"), names(folder_ / "in"));
}

TEST_F(Killed, WhileItMeasures) {
  const std::string path = folder_ / "rows.json";
  const std::string bench = fmt::format(
      "env -u DISPLAY " CONV_PROGRAM
      " bench --device cpu --variant cpu_direct,cpu_separable --size 96x64 --radius 1:12 --quick --json {} >/dev/null "
      "2>&1",
      path);
  kill_often([&] { return start(bench); }, is_sanitized ? 4000 : 1000,
             [&] {
               if (!fs::exists(path)) return;
               const auto read = read_results(path);
               EXPECT_TRUE(read) << read.error().text;
             });
}

}  // namespace
}  // namespace conv
