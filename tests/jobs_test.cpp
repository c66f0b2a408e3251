// Work in the background.
#include "app/jobs/lab_runner.h"
#include "app/jobs/saver.h"
#include "app/jobs/text_writer.h"
#include "support.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace conv {

namespace {

using namespace std::chrono_literals;

// Runs until it is told to stop.
Result<void> endless(const OnProgress& progress) {
  while (progress(0.5f)) std::this_thread::sleep_for(1ms);
  return failure("stopped");
}

std::vector<std::string> outcomes_of(Saver& saver, std::size_t count) {
  std::vector<std::string> outcomes;
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (outcomes.size() < count && std::chrono::steady_clock::now() < end)
    if (auto outcome = saver.poll()) outcomes.push_back(*outcome ? **outcome : "× " + outcome->error().text);
  return outcomes;
}

TEST(Saver, SavesOneAfterTheOther) {
  Saver saver;
  std::string order;
  for (const char* name : {"a", "b", "c"})
    saver.start({name, std::string("Saved ") + name, [&order, name](const OnProgress&) {
                   std::this_thread::sleep_for(5ms);
                   order += name;
                   return Result<void>{};
                 }});
  EXPECT_EQ(outcomes_of(saver, 3), (std::vector<std::string>{"Saved a", "Saved b", "Saved c"}));
  EXPECT_EQ(order, "abc");
  EXPECT_FALSE(saver.status());
}

TEST(Saver, SaysWhatWentWrong) {
  Saver saver;
  saver.start({"a", "Saved a", [](const OnProgress&) -> Result<void> { throw std::bad_alloc(); }});
  saver.start({"b", "Saved b", [](const OnProgress&) -> Result<void> { return failure("b: the disk is full"); }});
  saver.start({"c", "Saved c", [](const OnProgress&) { return Result<void>{}; }});
  const auto outcomes = outcomes_of(saver, 3);
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_TRUE(outcomes[0].starts_with("× Not enough memory")) << outcomes[0];
  EXPECT_EQ(outcomes[1], "× b: the disk is full");
  EXPECT_EQ(outcomes[2], "Saved c");
}

TEST(Saver, EndsWithinASecondAndNamesWhatWasNotSaved) {
  const auto start = std::chrono::steady_clock::now();
  {
    Saver saver;
    saver.start({"a", "Saved a", endless});
    saver.finish(100ms);
    ASSERT_TRUE(saver.status());
    EXPECT_EQ(saver.status()->what, "a");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  Saver saver;
  saver.start({"b", "Saved b", [](const OnProgress&) { return Result<void>{}; }});
  saver.finish(10s);
  EXPECT_FALSE(saver.status());
}

TEST(Saver, CancelDropsWhatIsWaiting) {
  Saver saver;
  bool ran = false;
  saver.start({"a", "Saved a", endless});
  saver.start({"b", "Saved b", [&](const OnProgress&) {
                 ran = true;
                 return Result<void>{};
               }});
  saver.poll();
  ASSERT_TRUE(saver.status());
  saver.cancel();  // before or after it began
  const auto outcomes = outcomes_of(saver, 1);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(outcomes[0].ends_with("stopped")) << outcomes[0];
  EXPECT_FALSE(saver.status());
  EXPECT_FALSE(ran);
}

// A cell of this image takes seconds for some variants.
TEST(LabRunner, EndsWithinASecond) {
  LabRunner lab;
  lab.start({.image = 7}, DeviceChoice::cpu, false);
  while (lab.status().done < 3) std::this_thread::sleep_for(5ms);
  const auto start = std::chrono::steady_clock::now();
  lab.cancel();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1s);
  const LabStatus status = lab.status();
  EXPECT_FALSE(status.running);
  for (const LabCell& cell : status.cells) EXPECT_NE(cell.state, CellState::failed) << cell.text;
}

// While one text is written, the newest of each key waits; what could not be written is tried again.
TEST(TextWriter, LosesNoText) {
  std::mutex mutex;
  std::map<int, std::string> disk;
  std::atomic<bool> slow = true, full = false;
  {
    TextWriter<int> writer([&](int key, const std::string& text) -> Result<void> {
      while (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (full) return failure("the disk is full");
      const std::lock_guard lock(mutex);
      disk[key] = text;
      return {};
    });
    writer.keep(1, "a");
    writer.keep(1, "ab");
    writer.keep(2, "x");  // takes the place of the job that waits
    slow = false;
    writer.flush();
    EXPECT_EQ(disk, (std::map<int, std::string>{{1, "ab"}, {2, "x"}}));
    full = true;
    writer.keep(1, "abc");
    while (writer.error().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(writer.error(), "the disk is full");
    full = false;
    writer.keep(2, "xy");
  }
  EXPECT_EQ(disk, (std::map<int, std::string>{{1, "abc"}, {2, "xy"}}));
}

// A text that was on disk before is not taken for written while another one is on its way.
TEST(TextWriter, WritesATextAgain) {
  std::atomic<int> asked = 0, allowed = 1;
  std::map<int, std::string> disk;
  TextWriter<int> writer([&](int key, const std::string& text) -> Result<void> {
    const int number = ++asked;
    while (number > allowed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    disk[key] = text;
    return {};
  });
  const auto wait_for = [&](int count) {
    while (asked < count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  writer.keep(1, "a");
  wait_for(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it is written
  writer.keep(1, "b");
  wait_for(2);
  writer.keep(1, "a");
  writer.keep(2, "x");
  allowed = 100;
  writer.flush();
  EXPECT_EQ(disk, (std::map<int, std::string>{{1, "a"}, {2, "x"}}));
}

}  // namespace

}  // namespace conv
