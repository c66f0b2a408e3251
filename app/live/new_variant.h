// Starts a variant of one's own in the program's source folder.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"

namespace conv {

// Writes kernels/variants/NAME.cu and NAME.cpp for one of declared_plans(), with a correct kernel, and a line in
// kernels/registry.def. Returns the files' paths. Fails, and writes nothing, if the folder is not the program's source,
// if the name cannot be one (lower-case letters, digits and underscores, at most 40), or if one of the files exists.
Result<std::vector<std::filesystem::path>> start_variant(const std::filesystem::path& source_folder,
                                                         const std::string& name, std::string_view plan);

}  // namespace conv
