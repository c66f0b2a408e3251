// Files that somebody else wrote: settings, sessions, and file names. And how files are written.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/model/normalise.h"
#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "app/sources/bundle.h"
#include "app/sources/frames.h"
#include "app/sources/recording.h"
#include "app/sources/sample_pictures.h"
#include "support.h"

namespace conv {

namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

Result<Session> session_of(const std::string& settings, const std::string& view = "{}") {
  return session_from_json(
      fmt::format("{{\"convoscope_session\": 1, \"settings\": {}, \"view\": {}}}", settings, view));
}

// A folder with a session file and a picture in it, and a picture beside the folder.
class SessionFile : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "lecture/frames");
    for (const char* file : {"lecture/a.png", "lecture/frames/f1.png", "lecture/frames/f2.png", "secret.png"})
      ASSERT_TRUE(write_file(folder_ / file, "a picture"));
  }
  SessionPicture resolve(const std::string& path) {
    source_ = {.path = path};
    return resolve_picture(source_, folder_ / "lecture/session.json");
  }
  using State = SessionPicture::State;
  TemporaryFolder folder_;
  SourceSettings source_;
};

TEST_F(SessionFile, NamesPicturesBesideAndBelowItself) {
  for (const char* path : {"a.png", "frames", "frames/f1.png", "frames/*.png", "frames/f%d.png", "./frames/../a.png"}) {
    EXPECT_EQ(resolve(path).state, State::ready) << path;
    EXPECT_TRUE(fs::path(source_.path).is_absolute()) << source_.path;
  }
  EXPECT_EQ(resolve((folder_ / "lecture/a.png").string()).state, State::ready);
  EXPECT_EQ(resolve((samples_folder() / "harbour.png").string()).state, State::ready);
}

TEST_F(SessionFile, AsksBeforeItLeavesItsFolder) {
  fs::create_symlink(folder_ / "secret.png", folder_ / "lecture/link.png");
  fs::create_symlink(folder_ / "secret.png", folder_ / "lecture/frames/f3.png");
  fs::create_directory_symlink("/", folder_ / "lecture/root");
  for (const std::string path : {"../secret.png", "link.png", "frames", "frames/f%d.png", "root/etc/*", "*/f1.png"})
    EXPECT_EQ(resolve(path).state, State::leads_out) << path;
  EXPECT_EQ(resolve((folder_ / "secret.png").string()).state, State::leads_out);
  EXPECT_EQ(resolve("/etc/passwd").path, "/etc/passwd");
}

TEST_F(SessionFile, FindsAPictureThatMovedBesideIt) {
  EXPECT_EQ(resolve("/home/somebody/pictures/a.png").state, State::ready);
  EXPECT_EQ(source_.path, (folder_ / "lecture/a.png").lexically_normal());
  EXPECT_EQ(resolve("/home/somebody/none.png").state, State::missing);
  EXPECT_EQ(resolve("http://127.0.0.1/a.mp4").state, State::missing);
}

TEST_F(SessionFile, StartsNoCameraAndNoGenerator) {
  const SessionPicture generator = resolve("lavfi:testsrc2,metadata=mode=print:file=out");
  EXPECT_EQ(source_.path, "");
  EXPECT_THAT(generator.note, HasSubstr("cannot start a lavfi: generator"));
  source_ = {.camera = "/dev/video0"};
  EXPECT_THAT(resolve_picture(source_, folder_ / "lecture/session.json").note, HasSubstr("starts no camera"));
  EXPECT_EQ(source_.camera, "");
}

TEST_F(SessionFile, StoresPathsThatMoveWithIt) {
  const fs::path file = folder_ / "lecture/session.json";
  EXPECT_EQ(path_for_session((folder_ / "lecture/frames/f1.png").string(), file), "frames/f1.png");
  EXPECT_EQ(path_for_session((folder_ / "secret.png").string(), file), "../secret.png");
  const std::string sample = (samples_folder() / "harbour.png").string();
  Settings settings;
  settings.source.path = path_for_session(sample, file);
  const std::string text = session_to_json(settings, {});
  EXPECT_THAT(text, testing::Not(HasSubstr(samples_folder().string())));
  EXPECT_EQ(session_from_json(text)->settings.source.path, sample);
}

