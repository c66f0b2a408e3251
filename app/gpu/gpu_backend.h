// The lanes' way to an NVIDIA GPU.
#pragma once
#include "app/pipeline/backend.h"

namespace conv {

// What Pipeline makes its GPU with. In a build without CUDA creating one fails, in words.
BackendFactory gpu_backends();

}  // namespace conv
