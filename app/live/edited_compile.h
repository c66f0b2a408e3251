// Compiles edited kernels for a GPU in a process of their own: NVRTC reads what a text includes, and can take long.
// Nothing of the text runs there. So it needs no consent where the system cannot hide files.
#pragma once
#include <filesystem>
#include <string_view>

#include "kernels/core/error.h"

namespace conv {

class MessageChannel;

// From now on texts that are not the program's own are compiled so, wherever this program compiles for a GPU.
void compile_edited_kernels_in_a_process();

// The process: its parent sends the texts and a job, and gets what NVRTC makes of them.
void compile_for_parent(MessageChannel& parent, const std::filesystem::path& scratch);
// Its task in worker_arguments.
inline constexpr std::string_view compile_task = "compile";

}  // namespace conv
