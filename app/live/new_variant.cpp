#include "app/live/new_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/embedded_file.h"
#include "kernels/core/file.h"

namespace conv {

std::span<const EmbeddedFile> embedded_templates();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view registry = "kernels/registry.def";

bool is_name(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 40 && name[0] >= 'a' && name[0] <= 'z' && std::ranges::all_of(name, fits);
}

// The template's kernel is called convolve.
std::string text_of(std::string_view plan, std::string_view ending, const std::string& name) {
  std::string stem(plan);
  std::ranges::replace(stem, '-', '_');
  const auto templates = embedded_templates();
  const auto file =
      std::ranges::find(templates, fmt::format("kernels/templates/{}{}", stem, ending), &EmbeddedFile::path);
  std::string text(file->text);
  constexpr std::string_view word = "convolve";
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += name.size())
    text.replace(at, word.size(), name);
  return text;
}

}  // namespace

Result<std::vector<fs::path>> start_variant(const fs::path& source_folder, const std::string& name,
                                            std::string_view plan) {
  if (!is_name(name))
    return failure(fmt::format(
        "{}: a variant's name begins with a lower-case letter and has only these, digits and underscores, at most 40",
        name));
  const fs::path list = source_folder / registry;
  Result<std::string> lines = read_file(list);
  if (!lines)
    return failure(
        fmt::format("{} is not the source folder of Convoscope: there is no {}", source_folder.string(), registry));
  const std::string line = fmt::format("CONV_VARIANT({})\n", name), last = "CONV_VARIANT(auto)\n";
  if (lines->find(line) != std::string::npos) return failure(fmt::format("there is a variant {} already", name));
  const std::size_t at = lines->find(last);
  lines->insert(at == std::string::npos ? lines->size() : at, line);

  const fs::path folder = source_folder / "kernels" / "variants";
  std::vector<fs::path> written{folder / (name + ".cu"), folder / (name + ".cpp"), list};
  for (const fs::path& path : {written[0], written[1]})
    if (fs::exists(path)) return failure(fmt::format("{} exists already. Choose another name", path.string()));
  CONV_TRY(write_file(written[0], text_of(plan, ".cu", name)));
  CONV_TRY(write_file(written[1], text_of(plan, ".cpp", name)));
  CONV_TRY(write_file(list, *lines));
  return written;
}

}  // namespace conv
