#include "app/sources/sample_pictures.h"

#include <algorithm>
#include <cctype>

namespace conv {

namespace fs = std::filesystem;

fs::path shared_folder() {
  std::error_code error;
  const fs::path installed =
      fs::read_symlink("/proc/self/exe", error).parent_path().parent_path() / "share" / "convoscope";
  return fs::exists(installed, error) ? installed : fs::path(CONV_SOURCE_DIR);
}

fs::path samples_folder() {
  return shared_folder() / "assets";
}

std::vector<Sample> find_samples() {
  std::vector<Sample> samples;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(samples_folder(), error))
    if (file.path().extension() == ".png") {
      std::string title = file.path().stem().string();
      std::replace(title.begin(), title.end(), '_', ' ');
      title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
      samples.push_back({std::move(title), file.path().string()});
    }
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.title < b.title; });
  return samples;
}

}  // namespace conv
