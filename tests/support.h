// What several tests need.
#pragma once
#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <string>

#include "app/check/check_cases.h"
#include "kernels/core/file.h"

namespace conv {

// Tests over all shapes take a part of them under AddressSanitizer, which makes them some ten times as slow.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

// A folder of the test's own, removed with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;  // owns the folder
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Starts a shell command and does not wait for it; the program replaces the shell, so it receives the signals.
pid_t start(const std::string& command);

// One launch of a variant on the CPU executor; the test fails if the plan is refused.
HostImage convolved(const Variant& variant, const HostImage& source, const FilterSpec& filter, Border border,
                    float border_value = 0, Size2 block = {16, 16});

// ids of GoogleTest parameters must be words
std::string test_name(std::string_view text);

}  // namespace conv
