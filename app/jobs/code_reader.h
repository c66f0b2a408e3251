// The compiler's output for a kernel, as text.
#pragma once
#include <string_view>

#include "app/model/status.h"

namespace conv {

// PTX from NVRTC, and machine code if NVIDIA's disassembler is installed. Takes as long as compiling.
CodeAnswer read_code(const CodeQuestion& question);

// The number of instructions of each kind in a text of PTX or from nvdisasm. Counts instructions in the text, not how
// often they run.
std::string instruction_counts(std::string_view code);

}  // namespace conv
