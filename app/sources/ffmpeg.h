// Shared by all code that uses FFmpeg: its functions, owners, error texts. Only app/sources may include it.
#pragma once
#include <memory>
#include <string>

#include "kernels/core/error.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

// All functions of FFmpeg that are used, by library. load_ffmpeg() loads them: the program starts without
// FFmpeg.
#define CONV_AVUTIL_FUNCTIONS(X) \
  X(av_d2q)                      \
  X(av_dict_free)                \
  X(av_dict_set)                 \
  X(av_frame_alloc)              \
  X(av_frame_free)               \
  X(av_frame_get_buffer)         \
  X(av_frame_make_writable)      \
  X(av_log_set_level)            \
  X(av_strerror)

#define CONV_AVCODEC_FUNCTIONS(X)    \
  X(av_packet_alloc)                 \
  X(av_packet_free)                  \
  X(av_packet_rescale_ts)            \
  X(av_packet_unref)                 \
  X(avcodec_alloc_context3)          \
  X(avcodec_find_encoder)            \
  X(avcodec_flush_buffers)           \
  X(avcodec_free_context)            \
  X(avcodec_open2)                   \
  X(avcodec_parameters_from_context) \
  X(avcodec_parameters_to_context)   \
  X(avcodec_receive_frame)           \
  X(avcodec_receive_packet)          \
  X(avcodec_send_frame)              \
  X(avcodec_send_packet)             \
  CONV_SIDE_DATA_OF_A_CODEC(X)

#define CONV_AVFORMAT_FUNCTIONS(X)  \
  X(av_find_best_stream)            \
  X(av_find_input_format)           \
  X(av_guess_format)                \
  X(av_guess_frame_rate)            \
  X(av_interleaved_write_frame)     \
  X(av_read_frame)                  \
  X(av_seek_frame)                  \
  X(av_write_trailer)               \
  X(avformat_alloc_context)         \
  X(avformat_alloc_output_context2) \
  X(avformat_close_input)           \
  X(avformat_find_stream_info)      \
  X(avformat_free_context)          \
  X(avformat_new_stream)            \
  X(avformat_open_input)            \
  X(avformat_write_header)          \
  X(avio_closep)                    \
  X(avio_open)                      \
  CONV_SIDE_DATA_OF_A_STREAM(X)

#define CONV_AVDEVICE_FUNCTIONS(X) \
  X(avdevice_free_list_devices)    \
  X(avdevice_list_input_sources)   \
  X(avdevice_register_all)

#define CONV_SWSCALE_FUNCTIONS(X) \
  X(sws_freeContext)              \
  X(sws_getCachedContext)         \
  X(sws_getCoefficients)          \
  X(sws_getContext)               \
  X(sws_scale)                    \
  X(sws_setColorspaceDetails)

// FFmpeg 6.1 moved a stream's rotation to the codec's parameters.
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
#define CONV_SIDE_DATA_OF_A_CODEC(X) X(av_packet_side_data_get)
#define CONV_SIDE_DATA_OF_A_STREAM(X)
#else
#define CONV_SIDE_DATA_OF_A_CODEC(X)
#define CONV_SIDE_DATA_OF_A_STREAM(X) X(av_stream_get_side_data)
#endif

namespace conv {

// Each under its own name: a call looks as in any program that uses FFmpeg. Null until load_ffmpeg() has succeeded.
#define CONV_DECLARE(function) inline decltype(&::function) function = nullptr;
CONV_AVUTIL_FUNCTIONS(CONV_DECLARE)
CONV_AVCODEC_FUNCTIONS(CONV_DECLARE)
CONV_AVFORMAT_FUNCTIONS(CONV_DECLARE)
CONV_AVDEVICE_FUNCTIONS(CONV_DECLARE)
CONV_SWSCALE_FUNCTIONS(CONV_DECLARE)
#undef CONV_DECLARE

// Loads FFmpeg at the first call. The same text at every call: empty, or what is missing and how to install it. Nothing
// else may be called unless it is empty.
const std::string& load_ffmpeg();
// The same text as an error.
Result<void> need_ffmpeg();

template <class Type, void (**release)(Type**)>
struct Release {
  void operator()(Type* object) const { (*release)(&object); }
};
template <class Type, void (**release)(Type**)>
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

}  // namespace conv
