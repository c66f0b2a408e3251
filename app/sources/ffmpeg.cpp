#if defined(CONV_WITH_FFMPEG)
#include "app/sources/ffmpeg.h"

#include <fmt/format.h>

#include "kernels/core/library_loader.h"

namespace conv {

namespace {

// Only the version that the program was built with: others lay out their structures differently.
std::string load() {
  LibraryLoader loader;
#define CONV_FIND(function) loader.find(#function, function);
  loader.open("libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR));
  CONV_AVUTIL_FUNCTIONS(CONV_FIND)
  loader.open("libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR));
  CONV_AVCODEC_FUNCTIONS(CONV_FIND)
  loader.open("libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR));
  CONV_AVFORMAT_FUNCTIONS(CONV_FIND)
  loader.open("libavdevice.so." AV_STRINGIFY(LIBAVDEVICE_VERSION_MAJOR));
  CONV_AVDEVICE_FUNCTIONS(CONV_FIND)
  loader.open("libswscale.so." AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR));
  CONV_SWSCALE_FUNCTIONS(CONV_FIND)
#undef CONV_FIND
  // FFmpeg 4 has libavutil 56, and each version since has the next.
  if (!loader.missing().empty())
    return fmt::format(
        "Cameras and videos need FFmpeg {}: {} was not found. On Debian and Ubuntu: apt install ffmpeg. If this system "
        "has another version of FFmpeg, build Convoscope on it.",
        LIBAVUTIL_VERSION_MAJOR - 52, loader.missing());
  avdevice_register_all();
  av_log_set_level(AV_LOG_QUIET);  // what a user must know is returned as an error
  return {};
}

}  // namespace

const std::string& load_ffmpeg() {
  static const std::string missing = load();
  return missing;
}

Result<void> need_ffmpeg() {
  if (!load_ffmpeg().empty()) return failure(load_ffmpeg());
  return {};
}

}  // namespace conv
#endif
