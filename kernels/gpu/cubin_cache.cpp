#include "kernels/gpu/cubin_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

// An entry: this line; then symbol, constant and code, each as a line with its length and its bytes; then the hash of
// all that.
constexpr std::string_view magic = "convoscope kernel 1\n";

CubinCache::CubinCache(fs::path folder, std::uintmax_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}

fs::path CubinCache::default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return fs::path(cache) / "convoscope" / "kernels";
  if (const char* home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "convoscope" / "kernels";
  return {};
}

std::string CubinCache::key_of(const KernelTexts& texts, const CompileJob& job) {
  return hash_of(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", nvrtc_version(), texts.hash, job.file, job.instance,
                             job.constant_symbol, job.options, job.architecture));
}

std::optional<CompiledKernel> CubinCache::get(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const Result<std::string> content = read_file(entry(key));
  if (!content) return std::nullopt;
  const std::string& all = *content;
  constexpr std::size_t hash_length = 32;
  const auto parsed = [&]() -> std::optional<CompiledKernel> {
    if (!all.starts_with(magic) || all.size() < magic.size() + hash_length) return std::nullopt;
    const std::string body = all.substr(0, all.size() - hash_length);
    if (hash_of(body) != all.substr(body.size())) return std::nullopt;
    std::istringstream fields(body.substr(magic.size()));
    CompiledKernel kernel;
    for (std::string* field : {&kernel.symbol, &kernel.constant, &kernel.code}) {
      std::size_t size = 0;
      fields >> size;
      fields.get();
      field->resize(size);
      fields.read(field->data(), static_cast<std::streamsize>(size));
    }
    return kernel;
  }();
  std::error_code ignored;
  if (!parsed)
    fs::remove(entry(key), ignored);
  else
    fs::last_write_time(entry(key), fs::file_time_type::clock::now(), ignored);
  return parsed;
}

void CubinCache::put(const std::string& key, const CompiledKernel& kernel) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  std::string body(magic);
  for (const std::string* field : {&kernel.symbol, &kernel.constant, &kernel.code})
    body += fmt::format("{}\n{}", field->size(), *field);
  static_cast<void>(write_file(entry(key), body + hash_of(body)));  // a full disk costs time, nothing else
  drop_oldest();
}

void CubinCache::drop_oldest() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::uintmax_t bytes;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    std::error_code gone;  // another process may have deleted it
    const std::uintmax_t bytes = file.file_size(gone);
    const fs::file_time_type used = file.last_write_time(gone);
    if (gone) continue;
    entries.push_back({file.path(), used, bytes});
    total += bytes;
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& oldest : entries) {
    if (total <= max_bytes_) break;
    fs::remove(oldest.path, error);
    total -= oldest.bytes;
  }
}

}  // namespace conv
