#include <fmt/format.h>
#include <libexif/exif-data.h>
#include <png.h>
#include <stb_image.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>

#include "app/sources/bundle.h"
#include "app/sources/picture.h"
#include "app/sources/picture_size.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

std::string name_of(const fs::path& path) {
  return path.filename().string();
}

// The most compact format: a PNG of one bit per pixel in a single colour has 8256 pixels per byte.
constexpr long long most_pixels_per_byte = 10'000;

const unsigned char* data_of(const std::string& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
int length_of(const std::string& bytes) {
  return static_cast<int>(bytes.size());
}

// A file in memory, for stb_image. It fills what a cut-off file lacks with zeros or with anything else, and says
// nothing: whether it asked for more than there is tells.
class StbReader {
 public:
  explicit StbReader(const std::string& bytes) : bytes_(bytes) {}
  int read(char* to, int size) {
    const auto count = std::clamp<std::ptrdiff_t>(left(), 0, size);
    if (!ahead_) ahead_ = to;
    // Into this buffer it reads ahead, where less than it asks for is usual.
    if (count == 0 || (count < size && to != ahead_)) asked_beyond_ = true;
    std::copy_n(bytes_.data() + (count > 0 ? at_ : 0), count, to);
    at_ += count;
    return static_cast<int>(count);
  }
  void skip(int size) { at_ += size; }
  bool at_end() const { return left() == 0; }
  bool asked_beyond() const { return asked_beyond_; }

 private:
  std::ptrdiff_t left() const { return std::max<std::ptrdiff_t>(std::ssize(bytes_) - at_, 0); }
  const std::string& bytes_;
  std::ptrdiff_t at_ = 0;
  const char* ahead_ = nullptr;  // the buffer of its first call
  bool asked_beyond_ = false;
};
constexpr stbi_io_callbacks stb_callbacks{
    .read = [](void* reader, char* to, int size) { return static_cast<StbReader*>(reader)->read(to, size); },
    .skip = [](void* reader, int size) { static_cast<StbReader*>(reader)->skip(size); },
    .eof = [](void* reader) { return static_cast<StbReader*>(reader)->at_end() ? 1 : 0; }};

// As stb_image reads it from the start of the file. A BMP stored from the top has a negative number of rows.
std::optional<Size2> size_in_head(const std::string& bytes, int& channels) {
  Size2 size;
  if (!stbi_info_from_memory(data_of(bytes), length_of(bytes), &size.width, &size.height, &channels))
    return std::nullopt;
  size.height =
      size.height == std::numeric_limits<int>::min() ? std::numeric_limits<int>::max() : std::abs(size.height);
  return size;
}

// stb refuses a PNG of more than 2^30 samples and then reports another format: say what it is.
std::optional<Size2> size_of_png(const std::string& bytes) {
  if (bytes.size() < 24 || !bytes.starts_with("\x89PNG\r\n\x1a\n")) return std::nullopt;
  const auto number = [&](std::size_t at) {
    const unsigned char* head = data_of(bytes) + at;
    return head[0] << 24 | head[1] << 16 | head[2] << 8 | head[3];
  };
  return Size2{number(16), number(20)};
}

// The camera's orientation; 1 is upright, also if it is not stored.
int orientation_of(const std::string& bytes) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(
      exif_data_new_from_data(data_of(bytes), static_cast<unsigned>(bytes.size())), exif_data_unref);
  if (!data) return 1;
  const ExifEntry* entry = exif_data_get_entry(data.get(), EXIF_TAG_ORIENTATION);
  if (!entry || entry->format != EXIF_FORMAT_SHORT || entry->size < 2) return 1;
  return exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
}

struct FreeStb {
  void operator()(void* data) const { stbi_image_free(data); }
};

}  // namespace

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

// Sets the largest magnitude of a float picture; NaN does not count.
static Picture with_largest(Picture picture) {
  for (const float value : picture.values) picture.largest = std::max(picture.largest, std::fabs(value));
  return picture;
}

Result<Picture> load_picture(const fs::path& path, int percent) {
  if (ending_of(path) == ".npy")
    return load_npy(path).map([&](Picture picture) { return with_largest(scaled(std::move(picture), percent)); });
  // Read once: a file that another program is writing is never seen in two states.
  const std::string bytes = CONV_TRY(read_any_file(path, std::numeric_limits<int>::max()));
  return decode_picture(name_of(path), bytes, percent);
}