// A bundle, and what is done to its bytes.
class Bundle : public testing::Test {
 protected:
  void SetUp() override {
    const std::string text = "{" + std::string(1000, ' ') + "}";
    ASSERT_TRUE(write_file(folder_ / "a.png", "a picture"));
    ASSERT_TRUE(write_bundle(bundle_, {{.name = "session.json", .bytes = text, .from = {}},
                                       {.name = "a.png", .bytes = {}, .from = folder_ / "a.png"}}));
    bytes_ = *read_file(bundle_);
  }
  // The bytes at this place behind each occurrence of a signature are replaced.
  void put(std::string_view signature, std::size_t place, std::string_view bytes) {
    for (std::size_t at = bytes_.find(signature); at != std::string::npos; at = bytes_.find(signature, at + 1))
      bytes_.replace(at + place, bytes.size(), bytes);
    ASSERT_TRUE(write_file(bundle_, bytes_));
  }
  std::string error_of(const char* file) {
    const Result<std::string> read = read_any_file(bundle_ / file);
    return read ? "none" : read.error().text;
  }
  static constexpr std::string_view entry = "PK\1\2", end_record = "PK\5\6";
  TemporaryFolder folder_;
  const fs::path bundle_ = folder_ / "class.zip";
  std::string bytes_;
};

TEST_F(Bundle, GivesItsFilesBack) {
  EXPECT_THAT(*list_bundle(bundle_), testing::ElementsAre("session.json", "a.png"));
  EXPECT_EQ(contents_of(bundle_)->document, "session.json");
  EXPECT_EQ(*read_any_file(bundle_ / "a.png"), "a picture");
  EXPECT_EQ(read_any_file(bundle_ / "session.json")->size(), 1002U);
  EXPECT_TRUE(any_file_exists(bundle_ / "a.png"));
  EXPECT_FALSE(any_file_exists(bundle_ / "b.png"));
  EXPECT_FALSE(any_file_exists(bundle_ / "session.json/a.png"));
  EXPECT_THAT(error_of("b.png"), HasSubstr("b.png is not in it"));
  EXPECT_THAT(error_of("../a.png"), HasSubstr("is not in it")) << "beside the bundle";
}

TEST_F(Bundle, HoldsPicturesOfTheSameNameOnceEach) {
  BundledFiles files;
  EXPECT_EQ(add_picture(files, "x/a.png"), "a.png");
  EXPECT_EQ(add_picture(files, "y/a.png"), "a-2.png");
  EXPECT_EQ(add_picture(files, "x/a.png"), "a.png");
  EXPECT_EQ(files.size(), 2U);
  EXPECT_EQ(add_picture(files, "x/b*?%d.png"), "b___d.png") << "no name for many files";
  files.pop_back();
  EXPECT_FALSE(write_bundle(bundle_, files)) << "there are no such files";
  EXPECT_EQ(*read_file(bundle_), bytes_);
}

// Nothing is allocated for what a bundle only states.
TEST_F(Bundle, StatesNoMoreThanItMayHave) {
  put(entry, 24, "\xff\xff\xff\x7f");
  EXPECT_THAT(error_of("session.json"), HasSubstr("too large: 2.00 GiB"));
  put(end_record, 10, "\xff\xff");
  EXPECT_THAT(error_of("session.json"), HasSubstr("at most 1000 files"));
}

