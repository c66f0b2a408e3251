// Where parts of CUDA are on this machine.
#pragma once
#include <filesystem>
#include <vector>

namespace conv {

// Folders that may hold CUDA's libraries (lib64 or lib), headers (include) and programs (bin), first choice first:
// CUDA_PATH and CUDA_HOME; NVIDIA's Python packages beside a program that was installed by pip; what the program was
// built with; the usual folders of a Toolkit, newest first. All are absolute and exist; never the current folder.
const std::vector<std::filesystem::path>& cuda_roots();

}  // namespace conv
