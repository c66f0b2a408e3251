#include "app/sources/picture.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include "app/sources/pattern.h"
#include "app/sources/raster_font.h"
#include "kernels/ops/whole_images.h"
#include "support.h"

namespace conv {

namespace {

Picture sample_picture(int channels, bool is_float) {
  Picture picture{.size = {5, 3}, .channels = channels, .is_float = is_float};
  for (std::size_t i = 0; i < picture.samples(); ++i) {
    if (is_float)
      picture.values.push_back(static_cast<float>(i) * 0.37f - 1.0f);
    else
      picture.levels.push_back(static_cast<unsigned char>(i * 4 + 1));
  }
  return picture;
}

TEST(Pattern, OfTheSlidesIsWhatTheyPrint) {
  const Picture picture = make_pattern(PatternKind::slide, {1920, 1080});
  EXPECT_EQ(picture.size, (Size2{3, 3}));
  const int printed[] = {165, 95, 215, 222, 144, 199, 255, 172, 83};
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(picture.levels[3 * i], printed[i]);
}

// The first line begins with a C with dots of 12 px, below a margin of two of them; the last line's dots are pixels.
TEST(Pattern, TextIsMadeOfLettersOfManySizes) {
  const Picture page = make_pattern(PatternKind::text, {1000, 800});
  const auto is_dark = [&](int x, int y) { return page.levels[(static_cast<std::size_t>(y) * 1000 + x) * 3] < 128; };
  for (int row = 0; row < 7; ++row)
    for (int column = 0; column < 5; ++column) {
      EXPECT_EQ(is_dark(12 * column + 6, 12 * (row + 2) + 6), ink('C', column, row)) << row << column;
      EXPECT_EQ(is_dark(column, 350 + row + 2), ink('A', column, row)) << row << column;
    }
}

TEST(Picture, NpyKeepsEveryValue) {
  const TemporaryFolder folder;
  for (const int channels : {1, 3, 4})
    for (const bool is_float : {false, true}) {
      const Picture saved = sample_picture(channels, is_float);
      ASSERT_TRUE(save_picture(saved, folder / "a.npy"));
      const auto loaded = load_picture(folder / "a.npy");
      ASSERT_TRUE(loaded) << loaded.error().text;
      EXPECT_EQ(loaded->size, saved.size);
      EXPECT_EQ(loaded->channels, channels);
      EXPECT_EQ(loaded->levels, saved.levels);
      EXPECT_EQ(loaded->values, saved.values);
    }
}

// Written by hand, in NumPy's format.
TEST(Picture, NpyOfEveryKindIsRead) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& type, const std::string& order, const std::string& shape,
                        const std::string& data) {
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type, order, shape);
    header.resize(117, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00\x76\x00", 10);
    EXPECT_TRUE(write_file(folder / "a.npy", bytes + header + data));
    Result<Picture> picture = load_picture(folder / "a.npy");
    EXPECT_TRUE(picture) << picture.error().text;
    return picture.value_or(Picture{});
  };
  const auto bytes_of = [](auto... numbers) {
    std::string bytes;
    (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
    return bytes;
  };
  using Values = std::vector<float>;
  const Picture doubles = read("<f8", "False", "(1, 2)", bytes_of(0.25, 1e300));
  EXPECT_EQ(doubles.values, (Values{0.25f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(doubles.note, "float64 converted to float32");
  EXPECT_EQ(read(">f8", "False", "(1, 1)", std::string("\x3f\xd0\0\0\0\0\0\0", 8)).values, Values{0.25f});
  EXPECT_EQ(read("<i4", "False", "(1, 2)", bytes_of(-3, 70000)).values, (Values{-3, 70000}));
  EXPECT_EQ(read("|b1", "False", "(1, 3)", std::string("\1\0\1", 3)).values, (Values{1, 0, 1}));
  const Picture shorts = read(">u2", "False", "(2, 1)", std::string("\xff\xff\x80\x00", 4));
  EXPECT_EQ(shorts.values, (Values{1, 32768 / 65535.0f}));
  EXPECT_EQ(shorts.storage, FloatStorage::u16);
  const Picture halves = read("<f2", "False", "(1, 1)", std::string("\x00\x38", 2));
  EXPECT_EQ(halves.values, Values{0.5f});
  EXPECT_EQ(halves.storage, FloatStorage::f16);
  EXPECT_EQ(npy_bytes(halves).substr(npy_bytes(halves).size() - 2), std::string("\x00\x38", 2));
  EXPECT_EQ(read("<f4", "True", "(2, 3)", bytes_of(1.f, 4.f, 2.f, 5.f, 3.f, 6.f)).values, (Values{1, 2, 3, 4, 5, 6}));
  const Picture colours = read("|u1", "True", "(1, 2, 3)", std::string("\1\4\2\5\3\6", 6));
  EXPECT_EQ(colours.levels, (std::vector<unsigned char>{1, 2, 3, 4, 5, 6}));
}

// Two sizes in one file, as in a file that changes while it is read: stb_image decodes with the second one.
TEST(Picture, IsDecodedFromOneReading) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {512, 512}), folder / "large.png"));
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {64, 64}), folder / "small.png"));
  const std::string small = *read_file(folder / "small.png"), large = *read_file(folder / "large.png");
  const std::string path = (folder / "a.png").string();
  std::atomic<bool> ended = false;
  std::jthread writer([&] {
    while (!ended)
      for (const std::string& bytes : {small, large}) static_cast<void>(write_file(path, bytes));
  });
  ASSERT_TRUE(write_file(path, small));
  for (int i = 0; i < 200; ++i) {
    const Result<Picture> picture = load_picture(path);
    ASSERT_TRUE(picture) << picture.error().text;
    ASSERT_EQ(picture->levels.size(), picture->samples());
  }
  ended = true;
}

