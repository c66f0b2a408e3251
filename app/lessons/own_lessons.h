// The user's own lessons: files of a folder, kept while they are written.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.h"

namespace conv {

// The user's own lessons may show pictures of any folder.
inline constexpr std::string_view own_pictures = "/";

struct OwnLessons {
  std::map<std::string, Lesson> lessons;  // by file name, "lesson-1.md"
  std::vector<std::string> problems;      // why a file is not among them
};
// Files that are no lesson, or too large, are left out with a problem. A folder that is missing has none; the error
// says why it cannot be read.
Result<OwnLessons> read_own_lessons(const std::filesystem::path& folder);

struct OwnLessonText {
  std::string file, text;
};
// Replaces the file; an empty text removes it. No folder: nothing is kept.
Result<void> write_own_lesson(const std::filesystem::path& folder, const OwnLessonText& lesson);

}  // namespace conv
