// Makes a variant of the program from a kernel of one's own.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/variant.h"

namespace conv {

// The registered variant whose kernel is there to be changed, for one of the plans "direct", "tiled", "two-pass".
const Variant& own_variant(std::string_view plan);

// Writes kernels/variants/NAME.cu and NAME.cpp for one of these plans, with a correct kernel, and a line in
// kernels/registry.def. Returns the files' paths. Fails, and writes nothing, if the folder is not the program's source,
// if the name cannot be one (lower-case letters, digits and underscores, at most 40), or if one of the files exists.
Result<std::vector<std::filesystem::path>> start_variant(const std::filesystem::path& source_folder,
                                                         const std::string& name, std::string_view plan);

// Writes the same two files to the folder of path, which ends with NAME.cu, with this text of the own variant's kernel.
// An existing NAME.cpp is kept: then it fails, and writes nothing.
Result<void> export_variant(const std::filesystem::path& path, const Variant& own, const std::string& kernel);

}  // namespace conv