TEST(Picture, SixteenBitsStaySixteenInPng) {
  const TemporaryFolder folder;
  for (const int channels : {1, 3, 4}) {
    Picture saved{.size = {300, 7}, .channels = channels, .is_float = true, .storage = FloatStorage::u16};
    for (std::size_t i = 0; i < saved.samples(); ++i)
      saved.values.push_back(static_cast<float>(i * 31 % 65536) / 65535.0f);
    ASSERT_TRUE(save_picture(saved, folder / "a.png"));
    const Result<Picture> read = load_picture(folder / "a.png");
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_EQ(levels_16(*read), levels_16(saved)) << channels;
    EXPECT_EQ(read->storage, FloatStorage::u16);
  }
}

TEST(Picture, NotANumberBecomesBlack) {
  EXPECT_EQ(to_level(std::nanf("")), 0);
  const Picture picture{.size = {1, 1}, .channels = 1, .is_float = true, .values = {std::nanf("")}};
  EXPECT_EQ(levels_16(picture), std::vector<unsigned short>{0});
  EXPECT_EQ(to_format(picture, PixelType::gray8).pixels<unsigned char>()[0], 0);
}

TEST(Picture, LosslessFilesKeepEveryLevel) {
  const TemporaryFolder folder;
  for (const char* name : {"a.png", "a.bmp", "a.tga"})
    for (const int channels : {3, 4}) {
      const Picture saved = sample_picture(channels, false);
      ASSERT_TRUE(save_picture(saved, folder / name));
      const auto loaded = load_picture(folder / name);
      ASSERT_TRUE(loaded) << loaded.error().text;
      EXPECT_EQ(loaded->levels, saved.levels) << name << " " << channels;
    }
}

TEST(Picture, OfMoreThanAMillionColumnsIsSaved) {
  const TemporaryFolder folder;
  const Picture saved{.size = {1'000'001, 1}, .channels = 1, .levels = std::vector<unsigned char>(1'000'001, 7)};
  const Result<void> written = save_picture(saved, folder / "a.png");
  ASSERT_TRUE(written) << written.error().text;
  const auto loaded = load_picture(folder / "a.png");
  ASSERT_TRUE(loaded) << loaded.error().text;
  EXPECT_EQ(loaded->size, saved.size);
}

TEST(Picture, TooWideForItsFormatIsRefused) {
  for (const Size2 size : {Size2{65536, 1}, Size2{1, 65536}}) {
    const Picture picture{.size = size, .channels = 3, .levels = std::vector<unsigned char>(3 * 65536, 7)};
    for (const char* ending : {".tga", ".jpg", ".jpeg"}) {
      const Result<std::string> bytes = encode_picture(picture, ending);
      ASSERT_FALSE(bytes) << ending;
      EXPECT_THAT(bytes.error().text, testing::HasSubstr("at most 65535 pixels a side"));
    }
    for (const char* ending : {".png", ".bmp", ".hdr", ".npy"}) EXPECT_TRUE(encode_picture(picture, ending)) << ending;
  }
}

