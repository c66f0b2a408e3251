#include "app/sources/bundle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <span>

#include "app/sources/picture.h"
#include "kernels/core/units.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

struct CloseZip {
  void operator()(zip_t* zip) const { zip_discard(zip); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, CloseZip>;

// A path that leads into a bundle: the archive, and the name of the file in it.
struct Place {
  fs::path bundle;
  std::string name;
};
std::optional<Place> place_of(const fs::path& path) {
  std::error_code error;
  for (fs::path parent = path.parent_path(); parent.has_filename(); parent = parent.parent_path())
    if (is_bundle(parent) && fs::is_regular_file(parent, error))
      return Place{parent, path.lexically_relative(parent).generic_string()};
  return std::nullopt;
}

// Joined to the path of the bundle, it stays below it.
bool is_plain(std::string_view name) {
  const auto is_odd = [](unsigned char c) { return c < ' ' || c == 0x7f || c == '\\'; };
  const fs::path path(name);
  return !name.empty() && name.size() <= 255 && std::ranges::none_of(name, is_odd) && path.is_relative() &&
         path.lexically_normal() == path && *path.begin() != ".." && *path.begin() != ".";
}

// "a.md, b.md, c.md and 2 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::span shown(names.data(), std::min(names.size(), most));
  return names.size() <= most ? fmt::format("{}", fmt::join(names, ", "))
                              : fmt::format("{} and {} more", fmt::join(shown, ", "), names.size() - most);
}

// libzip allocates memory for as many files as the end of the archive states, before it looks for them. There may be
// several such ends in the bytes that it searches; none of them may state too many.
Result<void> check_end(const fs::path& bundle) {
  constexpr std::size_t searched = 0xffff + 22;  // the longest comment, behind the end record
  constexpr std::string_view end_record = "PK\5\6", large_locator = "PK\6\7";
  std::ifstream in(bundle, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(in.tellg(), 0));
  std::string tail(std::min(size, searched), '\0');
  in.seekg(static_cast<std::streamoff>(size - tail.size()));
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  const auto byte = [&](std::size_t at) { return at < tail.size() ? static_cast<unsigned char>(tail[at]) : 0U; };
  bool has_end = false, is_large = false;
  for (std::size_t at = tail.find(end_record); at != std::string::npos; at = tail.find(end_record, at + 1)) {
    has_end = true;
    is_large |= byte(at + 10) + 256 * byte(at + 11) > max_files_in_bundle;
  }
  if (!in || !has_end) return failure(fmt::format("{}: not a ZIP archive, or damaged", bundle.string()));
  if (is_large) return failure(fmt::format("{}: a bundle has at most {} files", bundle.string(), max_files_in_bundle));
  if (tail.find(large_locator) != std::string::npos)
    return failure(fmt::format("{}: is in the ZIP64 form, for large archives. Pack it again with another program",
                               bundle.string()));
  return {};
}

Result<Archive> open_bundle(const fs::path& bundle) {
  CONV_TRY(check_readable(bundle));
  CONV_TRY(check_end(bundle));
  int code = 0;
  Archive archive(zip_open(bundle.c_str(), ZIP_RDONLY, &code));
  if (archive) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  return failure(fmt::format("{}: cannot be read: {}", bundle.string(), why));
}

Result<std::string> read_in_bundle(const Place& place, std::size_t limit) {
  const auto refuse = [&](std::string_view why) {
    return failure(fmt::format("{}: {} {}", place.bundle.string(), place.name, why));
  };
  if (!is_plain(place.name)) return refuse("is not in it");
  const Archive archive = CONV_TRY(open_bundle(place.bundle));
  zip_stat_t about;
  if (zip_stat(archive.get(), place.name.c_str(), 0, &about) != 0) return refuse("is not in it");
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_INDEX | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((about.valid & needed) != needed) return refuse("has no size");
  if (about.encryption_method != ZIP_EM_NONE) return refuse("is encrypted. Pack it again without a password");
  if (about.comp_method != ZIP_CM_STORE && about.comp_method != ZIP_CM_DEFLATE)
    return refuse("is packed in a way that is not read. Pack it again with deflate, the usual one");
  limit = std::min(limit, max_bytes_in_bundle);
  if (about.size > limit)
    return refuse(fmt::format("is too large: {}, at most {}", bytes_text(static_cast<double>(about.size)),
                              bytes_text(static_cast<double>(limit))));
  const std::unique_ptr<zip_file_t, CloseZip> file(zip_fopen_index(archive.get(), about.index, 0));
  if (!file) return refuse(zip_strerror(archive.get()));
  std::string bytes(about.size, '\0');
  // At the end it compares the checksum.
  char beyond = 0;
  if (zip_fread(file.get(), bytes.data(), bytes.size()) != static_cast<zip_int64_t>(bytes.size()) ||
      zip_fread(file.get(), &beyond, 1) != 0)
    return refuse("is damaged");
  return bytes;
}

}  // namespace

bool is_bundle(const fs::path& path) {
  return ending_of(path) == ".zip";
}

