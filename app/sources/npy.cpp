#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

#include "app/sources/bundle.h"
#include "app/sources/picture.h"
#include "kernels/core/file.h"

namespace conv {

// Format: numpy.lib.format. Magic, version, header length, a Python dictionary as text, the data.
namespace {

constexpr std::size_t longest_header = 4096;
constexpr std::string_view magic("\x93NUMPY", 6);

enum class Kind { u8, u16, f16, f32, f64, i32, boolean };
struct KindInfo {
  Kind kind;
  std::string_view code, name;
  std::size_t bytes;
  FloatStorage storage;
  bool converted;  // to float32
};
constexpr KindInfo kinds[] = {{Kind::u8, "u1", "uint8", 1, FloatStorage::f32, false},
                              {Kind::u16, "u2", "uint16", 2, FloatStorage::u16, false},
                              {Kind::f16, "f2", "float16", 2, FloatStorage::f16, false},
                              {Kind::f32, "f4", "float32", 4, FloatStorage::f32, false},
                              {Kind::f64, "f8", "float64", 8, FloatStorage::f32, true},
                              {Kind::i32, "i4", "int32", 4, FloatStorage::f32, true},
                              {Kind::boolean, "b1", "bool", 1, FloatStorage::f32, true}};

// The value after a key of the header; empty if the key is missing.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  header.remove_prefix(std::min(header.find_first_not_of(" :"), header.size()));
  return header;
}

// "(480, 640, 3)": two or three numbers; grey arrays have one channel.
std::optional<std::array<long long, 3>> shape_of(std::string_view text) {
  std::array<long long, 3> sides{0, 0, 1};
  std::size_t count = 0;
  if (!text.starts_with('(')) return std::nullopt;
  text.remove_prefix(1);
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with(')')) break;
    if (count == sides.size()) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), sides[count]);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    ++count;
  }
  return count >= 2 ? std::optional(sides) : std::nullopt;
}

template <class Number>
Number number_at(const char* bytes, bool big_endian) {
  char own[sizeof(Number)];
  std::memcpy(own, bytes, sizeof own);
  if (big_endian) std::reverse(own, own + sizeof own);
  return std::bit_cast<Number>(own);
}

float float_at(const char* bytes, Kind kind, bool big_endian) {
  switch (kind) {
    case Kind::u8: break;  // is not converted to float
    case Kind::u16: return number_at<std::uint16_t>(bytes, big_endian) / 65535.0f;
    case Kind::f16: return to_float(number_at<Half>(bytes, big_endian));
    case Kind::f32: return number_at<float>(bytes, big_endian);
    case Kind::f64: return static_cast<float>(number_at<double>(bytes, big_endian));
    case Kind::i32: return static_cast<float>(number_at<std::int32_t>(bytes, big_endian));
    case Kind::boolean: return *bytes != 0 ? 1.0f : 0.0f;
  }
  return 0;
}

// The position of each sample of the file: in Fortran order the first index, the row, changes fastest.
class Places {
 public:
  Places(Size2 size, int channels, bool fortran) : size_(size), channels_(channels), fortran_(fortran) {}
  std::size_t next() {
    if (!fortran_) return count_++;
    const auto rows = static_cast<std::size_t>(size_.height), columns = static_cast<std::size_t>(size_.width);
    const std::size_t y = count_ % rows, x = count_ / rows % columns, c = count_ / (rows * columns);
    ++count_;
    return (y * columns + x) * static_cast<std::size_t>(channels_) + c;
  }

 private:
  Size2 size_;
  int channels_;
  bool fortran_;
  std::size_t count_ = 0;
};

template <class Use>
bool each_sample(std::istream& in, std::size_t count, std::size_t bytes, Use use) {
  std::vector<char> part(std::min(count * bytes, std::size_t{1} << 20) / bytes * bytes);
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(count - done, part.size() / bytes);
    if (!in.read(part.data(), static_cast<std::streamsize>(now * bytes))) return false;
    for (std::size_t i = 0; i < now; ++i) use(part.data() + i * bytes);
    done += now;
  }
  return true;
}

struct NpyHeader {
  std::string text;    // the Python dictionary
  std::uintmax_t end;  // the byte at which the samples begin
};

Result<NpyHeader> read_header(std::istream& in, const std::string& name) {
  char head[12] = {};
  if (!in.read(head, sizeof head) || !std::string_view(head, sizeof head).starts_with(magic))
    return failure(fmt::format("{}: not a NumPy array", name));
  const bool version_1 = head[6] == 1;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(head[i])); };
  const std::size_t start = version_1 ? 10 : 12,
                    length = byte(8) | byte(9) << 8 | (version_1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > longest_header) return failure(fmt::format("{}: its header is too long ({} bytes)", name, length));
  NpyHeader header{std::string(length, '\0'), start + length};
  in.seekg(static_cast<std::streamoff>(start));
  if (!in.read(header.text.data(), static_cast<std::streamsize>(length)))
    return failure(fmt::format("{}: the file is cut off in its header", name));
  return header;
}