TEST(Picture, HdrKeepsFloats) {
  const TemporaryFolder folder;
  Picture saved{.size = {2, 1}, .channels = 3, .is_float = true, .values = {0.5f, 1.0f, 4.0f, 0.25f, 2.0f, 8.0f}};
  ASSERT_TRUE(save_picture(saved, folder / "a.hdr"));
  const auto loaded = load_picture(folder / "a.hdr");
  ASSERT_TRUE(loaded && loaded->is_float);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(loaded->values[i], saved.values[i], 0.04 * saved.values[i] + 0.02);
}

TEST(Picture, FormatsAndBack) {
  const Picture colour = sample_picture(3, false);
  const HostImage luma = to_format(colour, PixelType::f32);
  EXPECT_NEAR(luma.pixels<float>()[0], (0.2126 * 1 + 0.7152 * 5 + 0.0722 * 9) / 255, 1e-7);
  for (const PixelType type : {PixelType::rgba8, PixelType::rgba32f})
    for (const int channels : {1, 3, 4}) {
      const Picture picture = sample_picture(channels, false);
      const Picture back = to_picture(to_format(picture, type), channels);
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(to_format(back, PixelType::rgba8).bytes, to_format(picture, PixelType::rgba8).bytes);
    }
}

std::string load_error(const std::filesystem::path& path) {
  const auto picture = load_picture(path);
  return picture ? "loaded" : picture.error().text;
}

TEST(Picture, BadFilesAreToldInWords) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "photo.xyz", "this is no image at all"));
  EXPECT_EQ(load_error(folder / "photo.xyz"), "photo.xyz: not a PNG, JPEG, BMP, TGA, HDR or NPY that can be read");
  const int large = open((folder / "large.npy").c_str(), O_CREAT | O_WRONLY, 0600);
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (40000, 30000), }\n";
  ASSERT_GT(
      write(large,
            ("\x93NUMPY\x01" + std::string(1, '\0') + static_cast<char>(header.size()) + std::string(1, '\0') + header)
                .data(),
            10 + header.size()),
      0);
  ASSERT_EQ(ftruncate(large, 5'000'000'000), 0);
  close(large);
  EXPECT_THAT(load_error(folder / "large.npy"), testing::HasSubstr("it needs 1 pixel to 268 Mpx"));
  EXPECT_NE(load_error(folder / "missing.png").find("no such file"), std::string::npos);
  EXPECT_NE(load_error(folder / "").find("is a folder"), std::string::npos);

  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {64, 64}), folder / "whole.png"));
  const std::string whole = *read_file(folder / "whole.png");
  ASSERT_TRUE(write_file(folder / "cut.png", whole.substr(0, whole.size() / 2)));
  EXPECT_NE(load_error(folder / "cut.png").find("damaged or cut off"), std::string::npos)
      << load_error(folder / "cut.png");

  std::string huge = whole;  // bytes 16 to 23 of a PNG are its size
  huge.replace(16, 8, std::string("\0\0\x46\x50\0\0\x46\x50", 8));
  ASSERT_TRUE(write_file(folder / "huge.png", huge));
  // Which of the two limits applies depends on the machine's memory.
  EXPECT_THAT(load_error(folder / "huge.png"),
              testing::MatchesRegex("huge.png: 18000x18000 (is 324 Mpx, more than 268|needs 14.5 GiB, .*iB free)\\. "
                                    "(Load at (50|25) %\\?|Scale it down first)"));
  const int percent = percent_that_fits(folder / "huge.png");
  EXPECT_EQ(load_error(folder / "huge.png").find(std::to_string(percent) + " %") != std::string::npos, percent > 0);
  EXPECT_EQ(percent_that_fits(folder / "whole.png"), 0);
  huge.replace(16, 8, std::string("\0\0\x7f\xff\0\0\x7f\xff", 8));
  ASSERT_TRUE(write_file(folder / "huger.png", huge));
  EXPECT_EQ(load_error(folder / "huger.png"),
            "huger.png: 32767x32767 is too large for a PNG (at most 2^30 samples). Scale it down first");

  ASSERT_TRUE(write_file(folder / "a.npy", "no array"));
  EXPECT_EQ(load_error(folder / "a.npy"), "a.npy: not a NumPy array");
  ASSERT_TRUE(save_picture(sample_picture(3, true), folder / "b.npy"));
  const std::string array = *read_file(folder / "b.npy");
  ASSERT_TRUE(write_file(folder / "c.npy", array.substr(0, array.size() - 1)));
  EXPECT_EQ(load_error(folder / "c.npy"), "c.npy: the file is cut off");
  std::string doubles = array;
  doubles.replace(doubles.find("<f4"), 3, "<f8");
  ASSERT_TRUE(write_file(folder / "d.npy", doubles));
  EXPECT_EQ(load_error(folder / "d.npy"), "d.npy: the file is cut off");
  doubles.replace(doubles.find("<f8"), 3, "<c8");
  ASSERT_TRUE(write_file(folder / "e.npy", doubles));
  EXPECT_EQ(load_error(folder / "e.npy"),
            "e.npy: has samples of type <c8; save it as float32, float16, uint8 or uint16");
}

