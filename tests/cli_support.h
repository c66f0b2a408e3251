// The program as its users call it, without a display.
#pragma once
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include "app/sources/pattern.h"
#include "support.h"

namespace conv {

struct Outcome {
  int status;
  std::string out, err;
};

// from: the folder in which it is started; none: the test's own
inline Outcome convoscope(const std::string& arguments, const std::filesystem::path& from = ".") {
  const TemporaryFolder folder;
  const std::string command = "cd '" + from.string() + "' && env -u DISPLAY -u WAYLAND_DISPLAY " CONV_PROGRAM " " +
                              arguments + " >" + (folder / "out").string() + " 2>" + (folder / "err").string();
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), *read_file(folder / "out"), *read_file(folder / "err")};
}

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    Picture picture{.size = {31, 17}, .channels = 3, .is_float = true};
    const HostImage noise = noise_image({31, 17}, PixelType::rgba32f);
    picture.values = to_picture(noise, 3).values;
    ASSERT_TRUE(save_picture(picture, folder_ / "in.npy"));
  }
  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  // A library that says "mine" when it is loaded.
  void make_library(std::string_view name) const {
    ASSERT_TRUE(write_file(folder_ / "own.c",
                           "#include <stdio.h>\n__attribute__((constructor)) void loaded(void) { puts(\"mine\"); }"));
    ASSERT_EQ(std::system(fmt::format("cc -shared -fPIC -o {} {}", path(name), path("own.c")).c_str()), 0);
  }
  static constexpr const char* blur = " --device cpu --variant cpu_separable --radius 3";
  TemporaryFolder folder_;
};

class CliBatch : public Cli {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "frames");
    for (int i = 1; i <= 5; ++i)
      ASSERT_TRUE(save_picture(make_pattern(PatternKind::noise, {20 + i, 13}, static_cast<std::uint32_t>(i)),
                               folder_ / fmt::format("frames/f{}.png", i)));
    ASSERT_TRUE(write_file(folder_ / "frames/f6.png", "no picture"));
  }
};

}  // namespace conv
