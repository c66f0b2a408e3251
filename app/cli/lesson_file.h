// A lesson from a file that anybody may have written.
#pragma once
#include <filesystem>

#include "app/lessons/lesson.h"

namespace conv {

// All its scenes can be shown: they are options that parse_scene knows. The error names the line, or the step.
Result<Lesson> read_lesson_file(const std::filesystem::path& path);

}  // namespace conv
