// What was found in a kernel file, for people who collect results.
#pragma once
#include <string>

#include "app/live/kernel_check.h"

namespace conv {

struct CheckedKernel {
  std::string task, text;  // the id of its check_task
  std::string shown;       // as the user named it
  std::string file;        // its name in messages; empty: as it is in the program
};

// A text of the report, with the user's name of the file.
std::string named(std::string text, const CheckedKernel& kernel);

// As JSON, with a hash of the kernel's text.
std::string report_json(const KernelReport& report, const CheckedKernel& kernel);

}  // namespace conv
