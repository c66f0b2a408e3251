#include "app/gpu/interop.h"

#include <cuda_gl_interop.h>

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

}  // namespace

Result<void> copy_to_texture(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture) {
  const auto write = [&](GLuint name, std::shared_ptr<void>& registration) {
    return copy_mapped(image, stream, name, registration);
  };
  if (texture.write_in_place(image.type(), image.size(), write)) return {};
  const HostImage copied = CONV_TRY(image.download(stream));
  return texture.upload(copied);
}

}  // namespace conv
