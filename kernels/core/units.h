// Numbers of bytes in words.
#pragma once
#include <string>

namespace conv {

// "900 B", "2.64 KiB", "64 KiB", "7.91 MiB": powers of 1024, three digits.
std::string bytes_text(double bytes);
// The same, rounded up to whole KiB: what is needed must not look like what is available.
std::string needed_text(int bytes);

}  // namespace conv