struct NpyArray {
  const KindInfo& kind;
  bool big_endian, fortran;
  Picture picture;  // its samples are still missing
};

Result<NpyArray> array_of(std::string_view header, const std::string& name) {
  const std::string_view type = value_of(header, "'descr'"), order = value_of(header, "'fortran_order'");
  const auto shape = shape_of(value_of(header, "'shape'"));
  if (!type.starts_with('\'') || !shape || !(order.starts_with("True") || order.starts_with("False")))
    return failure(fmt::format("{}: needs an array of shape HxW or HxWxC", name));
  const std::string_view code = type.substr(1, type.find('\'', 1) - 1);
  const auto* kind = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const KindInfo& row) { return code.size() == 3 && code.substr(1) == row.code; });
  if (kind == std::end(kinds) || std::string_view("<>|=").find(code[0]) == std::string_view::npos)
    return failure(fmt::format("{}: has samples of type {}; save it as float32, float16, uint8 or uint16", name, code));
  const auto [height, width, channels] = *shape;
  const bool is_picture = width >= 1 && height >= 1 && width <= max_pixels && height <= max_pixels &&
                          width * height <= max_pixels && (channels == 1 || channels == 3 || channels == 4);
  if (!is_picture)
    return failure(fmt::format("{}: shape {}x{}x{} is not a picture; it needs 1 pixel to {} Mpx and 1, 3 or 4 channels",
                               name, height, width, channels, max_pixels / 1'000'000));
  Picture picture{.size = {static_cast<int>(width), static_cast<int>(height)},
                  .channels = static_cast<int>(channels),
                  .is_float = kind->kind != Kind::u8,
                  .storage = kind->storage,
                  .name = name};
  if (kind->converted) picture.note = fmt::format("{} converted to float32", kind->name);
  return NpyArray{*kind, code[0] == '>', order.starts_with("True"), std::move(picture)};
}

// False if the file ends before the last sample.
bool read_samples(std::istream& in, NpyArray& array) {
  Picture& picture = array.picture;
  Places places(picture.size, picture.channels, array.fortran);
  if (picture.is_float) {
    picture.values.resize(picture.samples());
    return each_sample(in, picture.samples(), array.kind.bytes, [&](const char* bytes) {
      picture.values[places.next()] = float_at(bytes, array.kind.kind, array.big_endian);
    });
  }
  picture.levels.resize(picture.samples());
  return each_sample(in, picture.samples(), 1,
                     [&](const char* bytes) { picture.levels[places.next()] = static_cast<unsigned char>(*bytes); });
}

}  // namespace

static Result<Picture> picture_in(std::istream& in, std::uintmax_t length, const std::string& name) {
  const NpyHeader header = CONV_TRY(read_header(in, name));
  NpyArray array = CONV_TRY(array_of(header.text, name));
  // Checked before memory for the samples is allocated.
  if (length < header.end + array.picture.samples() * array.kind.bytes)
    return failure(fmt::format("{}: the file is cut off", name));
  CONV_TRY(check_size(name, array.picture.size));
  if (!read_samples(in, array)) return failure(fmt::format("{}: the file is cut off", name));
  return std::move(array.picture);
}

Result<Picture> load_npy(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (!bundle_around(path).empty()) {
    std::istringstream in(CONV_TRY(read_any_file(path)));
    return picture_in(in, in.view().size(), name);
  }
  CONV_TRY(check_readable(path));  // its samples are converted while it is read: a file can be large
  std::error_code error;
  const std::uintmax_t length = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  return picture_in(in, error ? 0 : length, name);
}

bool is_npy(std::string_view bytes) {
  return bytes.starts_with(magic);
}

Result<Picture> decode_npy(const std::string& name, std::string bytes) {
  const std::uintmax_t length = bytes.size();
  std::istringstream in(std::move(bytes));
  return picture_in(in, length, name);
}

std::string npy_bytes(const Picture& picture) {
  const auto code = [&]() -> std::string_view {
    if (!picture.is_float) return "|u1";
    switch (picture.storage) {
      case FloatStorage::f32: return "<f4";
      case FloatStorage::f16: return "<f2";
      case FloatStorage::u16: return "<u2";
    }
    return {};
  };
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}{}), }}", code(), picture.size.height,
                  picture.size.width, picture.channels == 1 ? "" : fmt::format(", {}", picture.channels));
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes(magic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  const auto append = [&](const auto& samples) {
    bytes.append(reinterpret_cast<const char*>(samples.data()), samples.size() * sizeof(samples[0]));
  };
  if (!picture.is_float) {
    append(picture.levels);
  } else if (picture.storage == FloatStorage::f32) {
    append(picture.values);
  } else if (picture.storage == FloatStorage::u16) {
    append(levels_16(picture));
  } else {
    std::vector<Half> halves;
    halves.reserve(picture.values.size());
    for (const float value : picture.values) halves.push_back(narrowed<Half>(value));
    append(halves);
  }
  return bytes;
}

}  // namespace conv
