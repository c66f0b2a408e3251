// The compiler's output for a kernel, as text.
#pragma once
#include "app/model/status.h"

namespace conv {

// Compiles with line numbers, which changes no instruction.
inline constexpr const char* with_lines = " -lineinfo";
// Machine code as text, with the lines of the kernel's file if it was compiled with them. Empty, with a reason, if
// there is no disassembler.
CompiledText disassembled(const std::string& machine_code, std::string_view file);
// PTX from NVRTC, and machine code if NVIDIA's disassembler is installed. Takes as long as compiling.
CodeAnswer read_code(const CodeQuestion& question);

}  // namespace conv
