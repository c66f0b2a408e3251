// A process that continues after a kernel has crashed the GPU.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "app/model/settings_file.h"
#include "app/shell/restart_state.h"
#include "app/shell/user_files.h"
#include "support.h"
#include "window_support.h"

namespace conv {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The driver may stop OpenGL itself for half a minute, so the window says it where no OpenGL is needed.
TEST(Restart, ContinuesWithTheSettingsAndSaysWhatItWaitsFor) {
  Settings settings;
  settings.source = {.pattern = PatternKind::noise, .pattern_size = {64, 48}};
  settings.filter = {.radius = 7};
  const std::vector<std::string> words =
      with_restart_state({"convoscope"}, to_json(settings, {}, {{"global", "an illegal memory access"}}));
  ASSERT_EQ(words.size(), 3u);
  // Never closed: leaks.txt cannot name a driver that is unloaded at the end.
  App* const app = make_window({.device = DeviceChoice::cpu, .restart_state = std::stoi(words[2])}).release();
  EXPECT_THAT(app->window().title(), HasSubstr("waiting for the graphics driver"));
  EXPECT_EQ(app->settings().filter, settings.filter);
  EXPECT_THAT(app->ui().log,
              testing::Contains(testing::Field(&UiState::LogLine::text,
                                               HasSubstr("global crashed the GPU: an illegal memory access"))));
  EXPECT_TRUE(app->pipeline().crashed().contains("global"));
  settle(*app);
  EXPECT_EQ(app->window().title(), "Convoscope");
}

// A second fault hands over one state: the newest.
TEST(Restart, HandsOverOneState) {
  const auto first = with_restart_state({"convoscope", "--theme", "light"}, "first");
  const auto second = with_restart_state(first, "second");
  EXPECT_THAT(second, ElementsAre("convoscope", "--theme", "light", "--restart-state", testing::_));
  EXPECT_EQ(take_restart_state(std::stoi(second.back())), "second");
  EXPECT_EQ(take_restart_state(std::stoi(second.back())), std::nullopt);
}

TEST(Restart, ReadsNoOtherFile) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(take_restart_state(fileno(file)), std::nullopt);
  EXPECT_EQ(take_restart_state(-1), std::nullopt);
  EXPECT_EQ(take_restart_state(0), std::nullopt);
  std::fclose(file);
}

TEST(UserFiles, ThatCannotBeReadAreSaid) {
  const TemporaryFolder folder;
  const char* const before = std::getenv("XDG_CONFIG_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CONFIG_HOME", (folder / "").c_str(), 1);
  const std::filesystem::path file = folder / "convoscope/settings.json";
  std::filesystem::create_directories(file.parent_path());
  const auto said = [] {
    std::string text;
    Settings settings;
    Preferences preferences;
    EXPECT_FALSE(read_user_settings(settings, preferences, [&](const std::string& words) { text += words; }));
    return text;
  };
  EXPECT_EQ(said(), "") << "the first start";
  std::filesystem::create_symlink("settings.json", file);
  EXPECT_THAT(said(), HasSubstr("The program starts with its standard settings"));
  std::filesystem::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(said(), HasSubstr("is a device or a pipe"));
  std::filesystem::remove(file);
  ASSERT_TRUE(write_file(file, "no JSON"));
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("not a settings file"), HasSubstr("the file is kept as")));
  setenv("XDG_CONFIG_HOME", "/dev/null/x", 1);
  EXPECT_EQ(said(), "");
  EXPECT_FALSE(write_user_files({}, {}, ""));
  before ? setenv("XDG_CONFIG_HOME", kept.c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace conv