TEST_F(Bundle, OfAnotherKindIsRefused) {
  put(entry, 10, {"\x0c\0", 2});  // bzip2
  EXPECT_THAT(error_of("a.png"), HasSubstr("packed in a way that is not read"));
  put(entry, 10, {"\0\0", 2});
  put(entry, 8, {"\1\0", 2});
  EXPECT_THAT(error_of("a.png"), HasSubstr("encrypted"));
  ASSERT_TRUE(write_file(bundle_, "PK"));
  EXPECT_THAT(error_of("a.png"), HasSubstr("not a ZIP archive"));
}

TEST_F(Bundle, ThatIsDamagedIsRefused) {
  put("a picture", 0, "b");
  EXPECT_THAT(error_of("a.png"), HasSubstr("a.png is damaged"));
}

TEST_F(Bundle, HasOneDocument) {
  const auto error_with = [&](const BundledFiles& files) {
    EXPECT_TRUE(write_bundle(bundle_, files));
    const auto contents = contents_of(bundle_);
    return contents ? "none" : contents.error().text;
  };
  EXPECT_THAT(error_with({{.name = "a.md", .bytes = "", .from = {}}, {.name = "b.json", .bytes = "", .from = {}}}),
              HasSubstr("this one has a.md, b.json"));
  EXPECT_THAT(error_with({{.name = "a.png", .bytes = "", .from = {}}}), HasSubstr("no session (.json)"));
  EXPECT_EQ(error_with({{.name = "k/a.cu", .bytes = "", .from = {}}}), "none");
  EXPECT_THAT(contents_of(bundle_)->kernels, testing::ElementsAre("k/a.cu"));
}

// Joined to the bundle's path, such a name would lead to a file of the disk.
TEST_F(Bundle, NamesThatLeadOutOfItAreLeftOut) {
  BundledFiles files;
  for (const char* name :
       {"/tmp/a.md", "../a.md", "../../../../../../a.md", "x/../../a.md", "./a.md", "x\\a.md", "a\nb.md"})
    files.push_back({.name = name, .bytes = "text", .from = {}});
  files.push_back({.name = std::string(300, 'x') + ".md", .bytes = "text", .from = {}});
  files.push_back({.name = "x/a.md", .bytes = "text", .from = {}});
  ASSERT_TRUE(write_bundle(bundle_, files));
  EXPECT_THAT(*list_bundle(bundle_), testing::ElementsAre("x/a.md"));
  EXPECT_EQ(contents_of(bundle_)->document, "x/a.md");
  EXPECT_THAT(error_of("../a.md"), HasSubstr("is not in it"));
  EXPECT_THAT(error_of("x/../../a.md"), HasSubstr("is not in it"));
  EXPECT_EQ(*read_any_file(bundle_ / "x/a.md"), "text");
  EXPECT_EQ(files_of({.path = (bundle_ / "x/a.md").string()}), std::vector<fs::path>{bundle_})
      << "it is not overwritten";
}

TEST_F(Bundle, ItsSessionNamesPicturesInIt) {
  using State = SessionPicture::State;
  const auto state_of = [&](const std::string& path) {
    SourceSettings source{.path = path};
    return resolve_picture(source, bundle_ / "session.json").state;
  };
  EXPECT_EQ(state_of("a.png"), State::ready);
  EXPECT_EQ(state_of("b.png"), State::missing);
  ASSERT_TRUE(write_file(folder_ / "secret.png", "a picture"));
  EXPECT_EQ(state_of("../secret.png"), State::leads_out);
  SourceSettings video{.path = "a.mp4"};
  EXPECT_THAT(resolve_picture(video, bundle_ / "session.json").note, HasSubstr("unpack the bundle"));
  EXPECT_EQ(video.path, "");
}

TEST_F(SessionFile, AScenesPictureIsBesideTheLesson) {
  const fs::path place = folder_ / "lecture";
  EXPECT_EQ(*resolve_scene_picture("a.png", place), (place / "a.png").lexically_normal());
  fs::create_symlink(folder_ / "secret.png", place / "link.png");
  for (const std::string name :
       {"../secret.png", "link.png", "/etc/passwd", "b.png", "frames", "frames/*.png", "a.mp4", "lavfi:testsrc", ""})
    EXPECT_FALSE(resolve_scene_picture(name, place)) << name;
  EXPECT_FALSE(resolve_scene_picture("a.png", ""));
}

