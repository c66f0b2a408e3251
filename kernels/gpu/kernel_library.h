// Compiled kernels loaded into the device.
#pragma once
#include <cuda_runtime_api.h>

#include <list>
#include <map>

#include "kernels/core/plan.h"
#include "kernels/gpu/compiler.h"

namespace conv {

struct LoadedKernel {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  void* constant = nullptr;                            // address of the constant array on device 0, or null
  std::shared_ptr<const LaunchPlan> constant_content;  // the plan whose taps it holds
  std::map<int, int> shared_limit;                     // dynamic shared bytes enabled, by device
  std::shared_ptr<const CompiledKernel> code;          // keeps the key of this entry alive
};

// Owns one cudaLibrary per kernel; keeps the 128 used most recently.
class KernelLibrary {
 public:
  KernelLibrary() = default;
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  // Loads at the first call for this code. The pointer is valid until 128 other kernels have been requested.
  Result<LoadedKernel*> load(const std::shared_ptr<const CompiledKernel>& code);

 private:
  std::list<LoadedKernel> loaded_;  // most recently used first
};

}  // namespace conv
