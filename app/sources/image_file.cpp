#include <fmt/format.h>
#include <libexif/exif-data.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>

#include "app/sources/picture.h"
#include "kernels/core/file.h"

namespace fs = std::filesystem;

namespace {

std::string name_of(const fs::path& path) {
  return path.filename().string();
}

// Bytes of physical memory that are free or can be made free.
long long free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string line;
  while (std::getline(in, line))
    if (line.starts_with("MemAvailable:")) return std::atoll(line.c_str() + 13) * 1024;
  return static_cast<long long>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

// No format packs pixels tighter: a PNG of one bit a pixel, all alike, holds 8256 a byte.
constexpr long long most_pixels_per_byte = 10'000;

// Decoded, as floats and as source and result of a lane, a picture takes about this much.
constexpr int working_bytes_per_pixel = 48;

// Bytes for working on it at this scale, the decoded file beside it.
double bytes_needed(Size2 size, int percent) {
  const double pixels = static_cast<double>(size.area()), side = percent / 100.0;
  return pixels * side * side * working_bytes_per_pixel + (percent < 100 ? pixels * 4 : 0);
}

bool fits(Size2 size, int percent, double available) {
  const double side = percent / 100.0;
  return static_cast<double>(size.area()) * side * side <= static_cast<double>(max_pixels) &&
         bytes_needed(size, percent) <= available;
}

int largest_percent_below(Size2 size, int percent, double available) {
  for (const int smaller : {50, 25})
    if (smaller < percent && fits(size, smaller, available)) return smaller;
  return 0;
}

Result<void> check_size(const std::string& name, Size2 size, int percent) {
  const auto available = static_cast<double>(free_memory());
  if (fits(size, percent, available)) return {};
  const int smaller = largest_percent_below(size, percent, available);
  const std::string advice = smaller > 0 ? fmt::format("Load at {} %?", smaller) : "Scale it down first";
  const double need = bytes_needed(size, percent);
  if (need > available)
    return failure(fmt::format("{}: {}x{} needs {:.1f} GB, {:.1f} GB free. {}", name, size.width, size.height,
                               need / 1e9, available / 1e9, advice));
  return failure(fmt::format("{}: {}x{} is {} Mpx, more than {}. {}", name, size.width, size.height,
                             size.area() / 1'000'000, max_pixels / 1'000'000, advice));
}

// As stb_image reads it from the head of the file. It has the rows of a BMP that is stored from its top as a negative
// number.
std::optional<Size2> size_in_head(const std::string& file, int& channels) {
  Size2 size;
  if (!stbi_info(file.c_str(), &size.width, &size.height, &channels)) return std::nullopt;
  size.height =
      size.height == std::numeric_limits<int>::min() ? std::numeric_limits<int>::max() : std::abs(size.height);
  return size;
}

// stb refuses a PNG of more than 2^30 samples and then takes it for another format: say what it is.
std::optional<Size2> size_of_png(const fs::path& path) {
  unsigned char head[24] = {};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(head), sizeof(head));
  if (std::memcmp(head, "\x89PNG\r\n\x1a\n", 8) != 0) return std::nullopt;
  const auto number = [&](int at) { return head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3]; };
  return Size2{number(16), number(20)};
}

