// The text that a build without CUDA gives if a GPU is requested.
#pragma once

namespace conv {

inline constexpr const char* without_cuda =
    "Built without CUDA: CPU executor only. Run app/run on a machine with an NVIDIA driver to rebuild with it.";

}  // namespace conv