Result<std::vector<std::string>> list_bundle(const fs::path& bundle) {
  const Archive archive = CONV_TRY(open_bundle(bundle));
  std::vector<std::string> names;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    const char* name = zip_get_name(archive.get(), static_cast<zip_uint64_t>(i), 0);
    if (name && !std::string_view(name).ends_with('/') && is_plain(name)) names.emplace_back(name);
  }
  return names;
}

Result<BundleContents> contents_of(const fs::path& bundle) {
  const std::vector<std::string> names = CONV_TRY(list_bundle(bundle));
  BundleContents contents;
  std::vector<std::string> documents;
  for (const std::string& name : names) {
    const std::string ending = ending_of(name);
    if (ending == ".md" || ending == ".json") documents.push_back(name);
    if (ending == ".cu") contents.kernels.push_back(name);
  }
  if (documents.size() > 1)
    return failure(fmt::format("{}: a bundle has one lesson (.md) or one session (.json); this one has {}",
                               bundle.string(), some_of(documents)));
  if (documents.empty() && contents.kernels.empty())
    return failure(fmt::format("{}: has no lesson (.md), no session (.json) and no kernel (.cu)", bundle.string()));
  if (!documents.empty()) contents.document = documents.front();
  return contents;
}

Result<fs::path> document_at(const fs::path& path, std::string_view ending, std::string_view what) {
  if (!is_bundle(path)) return path;
  const BundleContents contents = CONV_TRY(contents_of(path));
  if (ending_of(contents.document) == ending) return path / contents.document;
  return failure(fmt::format("{}: has no {} ({})", path.string(), what, ending));
}

fs::path bundle_around(const fs::path& path) {
  const auto place = place_of(path);
  return place ? place->bundle : fs::path();
}

Result<std::string> read_any_file(const fs::path& path, std::size_t limit) {
  const auto place = place_of(path);
  return place ? read_in_bundle(*place, limit) : read_file(path, limit);
}

bool any_file_exists(const fs::path& path) {
  const auto place = place_of(path);
  if (!place) return file_exists(path);
  const Result<std::vector<std::string>> names = list_bundle(place->bundle);
  return names && std::ranges::find(*names, place->name) != names->end();
}

std::string add_picture(BundledFiles& files, const fs::path& picture) {
  const auto added = std::ranges::find(files, picture, &BundledFile::from);
  if (added != files.end()) return added->name;
  // A name with wildcards would be taken for many files.
  std::string stem = picture.stem().string();
  std::ranges::replace_if(
      stem, [](char c) { return std::string_view("*?[]%\\").find(c) != std::string_view::npos; }, '_');
  std::string name = stem + picture.extension().string();
  for (int i = 2; std::ranges::find(files, name, &BundledFile::name) != files.end(); ++i)
    name = fmt::format("{}-{}{}", stem, i, picture.extension().string());
  files.push_back({.name = name, .bytes = {}, .from = picture});
  return name;
}

// Pictures are packed as they are: most formats are compressed already. The files have no times, so that equal files
// give an equal archive.
static Result<std::string> packed(const BundledFiles& files) {
  constexpr std::time_t no_time = 315'619'200;  // 1980, before which the format knows no times
  zip_error_t error;
  zip_error_init(&error);
  const auto refuse = [](std::string_view why) { return failure(fmt::format("the bundle cannot be made: {}", why)); };
  const std::unique_ptr<zip_source_t, CloseZip> target(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!target) return refuse(zip_error_strerror(&error));
  zip_source_keep(target.get());  // the archive releases it, too
  Archive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, &error));
  if (!archive) return refuse(zip_error_strerror(&error));
  for (const BundledFile& file : files) {
    zip_source_t* source = zip_source_buffer(archive.get(), file.bytes.data(), file.bytes.size(), 0);
    const zip_int64_t index = source ? zip_file_add(archive.get(), file.name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (source && index < 0) zip_source_free(source);
    if (index < 0) return refuse(zip_strerror(archive.get()));
    const auto added = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), added, file.from.empty() ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
    zip_file_set_mtime(archive.get(), added, no_time, 0);
  }
  if (zip_close(archive.get()) != 0) return refuse(zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  zip_stat_t about;
  if (zip_source_stat(target.get(), &about) != 0 || zip_source_open(target.get()) != 0) return refuse("no memory");
  std::string bytes(about.size, '\0');
  const zip_int64_t read = zip_source_read(target.get(), bytes.data(), bytes.size());
  zip_source_close(target.get());
  if (read != static_cast<zip_int64_t>(bytes.size())) return refuse("no memory");
  return bytes;
}

Result<void> write_bundle(const fs::path& bundle, BundledFiles files) {
  for (BundledFile& file : files)
    if (!file.from.empty()) file.bytes = CONV_TRY(read_any_file(file.from, max_bytes_in_bundle));
  const std::string bytes = CONV_TRY(packed(files));
  return write_file(bundle, bytes);
}

}  // namespace conv
