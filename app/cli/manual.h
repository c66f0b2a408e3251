// The manual page and the completion of shells, from the table of options.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace conv {

// For man(1). The options of `app`, then each command with its own.
std::string manual_page(const CLI::App& app);

// For bash: commands and options, values where an option has few, else file names.
std::string bash_completion(const CLI::App& app);

}  // namespace conv
