// A handout as a PDF file, to print: A4 pages of text and pictures, with an outline and page numbers.
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "app/lessons/diagram.h"
#include "kernels/core/error.h"

namespace conv {

// What the text may show, by the name in it: other pictures are not opened, their names are in the text instead.
struct HandoutPictures {
  std::filesystem::path folder;
  std::set<std::string> files;  // PNG files in this folder
  std::map<std::string, Diagram> diagrams;
};

// text: Markdown. A picture that Cairo cannot read, such as one of more than 32767 pixels along a side, is named
// instead. Fails if the file cannot be written; an existing one is replaced.
Result<void> write_pdf(const std::string& title, const std::string& text, const HandoutPictures& pictures,
                       const std::filesystem::path& file);

}  // namespace conv