TEST(Generator, OnlyChainsThatTouchNoFileAreAccepted) {
  for (const char* safe :
       {"lavfi:testsrc2", "lavfi:testsrc2=size=64x48:rate=30", "lavfi:testsrc2=size=64x48,select=mod(n\\,3)"})
    EXPECT_TRUE(check_generator(safe)) << safe;
  for (const char* bad : {"lavfi:", "lavfi:movie=/etc/passwd", "lavfi:testsrc2,metadata=mode=print:file=/tmp/x",
                          "lavfi:life=/etc/passwd", "lavfi:testsrc2,ladspa=f=/tmp/x.so",
                          "lavfi:testsrc2,drawtext=textfile=/etc/passwd", "lavfi:testsrc2[a];[a]null",
                          "lavfi:amovie=http://127.0.0.1/", "lavfi:testsrc2,'movie=x'", "lavfi:testsrc2,,movie=x"})
    EXPECT_FALSE(check_generator(bad)) << bad;
}

// A playlist may name any file or address: FFmpeg does not open it as a video.
TEST(Generator, PlaylistsAreNoVideos) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  const TemporaryFolder folder;
  for (const auto& [name, text] :
       {std::pair<std::string, std::string>{"list.mp4", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/passwd\n"},
        {"list.mkv", "ffconcat version 1.0\nfile '/etc/passwd'\n"}}) {
    ASSERT_TRUE(write_file(folder / name, text));
    const auto reader = video({.path = (folder / name).string()})({});
    ASSERT_FALSE(reader);
    EXPECT_THAT(reader.error().text, HasSubstr("not a video that FFmpeg can read"));
  }
}

TEST(Normalise, BringsEveryNumberIntoRange) {
  const auto session = session_of(R"({"filter": {"sigma": 1e308, "radius": 70, "angle": 1e308, "strength": -1,
      "divisor": 1e-320, "offset": 1e300}, "padding_value": 7, "iterations": 900, "speed": -4, "exposure": 1e30,
      "gamma": 0, "source": {"pattern_size": [400000, 400000], "percent": 33, "camera_rate": 100000},
      "lanes": [{"block": [2000, 2000]}], "difference": {"gain": 0, "threshold": -1}})",
                                  R"({"zoom": 1e300, "wipe_at": 9, "centre": [-5, 4]})");
  ASSERT_TRUE(session);
  const Settings& s = session->settings;
  EXPECT_EQ(s.filter.radius, max_radius);
  EXPECT_EQ(s.filter.sigma, max_sigma);
  EXPECT_EQ(s.filter.angle, 360);
  EXPECT_EQ(s.filter.strength, 0);
  EXPECT_EQ(s.filter.divisor, 1);
  EXPECT_EQ(s.filter.offset, 1000);
  EXPECT_EQ(s.border_value, 1);
  EXPECT_EQ(s.iterations, 16);
  EXPECT_EQ(s.playback.speed, 0);
  EXPECT_EQ(s.display.gamma, 0.2f);
  EXPECT_EQ(s.source.pattern_size, Settings{}.source.pattern_size);
  EXPECT_EQ(s.source.percent, 100);
  EXPECT_EQ(s.lanes[0].block, LaneSettings{}.block);
  EXPECT_EQ(s.difference.gain, 1);
  EXPECT_EQ(session->view.zoom, 1);  // 1e300 is no float
  EXPECT_EQ(session->view.wipe_at, 1);
  EXPECT_EQ(session->view.centre, (Point2{0, 4}));
  EXPECT_GE(session->corrections.size(), 15u);
  EXPECT_TRUE(taps_of(s.filter));
  Settings again = s;
  EXPECT_TRUE(normalise(again).empty());
}

