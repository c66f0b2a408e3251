#include "app/sources/picture.h"

#include "support.h"

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
  write_file(folder / "photo.xyz", "this is no image at all");
  EXPECT_EQ(load_error(folder / "photo.xyz"), "photo.xyz: not an image stb_image can read (unknown image type)");
  EXPECT_NE(load_error(folder / "missing.png").find("no such file"), std::string::npos);
  EXPECT_NE(load_error(folder / "").find("is a folder"), std::string::npos);

  ASSERT_TRUE(save_picture(sample_picture(3, false), folder / "whole.png"));
  const std::string whole = read_file(folder / "whole.png");
  write_file(folder / "cut.png", whole.substr(0, whole.size() / 2));
  EXPECT_NE(load_error(folder / "cut.png").find("damaged or cut off"), std::string::npos)
      << load_error(folder / "cut.png");

  std::string huge = whole;  // the size stands at bytes 16 to 23 of a PNG
  huge.replace(16, 8, std::string("\0\0\x46\x50\0\0\x46\x50", 8));
  write_file(folder / "huge.png", huge);
  EXPECT_EQ(load_error(folder / "huge.png"),
            "huge.png: 18000x18000 is 324 Mpx; the largest picture opened is 268 Mpx. Scale it down first");

  write_file(folder / "a.npy", "no array");
  EXPECT_EQ(load_error(folder / "a.npy"), "a.npy: not a NumPy array");
  ASSERT_TRUE(save_picture(sample_picture(3, true), folder / "b.npy"));
  const std::string array = read_file(folder / "b.npy");
  write_file(folder / "c.npy", array.substr(0, array.size() - 1));
  EXPECT_EQ(load_error(folder / "c.npy"), "c.npy: the file is cut off");
  std::string doubles = array;
  doubles.replace(doubles.find("<f4"), 3, "<f8");
  write_file(folder / "d.npy", doubles);
  EXPECT_EQ(load_error(folder / "d.npy"), "d.npy: holds <f8; save it as float32 or uint8");
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
