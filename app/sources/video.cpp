// Video files, cameras and generators, all through FFmpeg.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <thread>

#include "app/sources/frames.h"
#include "kernels/core/file.h"

#if defined(CONV_WITH_FFMPEG)
#include "app/sources/ffmpeg.h"
#endif

namespace conv {

namespace {

constexpr std::string_view generator_prefix = "lavfi:";
constexpr double longest_skip_s = 10;
constexpr const char* video_endings[] = {".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi",   ".mpg",  ".mpeg", ".ts",
                                         ".wmv", ".flv", ".ogv", ".3gp", ".nut",  ".mjpeg", ".mjpg", ".y4m",  ".gif"};

// None of these has an option that names a file.
constexpr std::string_view safe_sources[] = {"testsrc2", "testsrc",    "color",     "gradients",   "mandelbrot",
                                             "nullsrc",  "rgbtestsrc", "smptebars", "smptehdbars", "yuvtestsrc",
                                             "allrgb",   "allyuv",     "sierpinski"};
constexpr std::string_view safe_filters[] = {"format", "select", "geq", "gblur", "noise", "hue", "fps", "scale"};

template <std::size_t count>
bool is_one_of(const std::string_view (&names)[count], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool is_generator(const std::string& path) {
  return path.starts_with(generator_prefix);
}

Result<void> check_generator(const std::string& path) {
  std::string_view rest(path);
  rest.remove_prefix(generator_prefix.size());
  // Links between filters, quotes and named instances belong to graphs that are not chains.
  bool safe = rest.find_first_of("[];'@") == std::string_view::npos;
  for (bool first = true; safe && (first || !rest.empty()); first = false) {
    std::size_t end = 0;
    while (end < rest.size() && rest[end] != ',') end += rest[end] == '\\' ? 2 : 1;
    const std::string_view filter = rest.substr(0, end), name = filter.substr(0, filter.find('='));
    safe = first ? is_one_of(safe_sources, name) : is_one_of(safe_filters, name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (safe) return {};
  std::string names;
  for (const std::string_view name : safe_sources) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  return failure(fmt::format("{}: this generator is not allowed. Use one of {}", path, names));
}

bool is_video(const std::string& path) {
  const std::string ending = ending_of(path);
  if (ending == ".gif" && !no_video().empty()) return false;  // its first picture can be read without FFmpeg
  return is_generator(path) ||
         std::find(std::begin(video_endings), std::end(video_endings), ending) != std::end(video_endings);
}

OpenReader stream_of(const std::string& path) {
  return is_video(path) ? video({.path = path}) : picture_sequence(path);
}

#if defined(CONV_WITH_FFMPEG)

std::string_view no_video() {
  return load_ffmpeg();
}

std::string_view no_video_if_known() {
  static std::atomic<bool> known = false;
  static const std::jthread loader([] {
    load_ffmpeg();
    known = true;
  });
  return known ? no_video() : std::string_view();
}

namespace {

using Clock = std::chrono::steady_clock;

// A file may make FFmpeg read only itself: playlists, concatenations and network addresses are in neither list.
constexpr const char* safe_protocols = "file";
constexpr const char* safe_formats =
    "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegvideo,mpegts,asf,flv,ogg,nut,mjpeg,yuv4mpegpipe,gif,h264,m4v";

// How a phone was held, as an EXIF orientation; 1 if the stream does not say, or for other angles.
int orientation_of(const AVStream& stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
  const AVPacketSideData* data = av_packet_side_data_get(
      stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
  const unsigned char* matrix = data && data->size >= 9 * sizeof(std::int32_t) ? data->data : nullptr;
#else
  std::size_t bytes = 0;
  const unsigned char* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
  if (bytes < 9 * sizeof(std::int32_t)) matrix = nullptr;
#endif
  if (!matrix) return 1;
  const auto* numbers = reinterpret_cast<const std::int32_t*>(matrix);  // x' = a x + c y, y' = b x + d y
  const int a = numbers[0], b = numbers[1], c = numbers[3], d = numbers[4];
  if (b == 0 && c == 0) return d >= 0 ? (a >= 0 ? 1 : 2) : (a >= 0 ? 4 : 3);
  if (a == 0 && d == 0) return c >= 0 ? (b >= 0 ? 5 : 8) : (b >= 0 ? 6 : 7);
  return 1;
}

// The layouts of the most common pixel formats of cameras and decoders.
std::optional<YuvOrder> order_of(int format) {
  switch (format) {
    case AV_PIX_FMT_YUV420P:
    case AV_PIX_FMT_YUVJ420P: return YuvOrder::planes_420;
    case AV_PIX_FMT_NV12: return YuvOrder::pairs_420;
    case AV_PIX_FMT_YUV422P:
    case AV_PIX_FMT_YUVJ422P: return YuvOrder::planes_422;
    case AV_PIX_FMT_YUYV422: return YuvOrder::woven_422;
    default: return std::nullopt;
  }
}

// As the frame declares; otherwise as is usual for its size.
bool is_high_definition(const AVFrame& frame) {
  return frame.colorspace == AVCOL_SPC_BT709 || (frame.colorspace == AVCOL_SPC_UNSPECIFIED && frame.height >= 720);
}
bool has_full_range(const AVFrame& frame) {
  return frame.color_range == AVCOL_RANGE_JPEG || frame.format == AV_PIX_FMT_YUVJ420P ||
         frame.format == AV_PIX_FMT_YUVJ422P;
}

// The frame's bytes in the layout of yuv_rows.
void copy_rows(const AVFrame& in, YuvOrder order, unsigned char* to) {
  const Size2 size{in.width, in.height}, rows = yuv_rows(order, size);
  const auto copy = [&](int plane, int first, int count, int column, int bytes) {
    for (int y = 0; y < count; ++y)
      std::memcpy(to + static_cast<std::ptrdiff_t>(first + y) * rows.width + column,
                  in.data[plane] + static_cast<std::ptrdiff_t>(y) * in.linesize[plane], bytes);
  };
  const int pairs = (size.width + 1) / 2, below = rows.height - size.height;
  copy(0, 0, size.height, 0, order == YuvOrder::woven_422 ? rows.width : size.width);
  if (order == YuvOrder::pairs_420) copy(1, size.height, below, 0, rows.width);
  if (order == YuvOrder::planes_420 || order == YuvOrder::planes_422)
    for (int plane = 1; plane < 3; ++plane) copy(plane, size.height, below, (plane - 1) * pairs, pairs);
}

int stops(void* token) {
  return static_cast<const std::stop_token*>(token)->stop_requested() ? 1 : 0;
}

class Video final : public FrameReader {
 public:
  static Result<std::unique_ptr<FrameReader>> open(const VideoRequest& request, const std::stop_token& stop);

  StreamInfo info() const override { return info_; }
  Result<bool> next(Frame& frame, const std::stop_token& stop) override;
  Result<void> seek(double seconds) override;

 private:
  AVStream* stream() const { return format_->streams[stream_]; }
  Result<void> open_input();
  Result<void> begin_again(double seconds);
  Result<bool> receive(const std::stop_token& stop, float& wait_ms);
  Result<void> convert(Frame& frame);

  VideoRequest request_;
  std::string name_;
  std::stop_token stop_;  // of the reading thread; FFmpeg checks it while it waits
  Owned<AVFormatContext, &avformat_close_input> format_;
  Owned<AVCodecContext, &avcodec_free_context> codec_;
  Owned<AVFrame, &av_frame_free> decoded_{av_frame_alloc()};
  Owned<AVPacket, &av_packet_free> packet_{av_packet_alloc()};
  std::unique_ptr<SwsContext, FreeScaler> scaler_;
  int stream_ = 0;
  int orientation_ = 1;
  std::vector<Rgba8> lying_;  // a frame before it is rotated
  StreamInfo info_;
  long long count_ = 0;    // frames delivered, for streams without timestamps
  double skip_until_ = 0;  // after a seek: earlier frames are only decoded
};

Result<void> Video::open_input() {
  const VideoRequest& request = request_;
  const AVInputFormat* input = nullptr;
  std::string url = request.path;
  FreeDictionary options;
  format_.reset(avformat_alloc_context());
  if (request.camera) {
    input = av_find_input_format("v4l2");
    if (!input) return failure("This FFmpeg was built without cameras (v4l2)");
    if (request.size.area() > 0)
      options.set("video_size", fmt::format("{}x{}", request.size.width, request.size.height));
    if (request.rate > 0) options.set("framerate", std::to_string(request.rate));
    format_->flags |= AVFMT_FLAG_NONBLOCK;
  } else if (is_generator(url)) {
    CONV_TRY(check_generator(url));
    url = url.substr(generator_prefix.size());
    input = av_find_input_format("lavfi");
    if (!input) return failure("This FFmpeg was built without its generators (lavfi)");
  } else {
    CONV_TRY(check_readable(url));
    url = "file:" + url;  // otherwise FFmpeg would read a colon as the end of a protocol
    options.set("protocol_whitelist", safe_protocols);
    options.set("format_whitelist", safe_formats);
  }
  format_->interrupt_callback = {stops, &stop_};
  AVFormatContext* context = format_.release();  // the library frees it on failure
  const int opened = avformat_open_input(&context, url.c_str(), input, &options.options);
  format_.reset(context);
  if (opened == AVERROR(EBUSY) && request.camera)
    return failure(fmt::format("{}: another program uses this camera. Close it, or choose another", name_));
  if (opened == AVERROR(EACCES) && request.camera)
    return failure(fmt::format("{}: no permission. Cameras belong to the group \"video\": add yourself to it", name_));
  if (opened < 0)
    return failure(request.camera ? fmt::format("{}: {}", name_, words_of(opened))
                                  : fmt::format("{}: not a video that FFmpeg can read ({})", name_, words_of(opened)));
  return {};
}

// For streams that cannot be sought: decodes and skips frames up to the position. On failure the old reader remains.
Result<void> Video::begin_again(double seconds) {
  // several pictures, without timestamps
  if (format_->pb && av_seek_frame(format_.get(), stream_, 0, AVSEEK_FLAG_BYTE) >= 0) return {};
  if (!is_generator(request_.path) || seconds > longest_skip_s)
    return failure(fmt::format("{}: cannot seek in it", name_));
  Owned<AVFormatContext, &avformat_close_input> before = std::move(format_);
  Result<void> opened = open_input();
  if (opened && avformat_find_stream_info(format_.get(), nullptr) < 0)
    opened = failure(fmt::format("{}: cannot be started again", name_));
  if (!opened) format_ = std::move(before);
  return opened;
}

Result<std::unique_ptr<FrameReader>> Video::open(const VideoRequest& request, const std::stop_token& stop) {
  CONV_TRY(need_ffmpeg());
  auto video = std::make_unique<Video>();
  video->name_ = is_generator(request.path) || request.camera ? request.path
                                                              : std::filesystem::path(request.path).filename().string();
  video->request_ = request;
  video->stop_ = stop;
  CONV_TRY(video->open_input());
  AVFormatContext* format = video->format_.get();
  if (const int found = avformat_find_stream_info(format, nullptr); found < 0 && !request.camera)
    return failure(fmt::format("{}: the file is damaged or cut off ({})", video->name_, words_of(found)));
  const AVCodec* codec = nullptr;
  const int stream = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (stream == AVERROR_DECODER_NOT_FOUND)
    return failure(fmt::format("{}: FFmpeg has no decoder for it", video->name_));
  if (stream < 0) return failure(fmt::format("{}: holds no video", video->name_));
  video->stream_ = stream;
  for (unsigned i = 0; i < format->nb_streams; ++i)
    if (static_cast<int>(i) != stream) format->streams[i]->discard = AVDISCARD_ALL;

  const AVCodecParameters& parameters = *video->stream()->codecpar;
  CONV_TRY(check_size(video->name_, {parameters.width, parameters.height}));
  video->codec_.reset(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(video->codec_.get(), &parameters);
  video->codec_->thread_count = request.camera ? 1 : 0;  // more threads would delay frames
  video->codec_->max_pixels = max_pixels;                // a stream may change its size later
  video->codec_->pkt_timebase = video->stream()->time_base;
  if (const int opened = avcodec_open2(video->codec_.get(), codec, nullptr); opened < 0)
    return failure(fmt::format("{}: {}", video->name_, words_of(opened)));

  const double rate = av_q2d(av_guess_frame_rate(format, video->stream(), nullptr));
  video->info_ = {.name = video->name_, .rate = std::isfinite(rate) ? rate : 0, .paces_itself = request.camera};
  video->info_.note = codec->name;
  if (rate > 0) video->info_.note += fmt::format(", {:.4g} fps", rate);
  video->orientation_ = orientation_of(*video->stream());
  if (video->orientation_ != 1) video->info_.note += ", rotated upright";
  video->info_.is_yuv = video->orientation_ == 1 && order_of(parameters.format).has_value();
  const bool endless = request.camera || is_generator(request.path);
  if (!endless && format->duration > 0) video->info_.duration_s = static_cast<double>(format->duration) / AV_TIME_BASE;
  return video;
}

// Decodes the next frame; false at the end.
Result<bool> Video::receive(const std::stop_token& stop, float& wait_ms) {
  while (!stop.stop_requested()) {
    const int received = avcodec_receive_frame(codec_.get(), decoded_.get());
    if (received == 0) return true;
    if (received == AVERROR_EOF) return false;
    const auto asked = Clock::now();
    const int read = av_read_frame(format_.get(), packet_.get());
    if (info_.paces_itself) wait_ms += std::chrono::duration<float, std::milli>(Clock::now() - asked).count();
    if (read == AVERROR(EAGAIN)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      wait_ms += 1;
      continue;
    }
    if (read < 0 && read != AVERROR_EOF && info_.paces_itself)
      return failure(fmt::format("{}: {}", name_, words_of(read)));
    if (read < 0) {
      avcodec_send_packet(codec_.get(), nullptr);  // flushes the decoder; a damaged end of a file also ends the stream
      continue;
    }
    if (packet_->stream_index == stream_)
      avcodec_send_packet(codec_.get(), packet_.get());  // damaged packets are skipped
    av_packet_unref(packet_.get());
  }
  return failure("stopped");
}

Result<void> Video::convert(Frame& frame) {
  const AVFrame& in = *decoded_;
  const Size2 size{in.width, in.height};
  const std::optional<YuvOrder> order = order_of(in.format);
  if (frame.takes_yuv && orientation_ == 1 && order) {
    frame.resize(size, YuvFormat{*order, yuv_matrix(is_high_definition(in), has_full_range(in)), request_.flip});
    copy_rows(in, *order, frame.picture.levels.data());
    return {};
  }
  frame.resize(upright_size(size, orientation_));
  auto* pixels = reinterpret_cast<Rgba8*>(frame.picture.levels.data());
  // Pixels that share a colour keep it: interpolating it (SWS_FULL_CHR_H_INT) takes 25 ms per frame of 1920x1080
  // instead of 3 (FFmpeg 5.1, one core of a Xeon), which is more than a frame's time. Formats with a colour per pixel
  // keep it.
  scaler_.reset(sws_getCachedContext(scaler_.release(), in.width, in.height, static_cast<AVPixelFormat>(in.format),
                                     in.width, in.height, AV_PIX_FMT_RGBA, SWS_BILINEAR | SWS_ACCURATE_RND, nullptr,
                                     nullptr, nullptr));
  if (!scaler_) return failure(fmt::format("{}: its pixel format cannot be converted", name_));
  const int full = has_full_range(in);
  const int* matrix = sws_getCoefficients(is_high_definition(in) ? SWS_CS_ITU709 : SWS_CS_ITU601);
  sws_setColorspaceDetails(scaler_.get(), matrix, full, matrix, 1, 0, 1 << 16, 1 << 16);
  if (orientation_ != 1) lying_.resize(static_cast<std::size_t>(size.area()));
  unsigned char* planes[4] = {reinterpret_cast<unsigned char*>(orientation_ != 1 ? lying_.data() : pixels)};
  const int strides[4] = {size.width * 4};
  sws_scale(scaler_.get(), in.data, in.linesize, 0, in.height, planes, strides);
  if (orientation_ != 1) turn_upright(lying_.data(), size, orientation_, pixels);
  if (request_.flip)
    for (int y = 0; y < frame.picture.size.height; ++y) {
      Rgba8* row = pixels + static_cast<std::ptrdiff_t>(y) * frame.picture.size.width;
      std::reverse(row, row + frame.picture.size.width);
    }
  return {};
}

Result<bool> Video::next(Frame& frame, const std::stop_token& stop) {
  const auto start = Clock::now();
  frame.wait_ms = 0;
  while (true) {
    const Result<bool> got = receive(stop, frame.wait_ms);
    if (!got || !*got) return got;
    const double period = info_.rate > 0 ? 1 / info_.rate : 0.04;
    const long long stamp = decoded_->best_effort_timestamp;
    const long long first = stream()->start_time == AV_NOPTS_VALUE ? 0 : stream()->start_time;
    frame.at_s = stamp == AV_NOPTS_VALUE ? static_cast<double>(count_) * period
                                         : static_cast<double>(stamp - first) * av_q2d(stream()->time_base);
    frame.number = info_.rate > 0 ? std::llround(frame.at_s * info_.rate) : count_;
    ++count_;
    if (frame.at_s < skip_until_ - period / 2) continue;
    skip_until_ = 0;
    break;
  }
  CONV_TRY(convert(frame));
  frame.decode_ms = std::chrono::duration<float, std::milli>(Clock::now() - start).count() - frame.wait_ms;
  return true;
}

Result<void> Video::seek(double seconds) {
  if (info_.paces_itself) return failure("Cameras cannot seek");
  const long long first = stream()->start_time == AV_NOPTS_VALUE ? 0 : stream()->start_time;
  const auto stamp = first + std::llround(seconds / av_q2d(stream()->time_base));
  const int sought =
      av_seek_frame(format_.get(), stream_, seconds <= 0 ? std::min(0ll, first) : stamp, AVSEEK_FLAG_BACKWARD);
  if (sought < 0) CONV_TRY(begin_again(seconds));
  avcodec_flush_buffers(codec_.get());
  count_ = 0;
  skip_until_ = seconds;
  return {};
}

}  // namespace

OpenReader video(const VideoRequest& request) {
  return [request](const std::stop_token& stop) { return Video::open(request, stop); };
}

Result<std::vector<Camera>> find_cameras() {
  CONV_TRY(need_ffmpeg());
  std::vector<Camera> cameras;
  const AVInputFormat* input = av_find_input_format("v4l2");
  AVDeviceInfoList* list = nullptr;
  if (!input || avdevice_list_input_sources(input, nullptr, nullptr, &list) < 0) return cameras;
  for (int i = 0; i < list->nb_devices; ++i)
    cameras.push_back({list->devices[i]->device_name, list->devices[i]->device_description});
  avdevice_free_list_devices(&list);
  return cameras;
}

#else

std::string_view no_video() {
  return "Built without FFmpeg: no cameras and no videos. Install libavdevice-dev, libavformat-dev, libavcodec-dev, "
         "libavfilter-dev, libswscale-dev and build again (app/run does both).";
}

std::string_view no_video_if_known() {
  return no_video();
}

OpenReader video(const VideoRequest&) {
  return
      [](const std::stop_token&) -> Result<std::unique_ptr<FrameReader>> { return failure(std::string(no_video())); };
}

Result<std::vector<Camera>> find_cameras() {
  return failure(std::string(no_video()));
}

#endif

}  // namespace conv
