// Numbers as people read them.
#pragma once
#include <string>

namespace conv {

// Three significant digits: "0.0813", "12.3", "1 230".
std::string three_digits(double value);
// Digits in groups of three, separated by thin spaces.
std::string grouped(long long value);

}  // namespace conv
