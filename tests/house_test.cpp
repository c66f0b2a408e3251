// The structure of the code: include direction, one word per idea, no leftovers.
#include <algorithm>
#include <regex>
#include <set>

#include "support.h"

namespace conv {

namespace {

namespace fs = std::filesystem;

struct SourceFile {
  std::string path;  // relative to the source folder
  std::string text;
};

std::vector<SourceFile> source_files() {
  std::vector<SourceFile> files;
  for (const char* room : {"kernels", "app", "tests", "assets"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(CONV_SOURCE_DIR) / room)) {
      const std::string ending = entry.path().extension();
      if (ending == ".cpp" || ending == ".h" || ending == ".cu")
        files.push_back({fs::relative(entry.path(), CONV_SOURCE_DIR), *read_file(entry.path())});
    }
  return files;
}

struct Rule {
  const char *room, *forbidden, *why;
};

TEST(House, IncludesPointOneWay) {
  const Rule rules[] = {
      {"kernels/", R"("app/)", "kernels know no application"},
      {"kernels/", R"(<(GL|GLFW|glad)/|imgui)", "no window or GL below this line"},
      {"kernels/api/", R"(#include <)", "NVRTC reads these: no standard header"},
      {"kernels/core/", R"("kernels/(cpu|gpu|variants)/|cuda_runtime)", "core needs no processor"},
      {"kernels/cpu/", R"("kernels/(gpu|variants)/)", "the CPU executor knows plans, not variants"},
      {"kernels/gpu/", R"("kernels/(cpu|variants)/)", "the GPU executor knows plans, not variants"},
      {"app/ui/", R"(cuda|"kernels/(gpu|cpu)/|"app/(display|jobs|pipeline|shell|sources/picture)|glad)",
       "panels see settings and status"},
      {"app/sources/", R"("app/(cli|display|pipeline|shell|ui)/|imgui)", "sources make pictures"},
      {"app/model/", R"("app/(cli|display|jobs|pipeline|shell|ui)/|imgui|glad)", "the model knows nobody who uses it"},
      {"app/pipeline/", R"("app/(cli|shell|ui)/|imgui)", "the pipeline knows no window"},
  };
  const std::regex include(R"(#include [<"][^>"]*[>"])");
  for (const SourceFile& file : source_files())
    for (const Rule& rule : rules) {
      if (!file.path.starts_with(rule.room)) continue;
      for (std::sregex_iterator at(file.text.begin(), file.text.end(), include), end; at != end; ++at)
        EXPECT_FALSE(std::regex_search(at->str(), std::regex(rule.forbidden)))
            << file.path << " has " << at->str() << ": " << rule.why;
    }
}

TEST(House, HostCodeIsInOurNamespace) {
  for (const SourceFile& file : source_files()) {
    const bool read_by_kernels = file.path.starts_with("kernels/api/") || file.path == "kernels/cpu/twins.h";
    if (read_by_kernels || file.path.ends_with(".cu") || file.path.starts_with("assets/")) continue;
    EXPECT_TRUE(std::regex_search(file.text, std::regex(R"(\nnamespace conv(_cpu)? \{)")) ||
                file.text.find("using namespace conv;") != std::string::npos)
        << file.path;
  }
}

TEST(House, KernelsReachMemoryThroughViews) {
  const std::regex raw(R"(\.data\b|reinterpret_cast|dim3)");
  for (const SourceFile& file : source_files()) {
    if (!file.path.starts_with("kernels/variants/") || !file.path.ends_with(".cu")) continue;
    EXPECT_FALSE(std::regex_search(file.text, raw)) << file.path;
  }
}

// Files are found by their room.
TEST(House, EveryFileHasARoom) {
  const std::set<std::string> loose = {"CMakeLists.txt", "README.md", "main.cpp", "run"};
  for (const auto& entry : fs::directory_iterator(fs::path(CONV_SOURCE_DIR) / "app"))
    EXPECT_TRUE(entry.is_directory() || loose.contains(entry.path().filename())) << entry.path();
}

// A shell would read what a file's name says, and a name in a shared folder can be somebody's link.
TEST(House, StartsNoShellAndGuessesNoTemporaryName) {
  const std::regex forbidden(R"(\b(std::system|popen|tmpnam|tempnam|mktemp)\()");
  for (const SourceFile& file : source_files())
    EXPECT_FALSE(!file.path.starts_with("tests/") && std::regex_search(file.text, forbidden)) << file.path;
}

// dlopen looks for a name without a folder wherever LD_LIBRARY_PATH says.
TEST(House, LibrariesAreLoadedInFewPlaces) {
  const std::set<std::string> checked{
      "kernels/core/library_loader.cpp",  // NVRTC, cuFFT, NPP, NVML, FFmpeg
      "kernels/gpu/nvrtc_compile.cpp",    // a library beside NVRTC, by its path
      "app/live/kernel_twin.cpp",         // a kernel that the program has just compiled
      "app/platform/window.cpp",          // one that is loaded already
  };
  const std::regex loads(R"(\bdlm?open\()");
  for (const SourceFile& file : source_files())
    EXPECT_TRUE(file.path.starts_with("tests/") || !std::regex_search(file.text, loads) || checked.contains(file.path))
        << file.path;
}

TEST(House, NothingIsLeftToDo) {
  const std::regex leftover(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X)\\b");
  for (const SourceFile& file : source_files()) EXPECT_FALSE(std::regex_search(file.text, leftover)) << file.path;
}

}  // namespace

}  // namespace conv
