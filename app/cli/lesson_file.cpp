#include "app/cli/lesson_file.h"

#include <fmt/format.h>

#include "app/cli/options.h"
#include "kernels/core/file.h"

namespace conv {

Result<Lesson> read_lesson_file(const std::filesystem::path& path) {
  const std::string text = CONV_TRY(read_file(path, max_lesson_bytes));
  Result<Lesson> lesson = parse_lesson(text);
  if (!lesson) return failure(fmt::format("{}: {}", path.string(), lesson.error().text));
  for (const LessonStep& step : lesson->steps) {
    // The window draws it in every frame.
    for (const std::string& part : texts_of(step))
      if (part.size() > max_text_bytes)
        return failure(
            fmt::format("{}: a text of \"{}\" has more than {} KiB", path.string(), step.title, max_text_bytes >> 10));
    for (const std::string& scene : {step.scene, step.fix, step.reveal_scene}) {
      if (scene.empty()) continue;
      const Result<Scene> shown = parse_scene(scene);
      if (!shown)
        return failure(fmt::format("{}: the scene of \"{}\": {}", path.string(), step.title, shown.error().text));
    }
  }
  return lesson;
}

}  // namespace conv
