// The order in which CUDA counts the GPUs of a machine. Its first one runs the kernels.
#pragma once
#include <string>
#include <vector>

namespace conv {

// For the environment variable CUDA_VISIBLE_DEVICES: all GPUs, this one first. Empty if it is none of them, or the only
// one. UUIDs are as NVML writes them: GPU-01234567-89ab-cdef-0123-456789abcdef.
std::string order_with_first(const std::string& uuid, const std::vector<std::string>& all);

// From now on the GPU of this UUID is CUDA's first one. Must be called before the first call of CUDA. Changes the
// environment of this process: no other thread may read it meanwhile. Does nothing if the user has chosen by
// CUDA_VISIBLE_DEVICES, if there is one NVIDIA GPU, or if NVML does not know this one.
void put_gpu_first(const std::string& uuid);

}  // namespace conv