// Found by fuzzing: a few bytes that claim a hundred million pixels keep the decoder busy for seconds.
TEST(Picture, AFileTooSmallForItsPixelsIsNotDecoded) {
  const TemporaryFolder folder;
  std::string bytes(166, '\0');
  const unsigned char head[] = {0x42, 0x4d, 0x3a, 0x02, 0,    0,    0,    0,    0, 0, 0x8a, 0,    0, 0,    0x7c,
                                0,    0,    0,    0x10, 0x00, 0xd6, 0x00, 0x09, 0, 0, 0,    0x01, 0, 0x18, 0};
  std::copy(std::begin(head), std::end(head), bytes.begin());
  ASSERT_TRUE(write_file(folder / "small.bmp", bytes));
  EXPECT_EQ(load_error(folder / "small.bmp"),
            "small.bmp: the file is damaged or cut off (166 bytes for 14024720x9 pixels)");
}

// Without an end, stb_image would show zeros, or what was in memory before.
TEST(Picture, ThatIsCutOffIsRefused) {
  const TemporaryFolder folder;
  for (const char* ending : {".png", ".jpg", ".bmp", ".tga", ".hdr"}) {
    const std::filesystem::path file = folder / (std::string("a") + ending);
    ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {61, 47}), file));
    const std::string whole = *read_file(file);
    EXPECT_TRUE(load_picture(file)) << ending;
    for (const std::size_t length : {whole.size() / 2, whole.size() - 20}) {
      ASSERT_TRUE(write_file(file, whole.substr(0, length)));
      EXPECT_THAT(load_error(file), testing::HasSubstr("the file is damaged or cut off")) << ending << length;
    }
  }
  const std::string head("\0\0\2\0\0\0\0\0\0\0\0\0\x40\0\x40\0\x18\0", 18);
  EXPECT_EQ(decode_picture("a.tga", head).error().text, "a.tga: the file is damaged or cut off");
  std::string raw = head + std::string(64 * 64 * 3, 'x');  // without compression
  EXPECT_TRUE(decode_picture("a.tga", raw));
  raw.pop_back();
  EXPECT_FALSE(decode_picture("a.tga", raw));
  EXPECT_TRUE(decode_picture("a.pgm", "P5 1 1 255\n\x7f")) << "a whole picture of 12 bytes";
}

TEST(Picture, HasAtLeastOnePixel) {
  EXPECT_EQ(decode_picture("z.hdr", std::string("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 0 +X 0\n\0\0\0\0", 49))
                .error()
                .text,
            "z.hdr: the file is damaged (it says that it has 0x0 pixels)");
  const TemporaryFolder folder;
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {19, 7}), folder / "a.bmp"));
  std::string bytes = *read_file(folder / "a.bmp");
  // Found by fuzzing: with this number of rows stb_image computes -INT_MIN.
  bytes.replace(18, 8, std::string("\0\0\0\0\0\0\0\x80", 8));
  EXPECT_THAT(decode_picture("a.bmp", bytes).error().text, testing::HasSubstr("0x2147483647 pixels"));
}

