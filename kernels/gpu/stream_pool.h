// The streams that plans run on, by device and number.
#pragma once
#include <cuda_runtime_api.h>

#include <map>
#include <utility>

#include "kernels/core/error.h"

namespace conv {

// Makes a device current for its lifetime; device 0 is current everywhere else.
class OnDevice {
 public:
  explicit OnDevice(int device) : device_(device) {
    if (device_ != 0) cudaSetDevice(device_);
  }
  ~OnDevice() {
    if (device_ != 0) cudaSetDevice(0);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int device_;
};

// Owns the streams. Used by one thread.
class StreamPool {
 public:
  StreamPool() = default;
  ~StreamPool();
  StreamPool(const StreamPool&) = delete;
  StreamPool& operator=(const StreamPool&) = delete;

  // Creates the main stream: number 0 of device 0.
  Result<void> begin();
  cudaStream_t main() const { return main_; }
  // Created at the first call.
  Result<cudaStream_t> stream(int device, int number);

 private:
  cudaStream_t main_ = nullptr;
  std::map<std::pair<int, int>, cudaStream_t> more_;
};

}  // namespace conv
