// Runs the program without a window.
#pragma once
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace conv {

struct ProgramOutcome {
  int status = 0;
  std::string out;  // standard output and errors together
};

inline ProgramOutcome run_program(const std::string& words) {
  ProgramOutcome outcome;
  FILE* pipe = ::popen(fmt::format("{} {} 2>&1", CONV_PROGRAM, words).c_str(), "r");
  char part[4096];
  while (!std::feof(pipe) && !std::ferror(pipe)) outcome.out.append(part, std::fread(part, 1, sizeof part, pipe));
  outcome.status = WEXITSTATUS(::pclose(pipe));
  return outcome;
}

}  // namespace conv
