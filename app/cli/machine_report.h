#pragma once
#include <string>

namespace conv {

// What a report of a fault should say: version, system, processor, GPU and its libraries, folders. One line each. Looks
// for a GPU, which can take a second.
std::string report_of_machine();

}  // namespace conv
