#include "app/sources/frames.h"

namespace conv {

void Frame::resize(Size2 size, std::optional<YuvFormat> yuv) {
  picture.size = size;
  picture.channels = 4;
  picture.yuv = yuv;
  const auto bytes = yuv ? static_cast<std::size_t>(yuv_rows(yuv->order, size).area()) : picture.samples();
  if (picture.levels.size() == bytes) return;
  pinned.reset();
  picture.levels.assign(bytes, 255);
}

}  // namespace conv