TEST(Normalise, NotANumberIsReplaced) {
  Settings settings;
  settings.filter.angle = settings.filter.sigma = std::nan("");
  settings.border_value = std::nanf("");
  EXPECT_EQ(normalise(settings).size(), 3u);
  EXPECT_TRUE(settings == Settings{});
  EXPECT_FALSE(matrix_of({.kind = FilterKind::motion, .angle = 1e308}));
  EXPECT_FALSE(matrix_of({.kind = FilterKind::motion, .angle = std::nan("")}));
}

TEST(Normalise, ValuesOfAnotherKindAreLeftOut) {
  const auto session = session_of(R"({"filter": {"radius": 1e308, "sigma": "x"}, "source": {"path": 5, "seed": -1,
      "pattern_size": [1e9, 1]}, "iterations": 4294967298, "channels": [true], "lanes": 7, "grid": {"a": 1}})");
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->settings == Settings{});
  EXPECT_THAT(
      session_of(R"({"filter": {"matrix": "1 2 1;2 4 2;1 2 1"}, "not_racing": ["global", "constant"]})")->corrections,
      testing::IsEmpty());
  for (const char* name : {"filter.radius cannot be", "filter.sigma cannot be \"x\"", "source.seed cannot be -1",
                           "iterations cannot be", "lanes cannot be 7", "grid cannot be"})
    EXPECT_THAT(session->corrections, Contains(HasSubstr(name)));
  Settings settings{.filter = {.sigma = 1.0f / 3}};
  Preferences preferences{.recent = {"a \xff.png"}};
  EXPECT_THAT(*from_json(to_json(settings, preferences), settings, preferences), testing::IsEmpty());
}

TEST(Normalise, ASizeOfTheWindowThatNoScreenHasIsReplaced) {
  Settings settings;
  Preferences preferences;
  EXPECT_TRUE(
      from_json(R"({"preferences": {"window_size": {"width": 40000, "height": 40000}}})", settings, preferences));
  EXPECT_EQ(preferences.window_size, Preferences{}.window_size);
}

TEST(Normalise, AutoRadiusIsThreeSigma) {
  Settings settings{.filter = {.sigma = 2.5}, .auto_radius = true};
  EXPECT_TRUE(normalise(settings).empty());
  EXPECT_EQ(settings.filter.radius, 8);
  settings.filter.sigma = 2;
  apply_auto_radius(settings);
  EXPECT_EQ(settings.filter.radius, 6);
}

