#include "app/pipeline/reference_view.h"

namespace conv {

namespace {

HostImage as_floats(const Reference& reference) {
  const PixelTypeInfo& type = info(reference.type);
  HostImage image(type.channels == 1 ? PixelType::f32 : PixelType::rgba32f, reference.size);
  const int channels = info(image.type).channels;
  auto* values = reinterpret_cast<float*>(image.bytes.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(image.size.area()); ++i)
    for (int c = 0; c < channels; ++c)
      values[i * channels + c] =
          c < type.channels ? static_cast<float>(reference.values[i * type.channels + c] / type.one) : 1.0f;
  return image;
}

}  // namespace

const DisplayTexture* ReferenceView::show(const ReferenceJob& job) {
  worker_.want(job);
  const std::shared_ptr<const Reference> result = worker_.result();
  if (result && result->values.empty()) return nullptr;
  if (result && result != shown_ && !texture_.upload(as_floats(*result))) return nullptr;
  shown_ = result;
  return result ? &texture_ : nullptr;
}

}  // namespace conv
