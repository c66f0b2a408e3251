// What a plan costs by counting, before anything is measured. Bytes are compulsory: each image read and written once.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

struct Cost {
  long long compulsory_bytes = 0;  // of device memory
  long long transfer_bytes = 0;    // between host and device
  long long multiply_adds = 0;
  long long load_bytes = 0;    // by the kernels' threads, from global and shared memory; stores to a tile too
  double loads_per_pixel = 0;  // of global memory, over all steps
  int shared_bytes = 0;        // the largest of all steps

  Cost& operator+=(const Cost& other);  // of steps of one plan
};

Cost cost_of(const LaunchPlan& plan);
// The same of each step on its own.
std::vector<Cost> step_costs(const LaunchPlan& plan);

}  // namespace conv
