// Launches recorded as a CUDA graph.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <utility>

#include "kernels/core/error.h"

namespace conv {

// Owns launches recorded once. Replaying them costs the host nothing per launch, so short kernels can be timed.
class Replay {
 public:
  Replay() = default;
  ~Replay() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  Replay(Replay&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Replay& operator=(Replay&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  cudaGraphExec_t graph() const { return graph_; }

  // Records what `work` enqueues in the stream instead of running it.
  static Result<Replay> record(cudaStream_t stream, const std::function<Result<void>()>& work);

 private:
  explicit Replay(cudaGraphExec_t graph) : graph_(graph) {}
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace conv
