// The backend that runs lanes on an NVIDIA GPU.
#pragma once
#include "app/pipeline/backend.h"

namespace conv {

// The factory that Pipeline uses. In a build without CUDA it fails with a text.
BackendFactory gpu_backends();

}  // namespace conv
