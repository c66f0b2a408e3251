// Owners of device memory.
#pragma once
#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

#include "kernels/core/error.h"
#include "kernels/core/image.h"
#include "kernels/core/large_memory.h"
#include "kernels/core/rows.h"

namespace conv {

// Owns one cudaMalloc. Grows when needed; shrinks only from a large size to less than half of it, so that dragging a
// slider does not allocate.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  // Ensures at least this many bytes; growing and shrinking lose the content.
  Result<void> reserve(std::size_t bytes);
  void* data() const { return data_; }
  long long capacity() const { return static_cast<long long>(capacity_); }

 private:
  void* data_ = nullptr;
  std::size_t capacity_ = 0;
};

// Page-locks memory owned by somebody else until the result is released, so that devices can copy from it directly.
// Null if the system does not allow it.
std::shared_ptr<void> page_locked(void* memory, std::size_t bytes);

// Destroys the device context and everything in it. Other threads may page-lock memory meanwhile, and do nothing else
// with the device.
void reset_device();

// Host memory that devices copy from and to: page-locked, or ordinary.
class HostBuffer {
 public:
  HostBuffer() = default;
  ~HostBuffer() { cudaFreeHost(pinned_); }
  HostBuffer(HostBuffer&& other) noexcept { *this = std::move(other); }
  HostBuffer& operator=(HostBuffer&& other) noexcept {
    std::swap(pinned_, other.pinned_);
    std::swap(pageable_, other.pageable_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  // Ensures at least this many bytes of this kind. True if the content was lost.
  Result<bool> reserve(std::size_t bytes, bool pinned);
  std::byte* data() const { return pinned_ ? static_cast<std::byte*>(pinned_) : pageable_.get(); }

 private:
  void* pinned_ = nullptr;
  std::unique_ptr<std::byte[]> pageable_;
  std::size_t capacity_ = 0;
};

// An image in device memory. Rows begin at multiples of 32 pixels, as textures need it.
class DeviceImage {
 public:
  Result<void> resize(PixelType type, Size2 size);
  Result<void> upload(const HostImage& image, cudaStream_t stream) {
    return upload(image.type, image.size, image.bytes.data(), stream);
  }
  // Copies from packed rows. Page-locked rows must stay unchanged until the stream has done it.
  Result<void> upload(PixelType type, Size2 size, const void* rows, cudaStream_t stream);
  // Waits for the stream.
  Result<HostImage> download(cudaStream_t stream) const;
  // Copies into an image of the same type and size.
  Result<void> download(HostImage& into, cudaStream_t stream) const;

  PixelType type() const { return type_; }
  Size2 size() const { return size_; }
  long long capacity() const { return buffer_.capacity(); }  // bytes
  PixelBuffer buffer() const { return {buffer_.data(), size_.width, size_.height, stride_px(), size_.height}; }
  // The distance between rows of a plane, or of an interleaved image.
  std::size_t pitch_bytes() const { return pitch_of(buffer(), type_); }

 private:
  int stride_px() const { return ceil_div(size_.width, 32) * 32; }
  std::size_t bytes() const { return pitch_bytes() * size_.height * planes_of(type_); }
  Result<void> copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, cudaMemcpyKind kind,
                    cudaStream_t stream) const;

  PixelType type_ = PixelType::f32;
  Size2 size_;
  DeviceBuffer buffer_;
};

}  // namespace conv
