// What the compiler makes of a kernel, to be read.
#pragma once
#include "app/status.h"

// PTX by NVRTC, and machine code where NVIDIA's disassembler is installed. Takes as long as compiling does.
CodeAnswer read_code(const CodeQuestion& question);
