// The compiler's output for a kernel, as text.
#pragma once
#include "app/model/status.h"

namespace conv {

// PTX from NVRTC, and machine code if NVIDIA's disassembler is installed. Takes as long as compiling.
CodeAnswer read_code(const CodeQuestion& question);

}  // namespace conv
