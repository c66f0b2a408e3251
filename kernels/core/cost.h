// The cost of a plan by counting, before anything is measured. Compulsory bytes: each image is read and written once.
#pragma once
#include "kernels/core/plan.h"

namespace conv {

struct Cost {
  long long compulsory_bytes = 0;  // of device memory
  long long transfer_bytes = 0;    // between host and device
  long long multiply_adds = 0;
  long long tensor_multiply_adds = 0;  // part of multiply_adds: on tensor cores
  long long load_bytes = 0;    // of the kernels' threads, from global and shared memory, including stores to a tile
  double loads_per_pixel = 0;  // from global memory, sum over all steps
  int shared_bytes = 0;        // the largest of all steps

  Cost& operator+=(const Cost& other);  // adds the steps of one plan
};

Cost cost_of(const LaunchPlan& plan);
// The cost of each step.
std::vector<Cost> step_costs(const LaunchPlan& plan);

}  // namespace conv
