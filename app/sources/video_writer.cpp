// Videos written through FFmpeg.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "app/sources/frame_writer.h"
#include "app/sources/frames.h"
#include "kernels/core/file.h"

#if defined(CONV_WITH_FFMPEG)
#include "app/sources/ffmpeg.h"
#endif

namespace conv {

#if defined(CONV_WITH_FFMPEG)

namespace {

class VideoWriter final : public FrameWriter {
 public:
  VideoWriter(std::string path, double rate, Existing existing)
      : path_(std::move(path)), existing_(existing), rate_(av_d2q(rate > 0 ? rate : 25, 65535)) {}
  ~VideoWriter() override { close(); }

  Result<void> add(const Picture& picture, std::optional<double> at_s) override;
  Result<void> finish() override;

 private:
  Result<void> open(Size2 size);
  Result<void> open_encoder(const AVCodec& codec, bool head_in_container);
  Result<void> begin_file(const std::string& url);
  Result<void> prepare_frame();
  Result<void> send(const AVFrame* frame);
  Error error(int code) const { return {fmt::format("{}: cannot be written: {}", path_, words_of(code))}; }
  void close() {
    if (format_ && format_->pb) avio_closep(&format_->pb);
  }

  std::string path_;
  Existing existing_;
  std::optional<FileBeside> file_;  // from the first picture on
  AVRational rate_;
  Size2 size_;
  Owned<AVCodecContext, &avcodec_free_context> codec_;
  std::unique_ptr<AVFormatContext, FreeFormat> format_;
  Owned<AVFrame, &av_frame_free> frame_{av_frame_alloc()};
  Owned<AVPacket, &av_packet_free> packet_{av_packet_alloc()};
  std::unique_ptr<SwsContext, FreeScaler> scaler_;
  long long next_ = 0;  // number of the next frame
};

// The format that players support best: 2x2 pixels share a colour. For odd sizes, encoders that need even sides store
// every colour.
AVPixelFormat format_for(AVCodecID codec, Size2 size) {
  const bool odd = size.width % 2 != 0 || size.height % 2 != 0;
  if (codec == AV_CODEC_ID_GIF) return AV_PIX_FMT_RGB8;
  return odd && (codec == AV_CODEC_ID_H264 || codec == AV_CODEC_ID_HEVC) ? AV_PIX_FMT_YUV444P : AV_PIX_FMT_YUV420P;
}

Result<void> VideoWriter::open(Size2 size) {
  size_ = size;
  const AVOutputFormat* kind = av_guess_format(nullptr, path_.c_str(), nullptr);
  if (!kind || kind->video_codec == AV_CODEC_ID_NONE)
    return failure(
        fmt::format("{}: FFmpeg cannot write this kind of video; use .mp4, .mkv, .avi, .mov, .webm or .gif", path_));
  const AVCodec* codec = avcodec_find_encoder(kind->video_codec);
  if (!codec) codec = avcodec_find_encoder(AV_CODEC_ID_MPEG4);
  if (!codec) return failure(fmt::format("{}: this FFmpeg has no encoder for it", path_));
  file_.emplace(CONV_TRY(FileBeside::create(path_, FileBeside::Remains::usable, existing_)));
  const std::string url = "file:" + file_->path().string();
  AVFormatContext* format = nullptr;
  if (const int made = avformat_alloc_output_context2(&format, kind, nullptr, url.c_str()); made < 0)
    return tl::unexpected(error(made));
  format_.reset(format);
  CONV_TRY(open_encoder(*codec, kind->flags & AVFMT_GLOBALHEADER));
  CONV_TRY(begin_file(url));
  return prepare_frame();
}

Result<void> VideoWriter::open_encoder(const AVCodec& codec, bool head_in_container) {
  codec_.reset(avcodec_alloc_context3(&codec));
  codec_->width = size_.width;
  codec_->height = size_.height;
  codec_->time_base = av_inv_q(rate_);
  codec_->framerate = rate_;
  codec_->pix_fmt = format_for(codec.id, size_);
  codec_->bit_rate = static_cast<long long>(size_.area()) * 8;
  codec_->colorspace = AVCOL_SPC_BT709;
  codec_->color_range = AVCOL_RANGE_MPEG;
  if (codec.id == AV_CODEC_ID_MJPEG) {
    codec_->pix_fmt = AV_PIX_FMT_YUVJ444P;
    codec_->color_range = AVCOL_RANGE_JPEG;
    codec_->colorspace = AVCOL_SPC_BT470BG;
    codec_->flags |= AV_CODEC_FLAG_QSCALE;
    codec_->global_quality = 2 * FF_QP2LAMBDA;
  }
  if (head_in_container) codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  codec_->thread_count = 0;  // as many as the processor has
  // Each encoder takes those that it knows.
  FreeDictionary options;
  options.set("crf", "18");  // hardly different from the source
  options.set("preset", "veryfast");
  options.set("deadline", "realtime");
  options.set("cpu-used", "8");
  options.set("row-mt", "1");
  if (const int opened = avcodec_open2(codec_.get(), &codec, &options.options); opened < 0)
    return failure(fmt::format("{}: {}x{} cannot be encoded as {}: {}", path_, size_.width, size_.height, codec.name,
                               words_of(opened)));
  return {};
}

Result<void> VideoWriter::begin_file(const std::string& url) {
  AVStream* stream = avformat_new_stream(format_.get(), nullptr);
  stream->time_base = codec_->time_base;
  stream->avg_frame_rate = rate_;
  avcodec_parameters_from_context(stream->codecpar, codec_.get());
  if (const int opened = avio_open(&format_->pb, url.c_str(), AVIO_FLAG_WRITE); opened < 0)
    return tl::unexpected(error(opened));
  // Written in pieces of a second: if the program is killed, what it has written so far can be played.
  FreeDictionary pieces;
  pieces.set("movflags", "+empty_moov+default_base_moof");  // MP4, MOV
  pieces.set("frag_duration", "1000000");                   // microseconds
  pieces.set("cluster_time_limit", "1000");                 // Matroska and WebM, milliseconds
  format_->flags |= AVFMT_FLAG_FLUSH_PACKETS;
  if (const int written = avformat_write_header(format_.get(), &pieces.options); written < 0)
    return tl::unexpected(error(written));
  return {};
}

Result<void> VideoWriter::prepare_frame() {
  frame_->format = codec_->pix_fmt;
  frame_->width = size_.width;
  frame_->height = size_.height;
  if (const int made = av_frame_get_buffer(frame_.get(), 0); made < 0) return tl::unexpected(error(made));
  scaler_.reset(sws_getContext(size_.width, size_.height, AV_PIX_FMT_RGBA, size_.width, size_.height, codec_->pix_fmt,
                               SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr, nullptr));
  if (!scaler_) return failure(fmt::format("{}: its pixel format is not supported", path_));
  const int* matrix = sws_getCoefficients(codec_->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601);
  sws_setColorspaceDetails(scaler_.get(), matrix, 1, matrix, codec_->color_range == AVCOL_RANGE_JPEG, 0, 1 << 16,
                           1 << 16);
  return {};
}

Result<void> VideoWriter::send(const AVFrame* frame) {
  if (const int sent = avcodec_send_frame(codec_.get(), frame); sent < 0) return tl::unexpected(error(sent));
  while (true) {
    const int received = avcodec_receive_packet(codec_.get(), packet_.get());
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return {};
    if (received < 0) return tl::unexpected(error(received));
    const AVStream& stream = *format_->streams[0];
    av_packet_rescale_ts(packet_.get(), codec_->time_base, stream.time_base);
    packet_->stream_index = 0;
    const int written = av_interleaved_write_frame(format_.get(), packet_.get());
    if (written < 0) return tl::unexpected(error(written));
    if (format_->pb->error < 0) return tl::unexpected(error(format_->pb->error));
  }
}

Result<void> VideoWriter::add(const Picture& picture, std::optional<double> at_s) {
  if (!codec_) CONV_TRY(open(picture.size));
  if (picture.size != size_)
    return failure(fmt::format("{}: the video is {}x{}, so a picture of {}x{} cannot be added", path_, size_.width,
                               size_.height, picture.size.width, picture.size.height));
  const long long place = at_s ? std::llround(*at_s * av_q2d(rate_)) : next_;
  if (place < next_) return {};
  const HostImage pixels = to_format(picture, PixelType::rgba8);
  if (const int writable = av_frame_make_writable(frame_.get()); writable < 0) return tl::unexpected(error(writable));
  const auto* rows = reinterpret_cast<const unsigned char*>(pixels.bytes.data());
  const int stride = size_.width * 4;
  sws_scale(scaler_.get(), &rows, &stride, 0, size_.height, frame_->data, frame_->linesize);
  frame_->pts = place;
  next_ = place + 1;
  frame_->quality = codec_->global_quality;
  return send(frame_.get());
}

Result<void> VideoWriter::finish() {
  if (!codec_) return failure(fmt::format("{}: no picture to write", path_));
  CONV_TRY(send(nullptr));
  if (const int written = av_write_trailer(format_.get()); written < 0) return tl::unexpected(error(written));
  if (const int closed = avio_closep(&format_->pb); closed < 0) return tl::unexpected(error(closed));
  return file_->commit();
}

}  // namespace

Result<std::unique_ptr<FrameWriter>> video_writer(const std::string& path, double rate, Existing existing) {
  CONV_TRY(need_ffmpeg());
  return std::make_unique<VideoWriter>(path, rate, existing);
}

#else

Result<std::unique_ptr<FrameWriter>> video_writer(const std::string&, double, Existing) {
  return failure(std::string(no_video()));
}

#endif

}  // namespace conv