static void take_samples(const void* decoded, bool is_hdr, Picture& picture) {
  if (!picture.is_float) {
    const auto* levels = static_cast<const unsigned char*>(decoded);
    picture.levels.assign(levels, levels + picture.samples());
  } else if (is_hdr) {
    const auto* values = static_cast<const float*>(decoded);
    picture.values.assign(values, values + picture.samples());
  } else {
    const auto* levels = static_cast<const unsigned short*>(decoded);
    picture.values.reserve(picture.samples());
    for (std::size_t i = 0; i < picture.samples(); ++i) picture.values.push_back(levels[i] / 65535.0f);
  }
}

// Decodes the samples of a picture whose size and channels are known from the head of the file.
static Result<void> decode_samples(const std::string& bytes, Picture& picture) {
  const unsigned char* data = data_of(bytes);
  const int length = length_of(bytes), wanted = picture.channels;
  const bool is_hdr = stbi_is_hdr_from_memory(data, length), has_16_bits = stbi_is_16_bit_from_memory(data, length);
  picture.is_float = is_hdr || has_16_bits;
  int width = 0, height = 0, channels = 0;
  std::unique_ptr<void, FreeStb> decoded;
  StbReader reader(bytes);
  if (is_hdr) {
    decoded.reset(stbi_loadf_from_callbacks(&stb_callbacks, &reader, &width, &height, &channels, wanted));
    picture.note = "HDR, linear floats";
  } else if (has_16_bits) {
    decoded.reset(stbi_load_16_from_callbacks(&stb_callbacks, &reader, &width, &height, &channels, wanted));
    picture.note = "16 bits, kept as floats";
    picture.storage = FloatStorage::u16;
  } else {
    decoded.reset(stbi_load_from_callbacks(&stb_callbacks, &reader, &width, &height, &channels, wanted));
    if (channels % 2 == 0) picture.note = "alpha is kept, not filtered";
  }
  const auto [stated_width, stated_height] = picture.size;
  if (!decoded && std::string_view(stbi_failure_reason()) == "outofmem")
    return failure(fmt::format("{}: not enough memory to decode {}x{}", picture.name, stated_width, stated_height));
  if (!decoded || reader.asked_beyond())
    return failure(fmt::format("{}: the file is damaged or cut off", picture.name));
  if (width != stated_width || std::abs(height) != stated_height)
    return failure(fmt::format("{}: the file is damaged (its size is {}x{} in one place, {}x{} in another)",
                               picture.name, stated_width, stated_height, width, height));
  take_samples(decoded.get(), is_hdr, picture);
  return {};
}

Result<Picture> decode_picture(const std::string& name, const std::string& bytes, int percent) {
  if (is_npy(bytes))
    return decode_npy(name, bytes).map([&](Picture picture) {
      return with_largest(scaled(std::move(picture), percent));
    });
  int channels = 0;
  const auto in_head = size_in_head(bytes, channels);
  if (!in_head) {
    if (const auto size = size_of_png(bytes); size && size->area() > 1 << 28)
      return failure(fmt::format("{}: {}x{} is too large for a PNG (at most 2^30 samples). Scale it down first", name,
                                 size->width, size->height));
    return failure(fmt::format("{}: not a PNG, JPEG, BMP, TGA, HDR or NPY that can be read", name));
  }
  const Size2 size = *in_head;
  if (size.width < 1 || size.height < 1)
    return failure(
        fmt::format("{}: the file is damaged (it says that it has {}x{} pixels)", name, size.width, size.height));
  CONV_TRY(check_size(name, size, percent));
  if (size.area() > most_pixels_per_byte * static_cast<long long>(bytes.size()))
    return failure(fmt::format("{}: the file is damaged or cut off ({} bytes for {}x{} pixels)", name, bytes.size(),
                               size.width, size.height));
  Picture picture{
      .size = size, .channels = channels == 2 ? 4 : channels, .name = name};  // grey with alpha becomes RGBA
  CONV_TRY(decode_samples(bytes, picture));
  return with_largest(scaled(upright(std::move(picture), orientation_of(bytes)), percent));
}

