#include "app/model/session_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/sources/bundle.h"
#include "app/sources/sample_pictures.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

// The real path, with all links followed; empty if it cannot be found out.
fs::path real_place(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path place = error ? fs::path() : fs::weakly_canonical(absolute, error);
  return error ? fs::path() : place;
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path place = real_place(path), around = real_place(folder);
  if (place.empty() || around.empty()) return false;
  return std::mismatch(around.begin(), around.end(), place.begin(), place.end()).first == around.end();
}

bool has_wildcards(const fs::path& folder) {
  return folder.string().find_first_of("*?[%") != std::string::npos;
}

// All files that opening it would read. Wildcards in folder names could lead anywhere.
bool stays_within(const fs::path& path, const fs::path& folder) {
  if (!is_sequence(path.string())) return is_within(path, folder);
  const fs::path parent = path.parent_path();
  if (has_wildcards(parent) || !is_within(parent, folder)) return false;
  const std::vector<std::string> files = sequence_files(path.string());
  return std::all_of(files.begin(), files.end(), [&](const std::string& file) { return is_within(file, folder); });
}

bool is_there(const fs::path& path) {
  return any_file_exists(path) || (is_sequence(path.string()) && !sequence_files(path.string()).empty());
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

std::vector<fs::path> files_of(const SourceSettings& source) {
  if (source.path.empty() || is_generator(source.path)) return {};
  const fs::path bundle = bundle_around(source.path);
  if (!bundle.empty()) return {bundle};
  if (!is_sequence(source.path)) return {source.path};
  const std::vector<std::string> files = sequence_files(source.path);
  return {files.begin(), files.end()};
}

SessionPicture resolve_picture(SourceSettings& source, const fs::path& session_file) {
  SessionPicture picture;
  if (!source.camera.empty()) {
    source.camera.clear();
    picture.note = "a session starts no camera: choose it under Change… in the settings";
  }
  if (is_generator(source.path)) {
    source.path.clear();
    picture.note = "a session cannot start a lavfi: generator: give it on the command line";
  }
  if (source.path.empty()) return picture;
  const fs::path folder = folder_of(session_file);
  fs::path path = fs::path(source.path).is_absolute() ? fs::path(source.path) : folder / source.path;
  if (has_wildcards(fs::path(source.path).parent_path())) {  // looking for it would read other folders
    source.path = picture.path = path.string();
    picture.state = SessionPicture::State::leads_out;
    return picture;
  }
  if (!is_there(path) && is_there(folder / path.filename())) path = folder / path.filename();
  std::error_code error;
  if (const fs::path absolute = fs::absolute(path, error); !error) path = absolute.lexically_normal();
  source.path = picture.path = path.string();
  if (source.moves() && !bundle_around(path).empty()) {
    source.path.clear();
    picture.path.clear();
    picture.note = "a video in a bundle cannot be played: unpack the bundle, then open the session that is in it";
  } else if (!is_there(path)) {
    picture.state = SessionPicture::State::missing;
  } else if (!stays_within(path, folder) && !stays_within(path, samples_folder())) {
    picture.state = SessionPicture::State::leads_out;
  }
  return picture;
}

Result<std::string> resolve_scene_picture(const std::string& name, const fs::path& place) {
  const auto refuse = [&](std::string_view why) { return failure(fmt::format("the picture {} {}", name, why)); };
  if (place.empty()) return refuse("cannot be part of a link or of a scene of the program");
  const fs::path path = place / name;
  const bool plays = is_generator(name) || is_sequence(path.string()) || is_video(name);
  if (name.empty() || plays) return refuse("is not a still picture. A lesson can show only still pictures");
  if (!is_within(path, place)) return refuse("is outside the folder of the lesson. Put it beside the lesson");
  if (!any_file_exists(path))
    return refuse(place == place.root_path() ? "is missing. Put it back, or show another picture and press Update"
                                             : "is missing. Put it beside the lesson");
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal().string();
}

std::string path_for_session(const std::string& path, const fs::path& session_file) {
  if (path.empty() || is_generator(path) || is_within(path, samples_folder())) return path;
  const fs::path folder = real_place(folder_of(session_file));
  return folder.empty() ? path : real_place(path).lexically_proximate(folder).string();
}

}  // namespace conv
