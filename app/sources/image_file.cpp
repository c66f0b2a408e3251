#include <fmt/format.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "app/sources/picture.h"

namespace fs = std::filesystem;

namespace {

std::string name_of(const fs::path& path) {
  return path.filename().string();
}

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

// Bytes of physical memory that are free or can be made free.
long long free_memory() {
  std::ifstream in("/proc/meminfo");
  std::string line;
  while (std::getline(in, line))
    if (line.starts_with("MemAvailable:")) return std::atoll(line.c_str() + 13) * 1024;
  return static_cast<long long>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

// Decoded, as floats and as source and result of a lane, a picture takes about this much.
constexpr int working_bytes_per_pixel = 48;

Result<void> check_size(const std::string& name, int width, int height) {
  const long long pixels = static_cast<long long>(width) * height;
  if (pixels > max_pixels)
    return failure(fmt::format("{}: {}x{} is {} Mpx; the largest picture opened is {} Mpx. Scale it down first", name,
                               width, height, pixels / 1'000'000, max_pixels / 1'000'000));
  const double need = static_cast<double>(pixels) * working_bytes_per_pixel,
               available = static_cast<double>(free_memory());
  if (need > available)
    return failure(fmt::format("{}: {}x{} needs {:.1f} GB, {:.1f} GB free. Scale it down first", name, width, height,
                               need / 1e9, available / 1e9));
  return {};
}

struct FreeStb {
  void operator()(void* data) const { stbi_image_free(data); }
};

}  // namespace

Result<Picture> load_picture(const fs::path& path) {
  const std::string name = name_of(path), file = path.string();
  std::error_code error;
  if (!fs::exists(path, error)) return failure(fmt::format("{}: no such file", file));
  if (fs::is_directory(path, error)) return failure(fmt::format("{}: is a folder, not an image", file));
  if (!std::ifstream(path)) return failure(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  if (ending_of(path) == ".npy") return load_npy(path);

  int width = 0, height = 0, channels = 0;
  if (!stbi_info(file.c_str(), &width, &height, &channels))
    return failure(fmt::format("{}: not an image stb_image can read ({})", name, stbi_failure_reason()));
  if (auto fits = check_size(name, width, height); !fits) return tl::unexpected(fits.error());
  const int wanted = channels == 2 ? 4 : channels;  // grey with alpha becomes RGBA

  Picture picture{.size = {width, height}, .channels = wanted, .name = name};
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
  return picture;
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

  const fs::path part = path.string() + fmt::format(".{}.part", getpid());
  std::ofstream out(part, std::ios::binary);
  out << bytes;
  out.close();
  std::error_code error;
  if (!out) error = std::error_code(errno, std::generic_category());
  if (!error) fs::rename(part, path, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(part, ignored);
  return failure(fmt::format("{}: cannot be written: {}", path.string(), error.message()));
}
