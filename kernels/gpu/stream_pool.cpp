#include "kernels/gpu/stream_pool.h"

#include "kernels/gpu/cuda_check.h"

namespace conv {

namespace {

// Enables direct access between this device and those before it; otherwise copies go through the host.
Result<void> join_neighbours(int device) {
  for (int other = 0; other < device; ++other)
    for (const auto& [from, to] : {std::pair(device, other), std::pair(other, device)}) {
      int possible = 0;
      CONV_TRY_CUDA(cudaDeviceCanAccessPeer(&possible, from, to));
      const OnDevice on(from);
      if (possible) cudaDeviceEnablePeerAccess(to, 0);
    }
  return {};
}

}  // namespace

StreamPool::~StreamPool() {
  for (const auto& [place, stream] : more_) cudaStreamDestroy(stream);
  if (!main_) return;
  cudaStreamSynchronize(main_);
  cudaStreamDestroy(main_);
}

Result<void> StreamPool::begin() {
  CONV_TRY_CUDA(cudaStreamCreateWithFlags(&main_, cudaStreamNonBlocking));
  return {};
}

Result<cudaStream_t> StreamPool::stream(int device, int number) {
  if (device == 0 && number == 0) return main_;
  if (const auto found = more_.find({device, number}); found != more_.end()) return found->second;
  if (device != 0 && number == 0) CONV_TRY(join_neighbours(device));
  const OnDevice on(device);
  cudaStream_t stream = nullptr;
  CONV_TRY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return more_[{device, number}] = stream;
}

}  // namespace conv
