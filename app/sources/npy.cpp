#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <regex>

#include "app/sources/picture.h"
#include "kernels/core/file.h"

// Format description: numpy.lib.format. Magic, version, header length, a Python dictionary as text, the data.
constexpr std::size_t longest_header = 4096;
constexpr std::string_view magic("\x93NUMPY", 6);

Result<Picture> load_npy(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string bytes = read_file(path).value_or("");
  if (!bytes.starts_with(magic) || bytes.size() < 12) return failure(fmt::format("{}: not a NumPy array", name));
  const bool version_1 = bytes[6] == 1;
  const std::size_t start = version_1 ? 10 : 12;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t length = byte(8) | byte(9) << 8 | (version_1 ? 0 : byte(10) << 16 | byte(11) << 24);
  // A header is some hundred bytes; looking for words in one of megabytes would take the stack.
  if (length > longest_header) return failure(fmt::format("{}: its header is {} bytes long", name, length));
  if (start + length > bytes.size()) return failure(fmt::format("{}: the file is cut off in its header", name));
  const std::string header = bytes.substr(start, length);

  std::smatch type, order, shape;
  if (!std::regex_search(header, type, std::regex("'descr': *'([^']*)'")) ||
      !std::regex_search(header, order, std::regex("'fortran_order': *(True|False)")) ||
      !std::regex_search(header, shape, std::regex(R"('shape': *\((\d+), *(\d+)(?:, *(\d+))?,?\))")))
    return failure(fmt::format("{}: needs an array of shape HxW or HxWxC", name));
  const bool is_float = type.str(1) == "<f4";
  if (!is_float && type.str(1) != "|u1")
    return failure(fmt::format("{}: holds {}; save it as float32 or uint8", name, type.str(1)));
  if (order.str(1) == "True")
    return failure(fmt::format("{}: is in Fortran order; save numpy.ascontiguousarray(it)", name));
  Picture picture{.is_float = is_float, .name = name};
  try {
    picture.size = {std::stoi(shape.str(2)), std::stoi(shape.str(1))};
    picture.channels = shape[3].matched ? std::stoi(shape.str(3)) : 1;
  } catch (const std::out_of_range&) {
    return failure(fmt::format("{}: too large", name));
  }
  if (picture.size.area() < 1 || picture.size.area() > max_pixels ||
      (picture.channels != 1 && picture.channels != 3 && picture.channels != 4))
    return failure(fmt::format("{}: shape {}x{}x{} is no picture; needs 1 pixel to {} Mpx and 1, 3 or 4 channels", name,
                               shape.str(1), shape.str(2), picture.channels, max_pixels / 1'000'000));
  const std::size_t data = start + length, size = picture.samples() * (is_float ? 4 : 1);
  if (bytes.size() < data + size) return failure(fmt::format("{}: the file is cut off", name));
  if (is_float) {
    picture.values.resize(picture.samples());
    std::memcpy(picture.values.data(), bytes.data() + data, size);
  } else {
    picture.levels.assign(bytes.begin() + data, bytes.begin() + data + size);
  }
  return picture;
}

std::string npy_bytes(const Picture& picture) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}{}), }}",
                                   picture.is_float ? "<f4" : "|u1", picture.size.height, picture.size.width,
                                   picture.channels == 1 ? "" : fmt::format(", {}", picture.channels));
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  if (picture.is_float)
    bytes.append(reinterpret_cast<const char*>(picture.values.data()), picture.values.size() * sizeof(float));
  else
    bytes.append(reinterpret_cast<const char*>(picture.levels.data()), picture.levels.size());
  return bytes;
}
