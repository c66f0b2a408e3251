#include "kernels/gpu/cuda_roots.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

namespace conv {

namespace fs = std::filesystem;

static std::vector<fs::path> folders_in(const fs::path& parent, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error))
    if (entry.path().filename().string().starts_with(beginning)) found.push_back(entry.path());
  std::sort(found.rbegin(), found.rend());
  return found;
}

static std::vector<fs::path> find_roots() {
  std::vector<fs::path> roots;
  const auto add = [&](const fs::path& root) {
    std::error_code error;
    if (root.is_absolute() && fs::is_directory(root, error)) roots.push_back(root);
  };
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* root = std::getenv(variable)) add(root);
  // SITE-PACKAGES/convoscope/bin/convoscope. Elsewhere anybody may own what is beside the program's folder.
  std::error_code error;
  const fs::path site = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path().parent_path();
  if (site.filename() == "site-packages" || site.filename() == "dist-packages")
    for (const fs::path& root : folders_in(site / "nvidia", "")) add(root);
  std::istringstream built_with(CONV_CUDA_ROOTS);
  for (std::string root; std::getline(built_with, root, ':');) add(root);
  add("/usr/local/cuda");
  for (const fs::path& root : folders_in("/usr/local", "cuda-")) add(root);
  add("/opt/cuda");
  return roots;
}

const std::vector<fs::path>& cuda_roots() {
  static const std::vector<fs::path> roots = find_roots();
  return roots;
}

}  // namespace conv
