#include "app/cli/lesson_file.h"

#include <fmt/format.h>

#include "app/cli/options.h"
#include "kernels/core/file.h"

namespace conv {

Result<Lesson> read_lesson_file(const std::filesystem::path& path) {
  const std::string text = CONV_TRY(read_file(path, max_lesson_bytes));
  Result<Lesson> lesson = parse_lesson(text);
  if (!lesson) return failure(fmt::format("{}: {}", path.string(), lesson.error().text));
  for (const LessonStep& step : lesson->steps)
    for (const std::string& scene : {step.scene, step.fix, step.reveal_scene}) {
      if (scene.empty()) continue;
      const Result<Scene> shown = parse_scene(scene);
      if (!shown)
        return failure(fmt::format("{}: the scene of \"{}\": {}", path.string(), step.title, shown.error().text));
    }
  return lesson;
}

}  // namespace conv