int percent_that_fits(const fs::path& path) {
  int channels = 0;
  if (!check_readable(path)) return 0;
  std::string head(std::size_t{1} << 20, '\0');  // every format has its size before this
  std::ifstream in(path, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  const auto size = size_in_head(head, channels);
  return size ? smaller_percent_that_fits(*size) : 0;
}

namespace {

// 7680x4320 RGB with two noisy bits takes 4.7 s and 46 MB; at the default, 6, it takes 20 s and 41 MB.
constexpr int png_compression = 3;

// depth: bits, 8 or 16. libpng reports errors by longjmp: no object with a destructor may be created in between.
// After an error or a stop, bytes is empty.
void write_png(const void* levels, int depth, Size2 size, int channels, std::string& bytes,
               const OnProgress& progress) {
  // The caller says in words what is wrong; libpng would write to standard error too.
  const auto on_error = [](png_structp from, png_const_charp) { png_longjmp(from, 1); };
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, on_error, [](png_structp, png_const_charp) {});
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  bool whole = false;
  if (info && setjmp(png_jmpbuf(png)) == 0) {
    constexpr int colour_types[] = {0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
    const auto append = [](png_structp to, png_bytep data, png_size_t length) {
      static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<const char*>(data), length);
    };
    png_set_write_fn(png, &bytes, append, nullptr);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // a million otherwise
    png_set_IHDR(png, info, size.width, size.height, depth, colour_types[channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, png_compression);
    png_write_info(png, info);
    png_set_swap(png);  // PNG is big-endian
    const std::ptrdiff_t row_bytes = static_cast<std::ptrdiff_t>(size.width) * channels * depth / 8;
    int y = 0;
    while (y < size.height && (!progress || progress(static_cast<float>(y) / static_cast<float>(size.height))))
      png_write_row(png, static_cast<png_const_bytep>(levels) + row_bytes * y++);
    whole = y == size.height;
    if (whole) png_write_end(png, nullptr);
  }
  png_destroy_write_struct(&png, &info);
  if (!whole) bytes.clear();
}

}  // namespace

Result<std::string> encode_picture(const Picture& picture, const std::string& ending, const OnProgress& progress) {
  const auto [width, height] = picture.size;
  const int channels = picture.channels;
  // Their heads have 16 bits for each side, and stb_image_write keeps the lower 16 of a larger one.
  if ((ending == ".jpg" || ending == ".jpeg" || ending == ".tga") && std::max(width, height) > 65535)
    return failure(
        fmt::format("a {} file has at most 65535 pixels a side, not {}x{}; use .png", ending, width, height));
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  const auto levels = [&] {
    std::vector<unsigned char> converted = picture.levels;
    converted.reserve(picture.samples());
    for (float value : picture.values) converted.push_back(to_level(value * 255.0f));
    return converted;
  };
  const auto floats = [&] {
    std::vector<float> converted = picture.values;
    for (unsigned char value : picture.levels) converted.push_back(value / 255.0f);
    return converted;
  };
  if (ending == ".npy") {
    bytes = npy_bytes(picture);
  } else if (ending == ".png" && picture.is_float && picture.storage == FloatStorage::u16) {
    write_png(levels_16(picture).data(), 16, picture.size, channels, bytes, progress);
  } else if (ending == ".png") {
    write_png(levels().data(), 8, picture.size, channels, bytes, progress);
  } else if (ending == ".jpg" || ending == ".jpeg") {
    stbi_write_jpg_to_func(append, &bytes, width, height, channels, levels().data(), 95);
  } else if (ending == ".bmp") {
    stbi_write_bmp_to_func(append, &bytes, width, height, channels, levels().data());
  } else if (ending == ".tga") {
    stbi_write_tga_to_func(append, &bytes, width, height, channels, levels().data());
  } else if (ending == ".hdr") {
    stbi_write_hdr_to_func(append, &bytes, width, height, channels, floats().data());
  } else {
    return failure("unknown ending; use .png, .jpg, .bmp, .tga, .hdr or .npy");
  }
  if (progress && !progress(1)) return failure("stopped");
  if (bytes.empty()) return failure(fmt::format("{}x{} cannot be written as {}", width, height, ending));
  return bytes;
}

Result<void> save_picture(const Picture& picture, const fs::path& path, const OnProgress& progress, Existing existing) {
  const Result<std::string> bytes = encode_picture(picture, ending_of(path), progress);
  if (!bytes) return failure(fmt::format("{}: not saved: {}", path.string(), bytes.error().text));
  return write_file(path, *bytes, existing);
}

}  // namespace conv
