// A picture as it was opened or will be saved, and its conversion to and from the kernels' formats. The file formats
// are in image_file.cpp and npy.cpp.
#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/sources/picture_size.h"
#include "kernels/core/error.h"
#include "kernels/core/file.h"
#include "kernels/core/image.h"

namespace conv {

// How a file stores floats, and how a result made from them is saved if the format can: 16-bit levels 0..65535 (1 is
// full scale), 16-bit floats, or 32-bit floats.
enum class FloatStorage { f32, f16, u16 };

// Packed rows, interleaved channels: 1 (grey), 3 (RGB) or 4 (RGBA). Levels 0..255, or floats where 1 is full scale.
struct Picture {
  Size2 size;
  int channels = 3;
  bool is_float = false;
  std::vector<unsigned char> levels;  // if not is_float
  std::optional<YuvFormat> yuv;       // frames that are not converted to RGBA yet: `levels` has the bytes of yuv_rows
  std::vector<float> values;          // if is_float
  FloatStorage storage = FloatStorage::f32;  // if is_float
  float largest = 0;                         // if is_float and read from a file: magnitude of its values; 0: unknown
  std::string name;                          // file name or the name of a test image
  std::string note;                          // what a user should know about how it was read; may be empty

  std::size_t samples() const { return static_cast<std::size_t>(size.area()) * channels; }
};

// One-channel types get the luma of a colour picture: 0.2126 R + 0.7152 G + 0.0722 B (Rec. 709), of the values as they
// are.
HostImage to_format(const Picture& picture, PixelType type);
// The matrix of Recommendation ITU-R BT.709 or BT.601. full: levels use 0 to 255; otherwise luma uses 16 to 235 and
// colour 16 to 240.
YuvMatrix yuv_matrix(bool high_definition, bool full);
// The result with as many channels as its source, but not more than its type has. storage: of the source; an 8-bit
// result has none.
Picture to_picture(const HostImage& image, int source_channels, FloatStorage storage = FloatStorage::f32);

// The scales at which a file can be opened, in percent of each side. Smaller ones average squares of pixels, larger
// ones repeat pixels.
inline constexpr int scale_percents[] = {25, 50, 100, 200, 400};
// Red, green and blue levels; a grey picture has three equal ones.
std::array<unsigned char, 3> levels_at(const Picture& picture, Point2 at);

// ".png" of "a/B.PNG".
std::string ending_of(const std::filesystem::path& path);
// PNG, JPEG, BMP, TGA, HDR, PNM and the first picture of a GIF are recognised by content, .npy by name. percent: one of
// scale_percents. A picture that is too large is refused; the error offers the scale at which it would fit.
Result<Picture> load_picture(const std::filesystem::path& path, int percent = 100);
// The same from the bytes of a file, whose first bytes say what it is. name: for messages and for Picture::name.
Result<Picture> decode_picture(const std::string& name, const std::string& bytes, int percent = 100);
// The scale that this error offers, from the file's header: 50 or 25, or 0 if there is none.
int percent_that_fits(const std::filesystem::path& path);
Picture scaled(Picture picture, int percent);
// Rotated and mirrored by EXIF orientation 1 to 8, so that its top is up.
Picture upright(Picture picture, int orientation);
// The same for pixels, into memory of sufficient size.
void turn_upright(const Rgba8* from, Size2 size, int orientation, Rgba8* upright);
constexpr Size2 upright_size(Size2 size, int orientation) {
  return orientation >= 5 ? Size2{size.height, size.width} : size;
}
// Called now and then with the share that is done, 0 to 1. False: stop, with an error.
using OnProgress = std::function<bool(float)>;
// The ending selects the format: .png .jpg .jpeg .bmp .tga .hdr .npy. Written completely or not at all. PNG has 16 bits
// if the picture's storage is u16, otherwise 8.
Result<void> save_picture(const Picture& picture, const std::filesystem::path& path, const OnProgress& progress = {},
                          Existing existing = Existing::replace);
// The bytes of such a file. The error does not name the file.
Result<std::string> encode_picture(const Picture& picture, const std::string& ending, const OnProgress& progress = {});

// NumPy arrays, HxW or HxWxC with C 1, 3 or 4, either byte order, C or Fortran order. uint8, uint16, float16 and
// float32 are kept; float64, int32 and bool become float32, which `note` says.
Result<Picture> load_npy(const std::filesystem::path& path);
bool is_npy(std::string_view bytes);
Result<Picture> decode_npy(const std::string& name, std::string bytes);
std::string npy_bytes(const Picture& picture);
// The values as levels 0..65535, rounded to the nearest and clipped; NaN becomes 0.
std::vector<unsigned short> levels_16(const Picture& picture);

}  // namespace conv