// CVE-2023-43898 is in the decoder of Softimage PIC, which is left out.
TEST(Picture, OfAFormatThatIsNotPromisedIsRefused) {
  std::string pic("\x53\x80\xf6\x34", 4);
  pic.resize(88, '\0');
  pic += std::string("PICT\0\x10\0\x10\0\0\0\0\0\0\0\0\0\0", 18);
  EXPECT_THAT(decode_picture("a.pic", pic).error().text, testing::HasSubstr("not a PNG, JPEG"));
  EXPECT_THAT(decode_picture("a.psd", "8BPS" + pic).error().text, testing::HasSubstr("not a PNG, JPEG"));
}

// Found by fuzzing: a BMP stored from the top has a negative number of rows.
TEST(Picture, ABmpMayBeStoredFromItsTop) {
  const TemporaryFolder folder;
  const Picture picture{
      .size = {3, 2}, .channels = 3, .levels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}};
  ASSERT_TRUE(save_picture(picture, folder / "up.bmp"));
  std::ifstream in(folder / "up.bmp", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::int32_t rows[] = {-2, -16'777'216, std::numeric_limits<std::int32_t>::min()};
  const auto stored_from_top = [&](int count) {
    std::memcpy(bytes.data() + 22, &rows[count], 4);
    return bytes;
  };
  constexpr std::size_t pixels = 54, row = 12;
  std::swap_ranges(bytes.begin() + pixels, bytes.begin() + pixels + row, bytes.begin() + pixels + row);
  ASSERT_TRUE(write_file(folder / "down.bmp", stored_from_top(0)));
  const Result<Picture> down = load_picture(folder / "down.bmp");
  ASSERT_TRUE(down) << down.error().text;
  EXPECT_EQ(down->size, picture.size);
  EXPECT_EQ(down->levels, picture.levels);
  ASSERT_TRUE(write_file(folder / "tall.bmp", stored_from_top(1)));
  EXPECT_EQ(load_error(folder / "tall.bmp"),
            "tall.bmp: the file is damaged or cut off (78 bytes for 3x16777216 pixels)");
  ASSERT_TRUE(write_file(folder / "tallest.bmp", stored_from_top(2)));
  EXPECT_NE(load_error(folder / "tallest.bmp").find("3x2147483647"), std::string::npos);
}

// Found by fuzzing: stb_image 2.27 reads far out of bounds. Run with AddressSanitizer to see it.
TEST(Picture, ADamagedJpegIsNoReasonToCrash) {
  static_cast<void>(load_picture(CONV_SOURCE_DIR "/tests/seeds/damaged_huffman.jpg"));
}

TEST(Picture, AnArrayWithAHeaderOfMegabytesIsRefused) {
  const TemporaryFolder folder;
  const std::string header(100'000, ' ');
  ASSERT_TRUE(write_file(folder / "long.npy", std::string("\x93NUMPY\x02\x00\xa0\x86\x01\x00", 12) + header));
  EXPECT_EQ(load_error(folder / "long.npy"), "long.npy: its header is too long (100000 bytes)");
}

// The letter F in the eight orientations.
TEST(Picture, IsTurnedUpright) {
  const auto grey = [](Size2 size, std::vector<unsigned char> levels) {
    return Picture{.size = size, .channels = 1, .levels = std::move(levels)};
  };
  const std::vector<unsigned char> f{1, 1, 1, 0, 1, 0};  // 2x3: a bar, with a dot to its right at the top
  const std::pair<Size2, std::vector<unsigned char>> stored[] = {
      {{2, 3}, {1, 1, 1, 0, 1, 0}}, {{2, 3}, {1, 1, 0, 1, 0, 1}}, {{2, 3}, {0, 1, 0, 1, 1, 1}},
      {{2, 3}, {1, 0, 1, 0, 1, 1}}, {{3, 2}, {1, 1, 1, 1, 0, 0}}, {{3, 2}, {1, 0, 0, 1, 1, 1}},
      {{3, 2}, {0, 0, 1, 1, 1, 1}}, {{3, 2}, {1, 1, 1, 0, 0, 1}}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const auto& [size, levels] = stored[orientation - 1];
    const Picture picture = upright(grey(size, levels), orientation);
    EXPECT_EQ(picture.size, (Size2{2, 3})) << orientation;
    EXPECT_EQ(picture.levels, f) << orientation;
    EXPECT_EQ(picture.note.empty(), orientation == 1);
  }
}

// A JPEG with 36 bytes of EXIF for the camera's orientation.
TEST(Picture, JpegsSayHowTheCameraWasHeld) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_picture(make_pattern(PatternKind::gradient, {32, 16}), folder / "plain.jpg"));
  std::string bytes = *read_file(folder / "plain.jpg");
  using namespace std::string_literals;
  const std::string exif = "\xff\xe1\0\x22"s + "Exif\0\0"s + "MM\0\x2a\0\0\0\x08"s + "\0\x01"s +
                           "\x01\x12\0\x03\0\0\0\x01\0\x06\0\0"s + "\0\0\0\0"s;
  bytes.insert(2, exif);
  ASSERT_TRUE(write_file(folder / "turned.jpg", bytes));
  const Picture plain = *load_picture(folder / "plain.jpg"), turned = *load_picture(folder / "turned.jpg");
  EXPECT_EQ(turned.size, (Size2{16, 32}));
  EXPECT_EQ(turned.levels, upright(plain, 6).levels);
  EXPECT_EQ(turned.note, "rotated upright");
}

