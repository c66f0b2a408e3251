#include "app/jobs/folder_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

namespace conv {

namespace fs = std::filesystem;

// More do not help to find a file.
static constexpr std::size_t most_entries = 10'000;

FolderListing read_folder(const FolderQuestion& question, const std::stop_token& stop) {
  FolderListing listing{.question = question};
  std::error_code error;
  fs::directory_iterator at(question.folder, error);
  for (; !error && at != fs::directory_iterator() && !stop.stop_requested(); at.increment(error)) {
    if (listing.entries.size() == most_entries) {
      listing.note = fmt::format("Only {} of its files are listed. Type the name of another one.", most_entries);
      break;
    }
    const std::string name = at->path().filename().string();
    std::error_code unknown;  // a link that leads nowhere is neither
    if (name.starts_with('.')) continue;
    if (at->is_directory(unknown))
      listing.entries.push_back({.name = name, .is_folder = true});
    else if (at->is_regular_file(unknown))
      listing.entries.push_back({.name = name, .bytes = static_cast<long long>(at->file_size(unknown))});
  }
  if (error) listing.note = fmt::format("This folder cannot be read: {}.", error.message());
  std::sort(listing.entries.begin(), listing.entries.end(), [](const FolderEntry& a, const FolderEntry& b) {
    return std::tuple(!a.is_folder, a.name) < std::tuple(!b.is_folder, b.name);
  });
  return listing;
}

}  // namespace conv
