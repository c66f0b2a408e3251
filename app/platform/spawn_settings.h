// How a process is started: which files it has, and in which group it is.
#pragma once
#include <spawn.h>

#include <string>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;  // owns both
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

// Starts a program, searched in PATH unless its name, the first argument, has a slash. Its number.
Result<pid_t> spawn(const std::vector<std::string>& arguments, const SpawnSettings& settings);

}  // namespace conv