TEST(Session, NestedDeeplyIsNoSession) {
  const std::string deep(200'000, '[');
  EXPECT_FALSE(session_of(deep));
  EXPECT_FALSE(session_of("{\"a\":" + deep + std::string(200'000, ']') + "}"));
  EXPECT_TRUE(session_of("{\"a\": \"" + deep + "\"}"));
  EXPECT_FALSE(session_from_json("{\"convoscope_session\": 4294967297}"));
  EXPECT_FALSE(session_from_json("{\"convoscope_session\": \"1\"}"));
}

TEST(Session, KeepsEveryDigitOfAMatrixAndEveryByteOfAPath) {
  Settings settings;
  settings.filter.kind = FilterKind::custom;
  settings.filter.matrix.values = {1.0 / 3, 0.1, 1e-7 / 3, 2.0 / 3, 1, 0, 0, 0, 123456.789012345};
  settings.source.path = "/home/f\xfcr/\xff.png";  // not UTF-8
  Settings read;
  Preferences preferences{.recent = {settings.source.path}}, read_preferences;
  ASSERT_TRUE(from_json(to_json(settings, preferences), read, read_preferences));
  EXPECT_TRUE(read == settings);
  EXPECT_EQ(read_preferences.recent, preferences.recent);
}

TEST(WriteFile, FollowsLinksAndKeepsRights) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "file", "old"));
  fs::permissions(folder / "file", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", folder / "link");
  fs::create_symlink("new", folder / "to_new");
  ASSERT_TRUE(write_file(folder / "link", "new words"));
  ASSERT_TRUE(write_file(folder / "to_new", "more"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(*read_file(folder / "file"), "new words");
  EXPECT_EQ(fs::status(folder / "file").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(*read_file(folder / "new"), "more");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder / "")) ++files;
  EXPECT_EQ(files, 4) << "no temporary file stays";
}

TEST(WriteFile, SaysWhatIsWrongAndLeavesWhatWasThere) {
  const TemporaryFolder folder;
  EXPECT_THAT(write_file(folder / "none/a.txt", "x").error().text, HasSubstr("the folder does not exist"));
  EXPECT_THAT(write_file(folder / "", "x").error().text, HasSubstr("is a folder"));
  EXPECT_THAT(write_file("/dev/full", "x").error().text, HasSubstr("No space left"));
  EXPECT_TRUE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_FALSE(write_file(folder / "loop", "x"));
}

// Runs in a process of its own, which the test kills.
class Killed {
 public:
  template <class Work>
  explicit Killed(Work work) : process_(::fork()) {
    if (process_ > 0) return;
    work();
    ::_exit(0);
  }
  ~Killed() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Killed(const Killed&) = delete;

 private:
  pid_t process_;
};

int hidden_files(const fs::path& folder) {
  return static_cast<int>(std::count_if(fs::directory_iterator(folder), {}, [](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with(".convoscope.");
  }));
}

// Whenever the program is killed there is the old file or the new one, complete.
TEST(WriteFile, IsCompleteWhenTheProgramIsKilled) {
  const TemporaryFolder folder;
  const std::string words[2] = {std::string(300'000, 'a'), std::string(200'000, 'b')};
  std::ofstream(folder / "settings") << words[0];  // not write_file: each process cleans a folder at its first file
  const char* times = std::getenv("CONVOSCOPE_KILLS");
  int left_over = 0;
  for (int i = 0; i < (times ? std::atoi(times) : 30); ++i) {
    {
      const Killed writer([&] {
        for (int turn = 0;; ++turn) static_cast<void>(write_file(folder / "settings", words[turn % 2]));
      });
      std::this_thread::sleep_for(std::chrono::microseconds(500 + i * 7919 % 5000));
    }
    const std::string found = read_file(folder / "settings").value_or("");
    EXPECT_TRUE(found == words[0] || found == words[1]) << found.size() << " bytes";
    left_over = std::max(left_over, hidden_files(folder / ""));
  }
  EXPECT_GT(left_over, 0);
  EXPECT_LE(left_over, 1);  // the next program removes what the last one left
}

TEST(WriteFile, RemovesOnlyWhatAKilledProgramLeft) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / ".convoscope.my.part", "not one of ours"));
  fs::create_directory(folder / "busy");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  char byte = 0;
  {
    const Killed writer([&] {
      const Result<FileBeside> file = FileBeside::create(folder / "busy/a.txt");
      static_cast<void>(::write(ready[1], "x", 1));
      while (file) ::pause();
    });
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ASSERT_TRUE(write_file(folder / "busy/b.txt", "b"));
    EXPECT_EQ(hidden_files(folder / "busy"), 1);  // it is being written
  }
  fs::rename(folder / "busy", folder / "left");  // another name: a folder is cleaned once
  ASSERT_TRUE(write_file(folder / "left/b.txt", "b"));
  EXPECT_EQ(hidden_files(folder / "left"), 0);
  EXPECT_TRUE(fs::exists(folder / ".convoscope.my.part"));
}

