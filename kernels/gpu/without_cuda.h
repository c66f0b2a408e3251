// What a build without CUDA says where a GPU is asked for.
#pragma once

namespace conv {

inline constexpr const char* without_cuda =
    "Built without CUDA: CPU executor only. Run app/run on a machine with an NVIDIA driver to rebuild with it.";

}  // namespace conv
