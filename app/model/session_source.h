// The picture that a session file or a lesson names. Somebody else may have written the file. A session may name
// pictures, videos, folders and numbered files beside or below itself, and those that come with the program. For
// everything else the user is asked. A lesson may name pictures beside or below itself. Both may be in a bundle.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/settings.h"
#include "kernels/core/error.h"

namespace conv {

struct SessionPicture {
  enum class State {
    ready,      // can be opened
    leads_out,  // outside the session's folder, by its path or through a link: the user must agree
    missing     // neither where the session says nor beside the session
  };
  State state = State::ready;
  std::string path;  // the resolved path
  std::string note;  // what was left out and why: a session starts no camera and no generator; otherwise empty
};

// The files that a source is read from; empty if it is not read from files.
std::vector<std::filesystem::path> files_of(const SourceSettings& source);

// Turns what the session names into an absolute path.
SessionPicture resolve_picture(SourceSettings& source, const std::filesystem::path& session_file);
// The picture that a scene of a lesson names. place: the folder or the bundle in which it must be; empty: none may be
// named. The error says what to do.
Result<std::string> resolve_scene_picture(const std::string& name, const std::filesystem::path& place);
// How a session in that file names the source: relative to its folder, so that both can be moved together.
std::string path_for_session(const std::string& path, const std::filesystem::path& session_file);

}  // namespace conv
