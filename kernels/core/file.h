// Whole files.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

// Nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);
// Written under another name beside it, then renamed: a reader finds the old file or the new one, whole. The
// error names the file and says why.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes);
// Of what the program remembers of its user; empty where there is no home.
std::filesystem::path config_folder();