// Three conversions from levels to a lane's type: a file without alpha, a frame on the host, a frame by a kernel.
TEST(Picture, FramesBecomeWhatFilesBecome) {
  const Picture file = make_pattern(PatternKind::noise, {37, 19});
  Picture frame{.size = file.size, .channels = 4};
  for (std::size_t i = 0; i < file.levels.size(); ++i) {
    frame.levels.push_back(file.levels[i]);
    if (i % 3 == 2) frame.levels.push_back(255);
  }
  const HostImage levels = to_format(frame, PixelType::rgba8);
  for (const PixelTypeInfo& type : pixel_types) {
    const HostImage expected = to_format(file, type.type);
    EXPECT_EQ(to_format(frame, type.type).bytes, expected.bytes) << type.id;
    HostImage made(type.type, file.size);
    ASSERT_TRUE(CpuExecutor(1).run(frame_plan(type.type, file.size), levels, made)) << type.id;
    EXPECT_EQ(made.bytes, expected.bytes) << type.id;
  }
}

// The bytes of each layout, one address at a time, by the tables of pixel formats.
struct YuvAddresses {
  std::size_t luma, u, v;
};
YuvAddresses addresses(YuvOrder order, Size2 size, int x, int y) {
  const auto at = [&](int row, int column) {
    return static_cast<std::size_t>(row) * yuv_rows(order, size).width + column;
  };
  const int pair = x / 2, pairs = (size.width + 1) / 2, below = size.height;
  switch (order) {
    case YuvOrder::planes_420: return {at(y, x), at(below + y / 2, pair), at(below + y / 2, pairs + pair)};
    case YuvOrder::pairs_420: return {at(y, x), at(below + y / 2, 2 * pair), at(below + y / 2, 2 * pair + 1)};
    case YuvOrder::planes_422: return {at(y, x), at(below + y, pair), at(below + y, pairs + pair)};
    case YuvOrder::woven_422: return {at(y, 2 * x), at(y, 4 * pair + 1), at(y, 4 * pair + 3)};
  }
  return {};
}

