#include "app/lessons/own_lessons.h"

#include <fmt/format.h>

#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

constexpr std::size_t most_lessons = 200;

static Result<Lesson> read_lesson(const fs::path& file) {
  const std::string text = CONV_TRY(read_file(file, max_lesson_bytes));
  Lesson lesson = CONV_TRY(parse_lesson(text));
  lesson.pictures = own_pictures;
  return lesson;
}

Result<OwnLessons> read_own_lessons(const fs::path& folder) {
  OwnLessons own;
  std::error_code error;
  if (folder.empty() || !fs::exists(folder, error)) return own;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path file = at->path();
    if (file.extension() != ".md") continue;
    if (own.lessons.size() == most_lessons) {
      own.problems.push_back(fmt::format("{}: only {} lessons are shown", folder.string(), most_lessons));
      break;
    }
    Result<Lesson> lesson = read_lesson(file);
    if (lesson)
      own.lessons[file.filename().string()] = std::move(*lesson);
    else
      own.problems.push_back(fmt::format("{}: {}", file.filename().string(), lesson.error().text));
  }
  if (error) return failure(fmt::format("{}: {}", folder.string(), error.message()));
  return own;
}

Result<void> write_own_lesson(const fs::path& folder, const OwnLessonText& lesson) {
  if (folder.empty()) return {};
  const fs::path path = folder / lesson.file;
  if (lesson.text.size() > max_lesson_bytes)
    return failure(fmt::format("{}: not kept, because it has more than 1 MiB", path.string()));
  if (!lesson.text.empty()) return write_file_and_folders(path, lesson.text);
  std::error_code ignored;
  fs::remove(path, ignored);
  return {};
}

}  // namespace conv
