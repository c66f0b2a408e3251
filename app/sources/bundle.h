// Bundles: a lesson or a session with its pictures and kernels in one file, a ZIP archive. A file in it has a path like
// "class.zip/harbour.png". It is read into memory; nothing is unpacked to the disk. Somebody else may have written it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/core/file.h"

namespace conv {

inline constexpr std::size_t max_files_in_bundle = 1000, max_bytes_in_bundle = std::size_t{1} << 28;  // of each file

// By its ending, ".zip".
bool is_bundle(const std::filesystem::path& path);

// The names of the files in it, with "/" after a folder. Names that lead out of it are left out, and so are those that
// no usual program writes: of more than 255 bytes, with control characters or backslashes. The error says why it is not
// a bundle.
Result<std::vector<std::string>> list_bundle(const std::filesystem::path& bundle);

struct BundleContents {
  std::string document;              // the lesson (".md") or the session (".json"); empty: there is none
  std::vector<std::string> kernels;  // ".cu"
};
// Refused if it has neither, or more than one document.
Result<BundleContents> contents_of(const std::filesystem::path& bundle);

// The file to read for a lesson or a session that the user names: the path itself, or of a bundle the document in it.
// Refused if that has another ending. what: "lesson", for the message.
Result<std::filesystem::path> document_at(const std::filesystem::path& path, std::string_view ending,
                                          std::string_view what);

// The parent of the path that is a bundle: the rest of the path is the name of a file in it. Empty if there is none.
std::filesystem::path bundle_around(const std::filesystem::path& path);

// A file, also one in a bundle. Refused with a text: what read_file refuses, files in a bundle of more than
// max_bytes_in_bundle, encrypted ones, and those that are packed in another way than by deflate.
Result<std::string> read_any_file(const std::filesystem::path& path, std::size_t limit = max_file_bytes);
// Whether it exists, also in a bundle.
bool any_file_exists(const std::filesystem::path& path);

struct BundledFile {
  std::string name, bytes;
  std::filesystem::path from;  // has the bytes, if they are to be read when the bundle is written; otherwise empty
};
using BundledFiles = std::vector<BundledFile>;
// Adds the picture, each only once, and returns its name in the bundle.
std::string add_picture(BundledFiles& files, const std::filesystem::path& picture);
Result<void> write_bundle(const std::filesystem::path& bundle, BundledFiles files);

}  // namespace conv
