#include "app/shell/user_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/model/session_source.h"
#include "app/model/settings_file.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_config_bytes = std::size_t{4} << 20;
constexpr int max_layout_sections = 1000;  // our own layouts have about 30

// Returns its new name; empty if it cannot be renamed.
std::string put_aside(const fs::path& file) {
  const fs::path aside = file.parent_path() / "settings-unusable.json";
  std::error_code error;
  fs::rename(file, aside, error);
  return error ? "" : aside.string();
}

}  // namespace

bool read_user_settings(Settings& settings, Preferences& preferences,
                        const std::function<void(const std::string&)>& say) {
  const fs::path folder = config_folder();
  if (folder.empty()) return false;
  const fs::path file = folder / "settings.json";
  const Result<std::string> text = read_file(file, max_config_bytes);
  std::error_code why_not;
  if (!text && fs::status(file, why_not).type() == fs::file_type::not_found) return false;  // the first start
  const auto corrections = text ? from_json(*text, settings, preferences) : std::nullopt;
  if (!corrections) {
    const std::string why = text ? fmt::format("{}: not a settings file", file.string()) : text.error().text;
    const std::string aside = put_aside(file);
    say(fmt::format("{}. The program starts with its standard settings{}", why,
                    aside.empty() ? "" : fmt::format("; the file is kept as {}", aside)));
    return false;
  }
  for (const std::string& correction : *corrections) say(fmt::format("Settings: {}", correction));
  // The program never starts these by itself.
  settings.source.camera.clear();
  if (is_generator(settings.source.path)) settings.source.path.clear();
  return true;
}

std::string read_user_layout() {
  const fs::path folder = config_folder();
  const std::string layout = folder.empty() ? "" : read_file(folder / "layout.ini", max_config_bytes).value_or("");
  const auto sections = std::count(layout.begin(), layout.end(), '[');
  return sections > max_layout_sections ? "" : layout;
}

Result<void> write_user_files(const Settings& settings, const Preferences& preferences, const std::string& layout) {
  const fs::path folder = config_folder();
  if (folder.empty()) return {};
  std::error_code ignored;  // then the files cannot be written, either
  fs::create_directories(folder, ignored);
  CONV_TRY(write_file(folder / "settings.json", to_json(settings, preferences)));
  return write_file(folder / "layout.ini", layout);
}

}  // namespace conv
