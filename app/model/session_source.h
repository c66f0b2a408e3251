// The picture that a session file names. Somebody else may have written the file. It may name pictures, videos, folders
// and numbered files beside or below itself, and those that come with the program. For everything else the user is
// asked.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/settings.h"

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
// How a session in that file names the source: relative to its folder, so that both can be moved together.
std::string path_for_session(const std::string& path, const std::filesystem::path& session_file);

}  // namespace conv
