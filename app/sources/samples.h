// Pictures that come with the program.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace conv {

struct Sample {
  std::string title, path;
};

// Where pictures and fonts are: beside an installed program, else the source folder.
std::filesystem::path shared_folder();
// The folder of those pictures.
std::filesystem::path samples_folder();
// By title; empty where the folder is missing.
std::vector<Sample> find_samples();

}  // namespace conv
