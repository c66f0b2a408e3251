// The numbers of a lesson: computed from the plans on the screen, and measured. A lesson names them in braces.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/check/step_counts.h"
#include "app/lessons/lesson.h"
#include "app/model/settings.h"
#include "kernels/core/occupancy.h"

namespace conv {

// The plans of lanes A and B, whose memory accesses are counted; null: the lane is not shown.
using LessonPlans = std::array<std::shared_ptr<const LaunchPlan>, 2>;
struct LessonCounts {
  LessonPlans plans;
  std::array<std::vector<StepCounts>, 2> lanes;
};
// Traces one block of each kernel, which takes some milliseconds each.
LessonCounts count_for_lesson(const LessonPlans& plans);

struct LessonFacts {
  const Settings& settings;
  Size2 image;
  LessonPlans plans;
  std::array<std::optional<double>, 2> ms;  // medians; nothing before the first measurement
  std::optional<int> faster = {};           // lane 0 or 1, -1 for a tie; nothing before there are enough samples
  const LessonCounts* counts = nullptr;     // of these plans; null: not counted yet
  std::array<std::optional<double>, 2> first_ms = {};  // of the first launch
  std::vector<double> step_ms = {};                    // of lane A's steps: medians; empty before the first measurement
  // Of the GPU that blocks and waves are counted for, and its name; nothing: not known yet.
  std::optional<MultiprocessorLimits> multiprocessor = {};
  std::string gpu = {};
};

// Null if the plan has none.
const KernelStep* first_kernel(const LaunchPlan& plan);
// The tile with its apron.
Size2 staged_by(const KernelStep& step);
// Blocks of a lane's first kernel that a multiprocessor can hold by their threads and shared memory. Registers, which
// are known after compiling, can allow fewer.
std::optional<int> resident_blocks(const LessonFacts& facts, std::size_t lane);
// In the lesson on Amdahl's law, the part of the program that becomes faster.
inline constexpr double amdahl_share = 0.9;

struct LessonValue {
  double number = 0;
  std::string text;  // as the lesson shows it
};

// What a value is computed from: settings and plans, LessonFacts::counts, or the times. A word
// is computed from settings and plans, too; its number means nothing.
enum class ValueSource { plan, counts, times, word };
// Nothing if lessons cannot name this value.
std::optional<ValueSource> source_of_value(std::string_view name);
// Nothing if it is not known yet, or the lane does not have it.
std::optional<LessonValue> lesson_value(std::string_view name, const LessonFacts& facts);
// All that lessons can name.
std::vector<std::string> value_names();
// The names in braces. Other text in braces, such as that of a kernel, names nothing and stays as it is.
std::vector<std::string_view> values_named_in(std::string_view text);
// The text with values in place of their names; "…" for those that are not known yet.
std::string with_values(std::string_view text, const LessonFacts& facts);
// The choice that is right; nothing if the value that decides is not known yet.
std::optional<int> right_choice(const LessonQuestion& question, const LessonFacts& facts);
// Whether a number is close enough; nothing if the right one is not known yet.
std::optional<bool> is_right_number(const LessonQuestion& question, double answer, const LessonFacts& facts);

}  // namespace conv
