#include "kernels/gpu/kernel_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/core/embedded_file.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

std::string hash_of(std::string_view text) {
  const auto fnv1a = [&](std::uint64_t h) {
    for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return h;
  };
  return fmt::format("{:016x}{:016x}", fnv1a(0xcbf29ce484222325ull), fnv1a(0x9ae16a3b2f90404full));
}

fs::path KernelSources::default_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path(), tree = CONV_SOURCE_DIR;
  std::vector<fs::path> folders{program, program.parent_path() / "share" / "convoscope"};
  // An installed program must not run the kernels of a folder that somebody else can create.
  if (!tree.empty() && program.string().starts_with(tree.string() + "/")) folders.push_back(tree);
  for (const fs::path& folder : folders)
    if (fs::exists(folder / "kernels" / "variants", error)) return folder;
  return {};
}

// The arguments of kernels: the program fills them as it was built.
static bool is_part_of_program(std::string_view file) {
  return file == "kernels/api/conv_args.h" || file == "kernels/api/yuv.h";
}

bool is_edited(const KernelTexts& texts, const std::string& file) {
  return std::ranges::any_of(embedded_kernels(), [&](const EmbeddedFile& built_in) {
    const auto text = texts.files.find(std::string(built_in.path));
    return (built_in.path == file || built_in.path.ends_with(".h")) &&
           (text == texts.files.end() || text->second != built_in.text);
  });
}

std::shared_ptr<const KernelTexts> texts_with(std::map<std::string, std::string> files) {
  auto texts = std::make_shared<KernelTexts>();
  std::string all;
  for (const auto& [path, text] : files) all += fmt::format("{}\n{}\n", path, text);
  texts->files = std::move(files);
  texts->hash = hash_of(all);
  return texts;
}

KernelSources::KernelSources(fs::path folder) : folder_(std::move(folder)) {
  read();
  if (!embedded_) seen_ = newest_change();
}

void KernelSources::read() {
  std::map<std::string, std::string> files;
  embedded_ = folder_.empty();
  edited_.clear();
  refused_.clear();
  for (const EmbeddedFile& file : embedded_kernels()) {
    std::string text(file.text);
    std::optional<std::string> other;
    if (const auto used = used_.find(file.path); used != used_.end()) {
      other = used->second;
    } else if (!folder_.empty()) {
      if (Result<std::string> on_disk = read_file(folder_ / file.path)) other = std::move(*on_disk);
    }
    if (other && *other != text) {
      if (is_part_of_program(file.path)) {
        refused_ = fmt::format("{} was edited, but the program is built with it. Build the program again to use it.",
                               file.path);
      } else {
        text = std::move(*other);
        edited_.emplace(file.path.starts_with("kernels/api/") ? "kernels/api" : file.path);
      }
    }
    files.emplace(file.path, std::move(text));
  }
  texts_ = texts_with(std::move(files));
}

fs::file_time_type KernelSources::newest_change() const {
  fs::file_time_type newest = fs::file_time_type::min();
  for (const EmbeddedFile& file : embedded_kernels()) {
    std::error_code error;
    const auto time = fs::last_write_time(folder_ / file.path, error);
    if (!error) newest = std::max(newest, time);
  }
  return newest;
}

bool KernelSources::use(const std::string& file, std::optional<std::string> text) {
  const std::string before = texts_->hash;
  used_.erase(file);
  read();
  const auto on_disk = texts_->files.find(file);
  if (text && on_disk != texts_->files.end() && on_disk->second != *text) {
    used_[file] = std::move(*text);
    read();
  }
  return texts_->hash != before;
}

bool KernelSources::poll() {
  const auto now = std::chrono::steady_clock::now();
  if (embedded_ || now - looked_ < std::chrono::milliseconds(500)) return false;
  looked_ = now;
  const auto newest = newest_change();
  if (newest == seen_) return false;
  seen_ = newest;
  const std::string before = texts_->hash + refused_;
  read();
  return texts_->hash + refused_ != before;
}

std::string KernelSources::edited(std::string_view file) const {
  for (const std::string_view part : {file, std::string_view("kernels/api")})
    if (edited_.contains(part)) return std::string(part);
  return {};
}

}  // namespace conv
