// Confines this process before it compiles or runs a kernel that somebody else may have written. It cannot be undone.
#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

struct Confinement {
  std::filesystem::path scratch;                     // the only folder in which files can be made, changed and removed
  std::size_t memory_bytes = 0;                      // of each process
  int processor_s = 0;                               // of each process
  std::size_t most_file_bytes = 0;                   // of each file
  bool hides_files = true;                           // false: all files that the user can read can be read
  std::vector<std::filesystem::path> readable = {};  // further folders
};

// For compiling: from now on this process and those that it starts read the contents of the system's programs and
// headers (/usr, /lib, ...), of `readable` and of `scratch`, and of no other file; sizes and times of other files can
// be seen. They reach no network and no other process, and have no rights beyond a user's. They end when the process
// that started this one ends; this one has to lead a process group. Call it before threads are started. Fails where the
// system cannot do this: without Landlock (Linux 5.13 and later have it, unless it is switched off).
Result<void> confine(const Confinement& limits);
// Whether the system can hide files.
bool can_confine();

// For running, after confine: from now on no thread of this process starts a thread or a program, or changes a file.
// How long it takes is no longer limited.
Result<void> confine_kernel();

}  // namespace conv