// How a camera says it was held; 1 is upright, also where it says nothing.
int orientation_of(const std::string& file) {
  const std::unique_ptr<ExifData, decltype(&exif_data_unref)> data(exif_data_new_from_file(file.c_str()),
                                                                   exif_data_unref);
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

Result<Picture> load_picture(const fs::path& path, int percent) {
  const std::string name = name_of(path), file = path.string();
  std::error_code error;
  if (!fs::exists(path, error)) return failure(fmt::format("{}: no such file", file));
  if (fs::is_directory(path, error)) return failure(fmt::format("{}: is a folder, not an image", file));
  if (!std::ifstream(path)) return failure(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  if (ending_of(path) == ".npy")
    return load_npy(path).map([&](Picture picture) { return scaled(std::move(picture), percent); });

  int width = 0, height = 0, channels = 0;
  const auto in_head = size_in_head(file, channels);
  if (!in_head) {
    if (const auto size = size_of_png(path); size && size->area() > 1 << 28)
      return failure(
          fmt::format("{}: {}x{} is more than stb_image decodes of a PNG (2^30 samples). Scale it down first", name,
                      size->width, size->height));
    return failure(fmt::format("{}: not an image stb_image can read ({})", name, stbi_failure_reason()));
  }
  const Size2 size = *in_head;
  if (auto checked = check_size(name, size, percent); !checked) return tl::unexpected(checked.error());
  if (const auto bytes = fs::file_size(path, error); size.area() > most_pixels_per_byte * static_cast<long long>(bytes))
    return failure(fmt::format("{}: the file is damaged or cut off ({} bytes for {}x{} pixels)", name, bytes,
                               size.width, size.height));
  const int wanted = channels == 2 ? 4 : channels;  // grey with alpha becomes RGBA

  Picture picture{.size = size, .channels = wanted, .name = name};
  std::unique_ptr<void, FreeStb> data;
  if (stbi_is_hdr(file.c_str())) {
    data.reset(stbi_loadf(file.c_str(), &width, &height, &channels, wanted));
    picture.is_float = true;
    picture.note = "HDR, linear floats";
  } else if (stbi_is_16_bit(file.c_str())) {
    data.reset(stbi_load_16(file.c_str(), &width, &height, &channels, wanted));
    picture.is_float = true;
    picture.note = "16 bits kept as floats";
  } else {
    data.reset(stbi_load(file.c_str(), &width, &height, &channels, wanted));
    if (channels % 2 == 0) picture.note = "alpha carried, not filtered";
  }
  if (!data) return failure(fmt::format("{}: the file is damaged or cut off ({})", name, stbi_failure_reason()));
  if (!picture.is_float) {
    const auto* levels = static_cast<unsigned char*>(data.get());
    picture.levels.assign(levels, levels + picture.samples());
  } else if (stbi_is_hdr(file.c_str())) {
    const auto* values = static_cast<float*>(data.get());
    picture.values.assign(values, values + picture.samples());
  } else {
    const auto* levels = static_cast<unsigned short*>(data.get());
    for (std::size_t i = 0; i < picture.samples(); ++i) picture.values.push_back(levels[i] / 65535.0f);
  }
  return scaled(upright(std::move(picture), orientation_of(file)), percent);
}

int percent_that_fits(const fs::path& path) {
  int channels = 0;
  const auto size = size_in_head(path.string(), channels);
  const auto available = static_cast<double>(free_memory());
  return !size || fits(*size, 100, available) ? 0 : largest_percent_below(*size, 100, available);
}

Result<void> save_picture(const Picture& picture, const fs::path& path) {
  const std::string ending = ending_of(path);
  const auto [width, height] = picture.size;
  const int channels = picture.channels;
  std::string bytes;
  const auto append = [](void* to, void* data, int size) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<std::size_t>(size));
  };
  const auto levels = [&] {
    std::vector<unsigned char> converted = picture.levels;
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
  } else if (ending == ".png") {
    stbi_write_png_to_func(append, &bytes, width, height, channels, levels().data(), width * channels);
  } else if (ending == ".jpg" || ending == ".jpeg") {
    stbi_write_jpg_to_func(append, &bytes, width, height, channels, levels().data(), 95);
  } else if (ending == ".bmp") {
    stbi_write_bmp_to_func(append, &bytes, width, height, channels, levels().data());
  } else if (ending == ".tga") {
    stbi_write_tga_to_func(append, &bytes, width, height, channels, levels().data());
  } else if (ending == ".hdr") {
    stbi_write_hdr_to_func(append, &bytes, width, height, channels, floats().data());
  } else {
    return failure(fmt::format("{}: unknown ending; use .png, .jpg, .bmp, .tga, .hdr or .npy", path.string()));
  }
  if (bytes.empty())
    return failure(fmt::format("{}: {}x{} cannot be written as {}", path.string(), width, height, ending));

  return write_file(path, bytes);
}
