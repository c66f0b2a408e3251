// The picture that a session file names. Somebody else may have written the file: it may name pictures, videos, folders
// and numbered files beside or below itself, and those that come with the program. Everything else is asked for.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/model/settings.h"

namespace conv {

struct SessionPicture {
  enum class State {
    ready,      // it can be opened
    leads_out,  // it is outside the session's folder, by its path or through a link: the user must agree
    missing     // it is neither where the session says nor beside the session
  };
  State state = State::ready;
  std::string path;  // where that is
  std::string note;  // what was left out and why: a session starts no camera and no generator; else empty
};

// The files that a source is read from; empty where it is none.
std::vector<std::filesystem::path> files_of(const SourceSettings& source);

// Turns what the session names into an absolute path.
SessionPicture resolve_picture(SourceSettings& source, const std::filesystem::path& session_file);
// How a session in that file names it: relative to its folder, so that both can be moved together.
std::string path_for_session(const std::string& path, const std::filesystem::path& session_file);

}  // namespace conv
