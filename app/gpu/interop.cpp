#include "app/gpu/interop.h"

#include <cuda_gl_interop.h>

#include <vector>

#include "kernels/gpu/cuda_check.h"

namespace conv {

namespace {

Result<void> copy_mapped(const DeviceImage& image, cudaStream_t stream, GLuint texture,
                         std::shared_ptr<void>& registration) {
  if (!registration) {
    cudaGraphicsResource_t made = nullptr;
    CONV_TRY_CUDA(
        cudaGraphicsGLRegisterImage(&made, texture, GL_TEXTURE_2D_ARRAY, cudaGraphicsRegisterFlagsWriteDiscard));
    registration = std::shared_ptr<void>(
        made, [](void* resource) { cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(resource)); });
  }
  auto resource = static_cast<cudaGraphicsResource_t>(registration.get());
  CONV_TRY_CUDA(cudaGraphicsMapResources(1, &resource, stream));
  cudaArray_t array = nullptr;
  Result<void> copied = cuda_result(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0),
                                    "cudaGraphicsSubResourceGetMappedArray");
  const std::size_t row_bytes = static_cast<std::size_t>(image.size().width) * info(image.type()).bytes;
  if (copied)
    copied = cuda_result(cudaMemcpy2DToArrayAsync(array, 0, 0, image.buffer().data, image.pitch_bytes(), row_bytes,
                                                  image.size().height, cudaMemcpyDeviceToDevice, stream),
                         "cudaMemcpy2DToArrayAsync");
  CONV_TRY_CUDA(cudaGraphicsUnmapResources(1, &resource, stream));
  return copied;
}

// Compares a few rows of the texture with the image that was written into it. After a kernel
// fault, a driver may report success for writes that never arrive.
Result<void> check_written(const DeviceImage& image, cudaStream_t stream, const TiledTexture& texture) {
  const Size2 row{image.size().width, 1};
  const std::size_t row_bytes = static_cast<std::size_t>(row.width) * info(image.type()).bytes;
  std::vector<std::byte> written(row_bytes), shown(row_bytes);
  constexpr int rows = 4;
  for (int i = 0; i < rows; ++i) {
    const int y = (image.size().height - 1) * i / (rows - 1);
    const auto* from = static_cast<const std::byte*>(image.buffer().data) + y * image.pitch_bytes();
    CONV_TRY_CUDA(cudaMemcpyAsync(written.data(), from, row_bytes, cudaMemcpyDeviceToHost, stream));
    CONV_TRY_CUDA(cudaStreamSynchronize(stream));
    read_texels(texture, image.type(), {0, y}, row, shown.data());
    if (written != shown) return failure("What the GPU wrote is not in the texture");
  }
  return {};
}

}  // namespace

Result<void> copy_to_texture(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture) {
  const auto write = [&](GLuint name, std::shared_ptr<void>& registration) -> Result<void> {
    const bool is_first = !registration;
    CONV_TRY(copy_mapped(image, stream, name, registration));
    if (!is_first) return {};
    return check_written(image, stream, texture.tiled());
  };
  if (texture.write_in_place(image.type(), image.size(), write)) return {};
  const HostImage copied = CONV_TRY(image.download(stream));
  return texture.upload(copied);
}

}  // namespace conv
