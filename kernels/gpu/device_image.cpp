#include "kernels/gpu/device_image.h"

#include <fmt/format.h>

#include "kernels/gpu/cuda_check.h"

Result<void> DeviceBuffer::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return {};
  cudaFree(std::exchange(data_, nullptr));
  capacity_ = 0;
  if (const cudaError_t status = cudaMalloc(&data_, bytes); status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t available = 0, total = 0;
    cudaMemGetInfo(&available, &total);
    return failure(fmt::format("Out of GPU memory: need {} MB, free {} MB", bytes >> 20, available >> 20));
  } else if (auto checked = cuda_result(status, "cudaMalloc"); !checked) {
    return checked;
  }
  capacity_ = bytes;
  return {};
}

Result<void> DeviceImage::resize(PixelType type, Size2 size) {
  type_ = type;
  size_ = size;
  return buffer_.reserve(bytes());
}

Result<void> DeviceImage::upload(const HostImage& image, cudaStream_t stream) {
  if (auto resized = resize(image.type, image.size); !resized) return resized;
  CONV_TRY_CUDA(cudaMemcpyAsync(buffer_.data(), image.bytes.data(), bytes(), cudaMemcpyHostToDevice, stream));
  return {};
}

Result<HostImage> DeviceImage::download(cudaStream_t stream) const {
  HostImage image(type_, size_);
  CONV_TRY_CUDA(cudaMemcpyAsync(image.bytes.data(), buffer_.data(), bytes(), cudaMemcpyDeviceToHost, stream));
  CONV_TRY_CUDA(cudaStreamSynchronize(stream));
  return image;
}
