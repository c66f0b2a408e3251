#include "app/gpu/interop.h"

#include <cuda_gl_interop.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/gpu/cuda_check.h"

namespace conv {

namespace {

cudaGraphicsResource_t resource_of(const std::shared_ptr<void>& registration) {
  return static_cast<cudaGraphicsResource_t>(registration.get());
}

// A texture keeps its content when it is mapped and not written: its lane may turn out to have no new result.
Result<std::shared_ptr<void>> registered(GLuint texture) {
  cudaGraphicsResource_t made = nullptr;
  CONV_TRY_CUDA(cudaGraphicsGLRegisterImage(&made, texture, GL_TEXTURE_2D_ARRAY, cudaGraphicsRegisterFlagsNone));
  return std::shared_ptr<void>(
      made, [](void* resource) { cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(resource)); });
}

Result<void> copy_into(cudaGraphicsResource_t mapped, const DeviceImage& image, cudaStream_t stream) {
  cudaArray_t array = nullptr;
  CONV_TRY_CUDA(cudaGraphicsSubResourceGetMappedArray(&array, mapped, 0, 0));
  const std::size_t row_bytes = static_cast<std::size_t>(image.size().width) * info(image.type()).bytes;
  CONV_TRY_CUDA(cudaMemcpy2DToArrayAsync(array, 0, 0, image.buffer().data, image.pitch_bytes(), row_bytes,
                                         image.size().height, cudaMemcpyDeviceToDevice, stream));
  return {};
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

Result<void> MappedTextures::map(std::vector<std::shared_ptr<void>> registrations) {
  CONV_TRY(unmap());
  if (registrations.empty()) return {};
  std::vector<cudaGraphicsResource_t> resources;
  for (const auto& registration : registrations) resources.push_back(resource_of(registration));
  CONV_TRY_CUDA(cudaGraphicsMapResources(static_cast<int>(resources.size()), resources.data(), stream_));
  registrations_ = std::move(registrations);
  return {};
}

Result<void> MappedTextures::unmap() {
  if (registrations_.empty()) return {};
  const auto registrations = std::exchange(registrations_, {});
  std::vector<cudaGraphicsResource_t> resources;
  for (const auto& registration : registrations) resources.push_back(resource_of(registration));
  CONV_TRY_CUDA(cudaGraphicsUnmapResources(static_cast<int>(resources.size()), resources.data(), stream_));
  return {};
}

bool MappedTextures::contain(const std::shared_ptr<void>& registration) const {
  return std::ranges::find(registrations_, registration) != registrations_.end();
}

Result<void> copy_to_texture(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture,
                             MappedTextures& mapped) {
  const auto write = [&](GLuint name, std::shared_ptr<void>& registration) -> Result<void> {
    if (registration && mapped.contain(registration)) return copy_into(resource_of(registration), image, stream);
    const bool is_first = !registration;
    if (is_first) registration = CONV_TRY(registered(name));
    MappedTextures alone(stream);
    CONV_TRY(alone.map({registration}));
    CONV_TRY(copy_into(resource_of(registration), image, stream));
    CONV_TRY(alone.unmap());
    if (!is_first) return {};
    return check_written(image, stream, texture.tiled());
  };
  if (texture.write_in_place(image.type(), image.size(), write)) return {};
  CONV_TRY(mapped.unmap());  // OpenGL writes the texture now
  const HostImage copied = CONV_TRY(image.download(stream));
  return texture.upload(copied);
}

}  // namespace conv
