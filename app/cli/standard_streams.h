// Pictures from standard input and to standard output, for pipes.
#pragma once
#include <string>

#include "app/sources/picture.h"

namespace conv {

inline constexpr const char* standard_stream = "-";  // in place of a file's name

// Everything until its end. Refused with a text: a terminal, more than 2 GiB, errors.
Result<std::string> read_standard_input();
// Refused with a text: a terminal, a full disk. As usual in pipes, the program ends if its reader has gone.
Result<void> write_standard_output(const std::string& bytes);
// .npy for float values, otherwise .png.
std::string ending_for_stream(const Picture& picture);

}  // namespace conv
