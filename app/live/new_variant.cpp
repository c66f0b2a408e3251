#include "app/live/new_variant.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/live/kernel_twin.h"
#include "app/live/own_kernels.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/core/replaced.h"

namespace conv {

std::span<const EmbeddedFile> embedded_templates();

namespace {

namespace fs = std::filesystem;

constexpr std::string_view registry = "kernels/registry.def";

bool is_name(const std::string& name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= 40 && name[0] >= 'a' && name[0] <= 'z' && std::ranges::all_of(name, fits);
}

// Of a variant's description: `.title = "Global memory",`.
void set_field(std::string& text, std::string_view field, std::string_view value) {
  const std::size_t at = text.find(field) + field.size();
  text.replace(at, text.find(",\n", at) - at, value);
}

std::string_view group_of(const Variant& own) {
  return own.id == "mine_direct" ? "global_memory" : own.id == "mine_tiled" ? "shared_memory" : "separable";
}

struct VariantFiles {
  std::string kernel, plan;
};
VariantFiles variant_files(const Variant& own, std::string kernel, const std::string& name) {
  const auto templates = embedded_templates();
  const auto file =
      std::ranges::find(templates, fmt::format("kernels/variants/mine/{}.cpp", own.id), &EmbeddedFile::path);
  std::string plan = replaced(std::string(file->text), "kernels/variants/mine/", "kernels/variants/");
  set_field(plan, ".title = ", fmt::format("\"{}\"", name));
  set_field(plan, ".idea = ", "\"One sentence: what a student should notice.\"");
  set_field(plan, ".group = ", fmt::format("VariantGroup::{}", group_of(own)));
  return {replaced(std::move(kernel), own.id, name), replaced(std::move(plan), own.id, name)};
}

Result<void> check_name(const std::string& name) {
  if (is_name(name)) return {};
  return failure(fmt::format(
      "{}: a variant's name begins with a lower-case letter and has only these, digits and underscores, at most 40",
      name));
}

}  // namespace

const Variant& own_variant(std::string_view plan) {
  std::string id = fmt::format("mine_{}", plan);
  std::ranges::replace(id, '-', '_');
  return *find_variant(id);
}

Result<void> export_variant(const fs::path& path, const Variant& own, const std::string& kernel) {
  const std::string name = path.stem().string();
  CONV_TRY(check_name(name));
  if (own.group != VariantGroup::mine) return failure(fmt::format("{} is not a kernel of your own", own.id));
  if (path.extension() != ".cu") return failure(fmt::format("{}: a kernel file's name ends with .cu", path.string()));
  const fs::path plan = fs::path(path).replace_extension(".cpp");
  if (fs::exists(plan)) return failure(fmt::format("{} exists already. Choose another name", plan.string()));
  const VariantFiles files = variant_files(own, kernel, name);
  CONV_TRY(write_file(path, files.kernel));
  return write_file(plan, files.plan);
}

Result<std::vector<fs::path>> start_variant(const fs::path& source_folder, const std::string& name,
                                            std::string_view plan) {
  CONV_TRY(check_name(name));
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
  const Variant& own = own_variant(plan);
  const VariantFiles files = variant_files(own, std::string(built_in_kernel(kernel_file_of(own))), name);
  CONV_TRY(write_file(written[0], files.kernel));
  CONV_TRY(write_file(written[1], files.plan));
  CONV_TRY(write_file(list, *lines));
  return written;
}

}  // namespace conv