// Of two programs that make the same file, one says that the other was first.
TEST(WriteFile, KeepsWhatAnotherProgramHasMade) {
  const TemporaryFolder folder;
  auto first = FileBeside::create(folder / "a", FileBeside::Remains::hidden, Existing::keep);
  auto second = FileBeside::create(folder / "a", FileBeside::Remains::hidden, Existing::keep);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->write("first") && second->write("second"));
  EXPECT_TRUE(first->commit());
  EXPECT_THAT(second->commit().error().text, HasSubstr("exists already"));
  EXPECT_THAT(write_file(folder / "a", "third", Existing::keep).error().text, HasSubstr("exists already"));
  EXPECT_EQ(*read_file(folder / "a"), "first");
  EXPECT_TRUE(write_file(folder / "a", "fourth"));
  EXPECT_EQ(*read_file(folder / "a"), "fourth");
}

TEST(WriteFile, DoesNotWaitForAReader) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(write_file(folder / "pipe", "x").error().text, HasSubstr("a pipe that no program reads"));
  const int reader = open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_file(folder / "pipe", "x"));
  char byte = 0;
  EXPECT_EQ(read(reader, &byte, 1), 1);
  close(reader);
}

TEST(WriteFile, ReadsFilesAlone) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read_file(folder / "pipe").error().text, HasSubstr("is a device or a pipe"));
  EXPECT_THAT(read_file("/dev/zero").error().text, HasSubstr("is a device or a pipe"));
  EXPECT_THAT(read_file(folder / "").error().text, HasSubstr("is a folder"));
  EXPECT_THAT(load_picture(folder / "pipe").error().text, HasSubstr("is a device or a pipe"));
  EXPECT_THAT(load_picture("/dev/zero").error().text, HasSubstr("is a device or a pipe"));
  const int sparse = open((folder / "sparse.npy").c_str(), O_CREAT | O_WRONLY, 0600);
  ASSERT_EQ(ftruncate(sparse, 60ll << 30), 0);
  close(sparse);
  EXPECT_EQ(load_picture(folder / "sparse.npy").error().text, "sparse.npy: not a NumPy array");
  EXPECT_THAT(read_file(folder / "sparse.npy").error().text, HasSubstr("is larger than 2 GiB"));
}

TEST(WriteFile, AResultIsNeverItsInputAndReplacesOnlyWhenTold) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", "x"));
  ASSERT_TRUE(write_file(folder / "b", "x"));
  fs::create_symlink("a", folder / "link");
  fs::create_hard_link(folder / "a", folder / "hard");
  for (const char* output : {"a", "link", "hard"})
    EXPECT_THAT(check_output(folder / output, {folder / "a"}, true).error().text, HasSubstr("is the input itself"));
  EXPECT_THAT(check_output(folder / "b", {folder / "a"}, false).error().text, HasSubstr("exists already"));
  EXPECT_TRUE(check_output(folder / "b", {folder / "a"}, true));
  EXPECT_TRUE(check_output(folder / "c", {folder / "a"}, false));
  EXPECT_TRUE(check_output("/dev/null", {folder / "a"}, false));
}

TEST(Recording, FramesKeepTheirTimes) {
  if (!no_video().empty()) GTEST_SKIP() << no_video();
  const TemporaryFolder folder;
  const std::string path = (folder / "slow.mp4").string();
  {
    Recording recording(path, 0);
    for (int i = 0; i < 5; ++i) {
      HostImage grey(PixelType::gray8, {64, 48});
      std::ranges::fill(grey.bytes, static_cast<std::byte>(50 * i));
      recording.add({std::move(grey), 1}, 100 + 0.8 * i);
    }
  }
  const auto reader = video({.path = path})({});
  ASSERT_TRUE(reader) << reader.error().text;
  EXPECT_NEAR((*reader)->info().duration_s, 3.2, 0.1);
  Frame frame;
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE((*reader)->next(frame, {}).value_or(false)) << i;
    EXPECT_NEAR(frame.at_s, 0.8 * i, 0.02);
  }
}

}  // namespace

}  // namespace conv
