// Copies a result from the GPU into the texture that shows it.
#pragma once
#include "app/display/display_texture.h"
#include "kernels/gpu/device_image.h"

namespace conv {

// In stream order with the kernels. With interop the texture is mapped, written and unmapped. If that fails, now or
// later, the image is copied through host memory, which waits for it.
Result<void> copy_to_texture(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture);

}  // namespace conv
