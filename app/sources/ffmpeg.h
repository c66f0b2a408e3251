// Shared by all code that uses FFmpeg: owners, error texts, set-up. Only app/sources may include it.
#pragma once
#include <memory>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace conv {

template <class Type, void (*release)(Type**)>
struct Release {
  void operator()(Type* object) const { release(&object); }
};
template <class Type, void (*release)(Type**)>
using Owned = std::unique_ptr<Type, Release<Type, release>>;

struct FreeFormat {  // for a file that is written
  void operator()(AVFormatContext* context) const { avformat_free_context(context); }
};
struct FreeScaler {
  void operator()(SwsContext* context) const { sws_freeContext(context); }
};
struct FreeDictionary {
  AVDictionary* options = nullptr;
  ~FreeDictionary() { av_dict_free(&options); }
  void set(const char* key, const std::string& value) { av_dict_set(&options, key, value.c_str(), 0); }
};

inline std::string words_of(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof(text));
  return text;
}

inline void initialise_ffmpeg() {
  static const bool once = [] {
    avdevice_register_all();
    av_log_set_level(AV_LOG_QUIET);  // what a user must know is returned as an error
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace conv
