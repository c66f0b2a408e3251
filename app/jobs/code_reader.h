// What the compiler makes of a kernel, to be read.
#pragma once
#include <string_view>

#include "app/model/status.h"

namespace conv {

// PTX by NVRTC, and machine code where NVIDIA's disassembler is installed. Takes as long as compiling does.
CodeAnswer read_code(const CodeQuestion& question);

// How many instructions of which kind a text of PTX or of nvdisasm has, each counted once however often it runs.
std::string instruction_counts(std::string_view code);

}  // namespace conv
