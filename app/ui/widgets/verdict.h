// What can be said about the times of A and B: one text for the strip, Timing and presenter mode.
#pragma once
#include <string>

#include "app/model/status.h"

namespace conv {

struct LanesVerdict {
  std::string text;    // "B is 1.40× faster", "tie", "undecided"; empty if there is no B
  std::string detail;  // the interval, or why there is no verdict
  int faster = -1;     // the lane; -1: neither
};
// The rule, for tooltips.
inline constexpr const char* verdict_rule =
    "Faster: the 95 % interval of the ratio of paired samples is more than 0.2 % from 1 and outside that of A against "
    "A. Otherwise it is a tie.";
LanesVerdict verdict_on(const AppStatus& status);

}  // namespace conv
