// A lesson from a file that anybody may have written, and a bundle of a lesson with its pictures.
#pragma once
#include <filesystem>

#include "app/lessons/lesson.h"
#include "app/sources/bundle.h"

namespace conv {

// All its scenes can be shown: they are options that parse_scene knows. Their pictures are in the lesson's folder or
// bundle; in the lesson they have their whole paths. The error names the line, or the step.
// path: of a Markdown file or of a bundle.
Result<Lesson> read_lesson_file(const std::filesystem::path& path);

// The lesson, and behind it all pictures that its scenes name. The error says which one is missing.
Result<BundledFiles> bundle_of(const Lesson& lesson);

}  // namespace conv
