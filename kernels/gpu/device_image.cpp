#include "kernels/gpu/device_image.h"
#include "kernels/core/units.h"

#include <fmt/format.h>

#include <mutex>

#include "kernels/gpu/cuda_check.h"

namespace conv {

Result<void> DeviceBuffer::reserve(std::size_t bytes) {
  const bool wasteful = capacity() > large_bytes && bytes < capacity_ / 2;
  if (bytes <= capacity_ && !wasteful) return {};
  cudaFree(std::exchange(data_, nullptr));
  capacity_ = 0;
  if (const cudaError_t status = cudaMalloc(&data_, bytes); status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t available = 0, total = 0;
    cudaMemGetInfo(&available, &total);
    return failure(fmt::format("Out of GPU memory: need {}, free {}", bytes_text(static_cast<double>(bytes)),
                               bytes_text(static_cast<double>(available))));
  } else if (auto checked = cuda_result(status, "cudaMalloc"); !checked) {
    return checked;
  }
  capacity_ = bytes;
  return {};
}

// Threads of moving sources page-lock their frames when they need them.
static std::mutex registering;

void reset_device() {
  const std::lock_guard lock(registering);
  cudaDeviceReset();
  cudaGetLastError();
}

std::shared_ptr<void> page_locked(void* memory, std::size_t bytes) {
  const std::lock_guard lock(registering);
  if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
    return {memory, [](void* locked) {
              const std::lock_guard releasing(registering);
              if (cudaHostUnregister(locked) != cudaSuccess) cudaGetLastError();  // the device was reset
            }};
  cudaGetLastError();
  return nullptr;
}

Result<bool> HostBuffer::reserve(std::size_t bytes, bool pinned) {
  if (bytes <= capacity_ && pinned == (pinned_ != nullptr)) return false;
  cudaFreeHost(std::exchange(pinned_, nullptr));
  pageable_.reset();
  capacity_ = 0;
  if (pinned)
    CONV_TRY_CUDA(cudaMallocHost(&pinned_, bytes));
  else
    pageable_ = std::make_unique<std::byte[]>(bytes);
  capacity_ = bytes;
  return true;
}

Result<void> DeviceImage::resize(PixelType type, Size2 size) {
  type_ = type;
  size_ = size;
  return buffer_.reserve(bytes());
}

// Row by row if the strides differ, otherwise in one piece.
Result<void> DeviceImage::copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                               cudaMemcpyKind kind, cudaStream_t stream) const {
  const std::size_t row = static_cast<std::size_t>(size_.width) * plane_pixel_bytes(type_);
  const std::size_t rows = static_cast<std::size_t>(size_.height) * planes_of(type_);
  if (to_pitch == from_pitch)
    CONV_TRY_CUDA(cudaMemcpyAsync(to, from, to_pitch * rows, kind, stream));
  else
    CONV_TRY_CUDA(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, rows, kind, stream));
  return {};
}

Result<void> DeviceImage::upload(PixelType type, Size2 size, const void* rows, cudaStream_t stream) {
  CONV_TRY(resize(type, size));
  const std::size_t packed = static_cast<std::size_t>(size_.width) * plane_pixel_bytes(type_);
  return copy(buffer_.data(), pitch_bytes(), rows, packed, cudaMemcpyHostToDevice, stream);
}

Result<HostImage> DeviceImage::download(cudaStream_t stream) const {
  HostImage image(type_, size_);
  CONV_TRY(download(image, stream));
  return image;
}

Result<void> DeviceImage::download(HostImage& image, cudaStream_t stream) const {
  const std::size_t packed = static_cast<std::size_t>(size_.width) * plane_pixel_bytes(type_);
  CONV_TRY(copy(image.bytes.data(), packed, buffer_.data(), pitch_bytes(), cudaMemcpyDeviceToHost, stream));
  CONV_TRY_CUDA(cudaStreamSynchronize(stream));
  return {};
}

}  // namespace conv
