#include "app/cli/lesson_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "app/cli/settings_text.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

// Calls it with each scene of the lesson that is not empty, and its step.
Result<void> for_each_scene(Lesson& lesson,
                            const std::function<Result<void>(std::string& scene, const LessonStep& step)>& call) {
  for (LessonStep& step : lesson.steps)
    for (std::string* scene : {&step.scene, &step.fix, &step.reveal_scene})
      if (!scene->empty()) CONV_TRY(call(*scene, step));
  return {};
}

}  // namespace

Result<Lesson> read_lesson_file(const fs::path& given) {
  const fs::path path = CONV_TRY(document_at(given, ".md", "lesson"));
  const std::string text = CONV_TRY(read_any_file(path, max_lesson_bytes));
  Result<Lesson> lesson = parse_lesson(text);
  if (!lesson) return failure(fmt::format("{}: {}", path.string(), lesson.error().text));
  lesson->pictures = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (std::max(lesson->title.size(), lesson->summary.size()) > max_text_bytes)
    return failure(fmt::format("{}: its title or summary has more than {} KiB", path.string(), max_text_bytes >> 10));
  for (const LessonStep& step : lesson->steps)
    // The window draws it in every frame.
    for (const std::string& part : texts_of(step))
      if (part.size() > max_text_bytes)
        return failure(
            fmt::format("{}: a text of \"{}\" has more than {} KiB", path.string(), step.title, max_text_bytes >> 10));
  CONV_TRY(for_each_scene(*lesson, [&](std::string& scene, const LessonStep& step) -> Result<void> {
    const Result<Scene> shown = parse_scene(scene, lesson->pictures);
    if (!shown)
      return failure(fmt::format("{}: the scene of \"{}\": {}", path.string(), step.title, shown.error().text));
    if (shown->has_file) scene = scene_text(shown->settings, shown->panels);
    return {};
  }));
  return lesson;
}

Result<BundledFiles> bundle_of(const Lesson& lesson) {
  BundledFiles files{{.name = "lesson.md", .bytes = {}, .from = {}}};
  Lesson bundled = lesson;
  CONV_TRY(for_each_scene(bundled, [&](std::string& scene, const LessonStep& step) -> Result<void> {
    Result<Scene> shown = parse_scene(scene, lesson.pictures);
    if (!shown) return failure(fmt::format("the scene of \"{}\": {}", step.title, shown.error().text));
    if (!shown->has_file) return {};
    shown->settings.source.path = add_picture(files, shown->settings.source.path);
    scene = scene_text(shown->settings, shown->panels);
    return {};
  }));
  files.front().bytes = lesson_text(bundled);
  return files;
}

}  // namespace conv
