// The pictures that come with the program.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace conv {

struct Sample {
  std::string title, path;
};

// Where pictures and fonts are: beside an installed program, otherwise in the source folder.
std::filesystem::path shared_folder();
// The folder of the pictures.
std::filesystem::path samples_folder();
// Sorted by title; empty if the folder is missing.
std::vector<Sample> find_samples();

}  // namespace conv
