#include "kernels/gpu/replay.h"

#include "kernels/gpu/cuda_check.h"

namespace conv {

Result<Replay> Replay::record(cudaStream_t stream, const std::function<Result<void>()>& work) {
  CONV_TRY_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  const Result<void> enqueued = work();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (!enqueued) {
    if (graph) cudaGraphDestroy(graph);
    return tl::unexpected(enqueued.error());
  }
  CONV_TRY_CUDA(ended);
  cudaGraphExec_t ready = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  CONV_TRY_CUDA(made);
  return Replay(ready);
}

}  // namespace conv