// The formulas of BT.601 and BT.709 in double, with colour sampled midway between its rows.
TEST(Picture, OfYuvHasItsColoursOnEveryWay) {
  std::mt19937 random(5);
  int exact = 0, all = 0;
  for (const YuvOrder order : {YuvOrder::planes_420, YuvOrder::pairs_420, YuvOrder::planes_422, YuvOrder::woven_422})
    for (const Size2 size : {Size2{37, 19}, Size2{64, 20}, Size2{1, 1}, Size2{3, 5}, Size2{1, 7}, Size2{640, 3}})
      for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
        const bool high = kind % 2 != 0, full = kind / 2 % 2 != 0, mirrored = kind >= 4;
        Picture picture{.size = size, .channels = 4, .yuv = YuvFormat{order, yuv_matrix(high, full), mirrored}};
        picture.levels.resize(static_cast<std::size_t>(yuv_rows(order, size).area()));
        for (unsigned char& level : picture.levels) level = static_cast<unsigned char>(random());
        const HostImage made = to_format(picture, PixelType::rgba8);
        const auto* pixels = made.pixels<Rgba8>();
        const double red = high ? 0.2126 : 0.299, blue = high ? 0.0722 : 0.114, green = 1 - red - blue;
        for (int y = 0; y < size.height; ++y)
          for (int x = 0; x < size.width; ++x) {
            const int from = mirrored ? size.width - 1 - x : x;
            const bool shared = order == YuvOrder::planes_420 || order == YuvOrder::pairs_420;
            const int other = std::clamp(y % 2 == 0 ? y - 1 : y + 1, 0, size.height - 1);
            const YuvAddresses here = addresses(order, size, from, y), there = addresses(order, size, from, other);
            const double near = shared ? 0.75 : 1;
            const auto difference = [&](std::size_t YuvAddresses::*which) {
              return (near * picture.levels[here.*which] + (1 - near) * picture.levels[there.*which] - 128) *
                     (full ? 1 : 255.0 / 224);
            };
            const double luma = (picture.levels[here.luma] - (full ? 0 : 16)) * (full ? 1 : 255.0 / 219);
            const double u = difference(&YuvAddresses::u), v = difference(&YuvAddresses::v);
            const double r = luma + 2 * (1 - red) * v, b = luma + 2 * (1 - blue) * u;
            const double g = (luma - red * r - blue * b) / green;  // luma is the weighted sum of all three
            const Rgba8 p = pixels[static_cast<std::size_t>(y) * size.width + x];
            const double right[] = {r, g, b};
            const int levels[] = {p.r, p.g, p.b};
            for (int c = 0; c < 3; ++c) {
              const double expected = std::floor(std::clamp(right[c], 0.0, 255.0) + 0.5);
              ASSERT_NEAR(levels[c], expected, 1) << "order " << static_cast<int>(order) << " kind " << kind << " at "
                                                  << x << "," << y << " of " << size.width << "x" << size.height;
              ++all;
              if (levels[c] == expected) ++exact;
            }
            ASSERT_EQ(p.a, 255);
            ASSERT_EQ(levels_at(picture, {x, y}), (std::array<unsigned char, 3>{p.r, p.g, p.b}));
          }
        HostImage rows(PixelType::gray8, yuv_rows(order, size)), by_kernel(PixelType::rgba8, size);
        std::memcpy(rows.bytes.data(), picture.levels.data(), picture.levels.size());
        ASSERT_TRUE(CpuExecutor(1).run(yuv_plan(*picture.yuv, size), rows, by_kernel));
        EXPECT_EQ(by_kernel.bytes, made.bytes) << "order " << static_cast<int>(order);
        const Picture frame = to_picture(made, 4);
        for (const PixelType type : {PixelType::f32, PixelType::rgb8_soa, PixelType::rgba16f})
          EXPECT_EQ(to_format(picture, type).bytes, to_format(frame, type).bytes);
      }
  EXPECT_GT(exact, 0.97 * all);  // the others are sums halfway between two levels
}

TEST(Picture, IsScaledByAveragingAndByRepeating) {
  const Picture picture{.size = {3, 2}, .channels = 1, .levels = {0, 10, 20, 30, 40, 51}};
  const Picture half = scaled(picture, 50), twice = scaled(picture, 200);
  EXPECT_EQ(half.size, (Size2{1, 1}));
  EXPECT_EQ(half.levels, std::vector<unsigned char>{20});
  EXPECT_EQ(twice.size, (Size2{6, 4}));
  EXPECT_EQ(twice.levels[2 * 6 + 4], 51);
  EXPECT_EQ(scaled(picture, 25).size, (Size2{1, 1}));
  EXPECT_NE(half.note.find("scaled to 50 %"), std::string::npos);
}

TEST(Picture, IsSavedWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const Picture picture = sample_picture(3, false);
  EXPECT_NE(save_picture(picture, folder / "no/such/folder/a.png").error().text.find("cannot be written"),
            std::string::npos);
  EXPECT_NE(save_picture(picture, folder / "a.webp").error().text.find("unknown ending"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder / ""));
}

}  // namespace

}  // namespace conv
