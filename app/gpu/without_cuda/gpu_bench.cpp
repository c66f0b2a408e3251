#include "app/measure/gpu_bench.h"

namespace conv {

std::unique_ptr<GpuBench> gpu_bench(HeadlessGpu&) {
  return nullptr;  // never called: there is no HeadlessGpu
}

}  // namespace conv
