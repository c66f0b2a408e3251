// Copies results from the GPU into the textures that show them.
#pragma once
#include <memory>
#include <vector>

#include "app/display/display_texture.h"
#include "kernels/gpu/device_image.h"

namespace conv {

// The textures that a frame will write, mapped in one call before all other CUDA work of the frame. OpenGL's context is
// still on the GPU then, and mapping takes no time of the GPU. Amid CUDA's work the GPU would have to change to
// OpenGL's context and back: 0.32 ms on an H200 or H100, for each call.
class MappedTextures {
 public:
  explicit MappedTextures(cudaStream_t stream) : stream_(stream) {}
  ~MappedTextures() { static_cast<void>(unmap()); }
  MappedTextures(const MappedTextures&) = delete;
  MappedTextures& operator=(const MappedTextures&) = delete;

  // registrations: of textures that no one uses before unmap(). After an error nothing is mapped.
  Result<void> map(std::vector<std::shared_ptr<void>> registrations);
  Result<void> unmap();
  bool contain(const std::shared_ptr<void>& registration) const;

 private:
  cudaStream_t stream_;
  std::vector<std::shared_ptr<void>> registrations_;
};

// In stream order with the kernels. With interop the texture is written in place; one that is not among `mapped` is
// mapped for this copy alone. If that fails, now or later, the image is copied through host memory, which waits for it.
Result<void> copy_to_texture(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture,
                             MappedTextures& mapped);

}  // namespace conv
