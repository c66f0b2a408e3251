// How a result gets from the GPU into the texture that shows it.
#pragma once
#include "app/display/display_texture.h"
#include "kernels/gpu/device_image.h"

namespace conv {

// On the stream, in order with the kernels: with interop the texture is mapped, written and unmapped. Where that fails,
// now or later, the image takes the way through host memory, for which it waits.
Result<void> present(const DeviceImage& image, cudaStream_t stream, DisplayTexture& texture);

}  // namespace conv
