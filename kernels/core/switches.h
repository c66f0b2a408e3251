// What a lane can switch besides variant, format and block. One table, which the window, the command line, the plans'
// refusals and the tests share.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

struct Switch {
  std::string_view id, title, tip;
  int low, high, standard;
  std::span<const std::string_view> choices;  // words for low, low + 1, ...; empty: a number
  bool of_compiler = false;                   // changes how every kernel is compiled for the GPU, and nothing else
};

namespace choices {
inline constexpr std::string_view off_on[] = {"off", "on"};
inline constexpr std::string_view boundary[] = {"auto", "branch", "index_map", "pre_pad"};
inline constexpr std::string_view fixed_size[] = {"every", "published", "none"};
inline constexpr std::string_view accumulate[] = {"float", "half"};
inline constexpr std::string_view products[] = {"three", "one"};
inline constexpr std::string_view host_memory[] = {"pageable", "pinned"};
}  // namespace choices

inline constexpr Switch switches[] = {
    {"restrict", "__restrict__", "Pixels are read by the read-only path, as const __restrict__ allows.", 0, 1, 0,
     choices::off_on, true},
    {"fma", "FMA", "Multiply and add in one rounding. Off: two roundings, other last bits.", 0, 1, 1, choices::off_on,
     true},
    {"fast_math", "Fast maths", "--use_fast_math: denormals become 0, divisions and roots are approximate.", 0, 1, 0,
     choices::off_on, true},
    {"packed", "Packed loads", "The three channels of a pixel in two wide loads instead of three.", 0, 1, 0,
     choices::off_on, true},
    {"accumulate", "Sums in",
     "half: products are added in 16 bits, two channels in one instruction. Faster, and wrong in the last digits: the "
     "lab shows how far.",
     0, 1, 0, choices::accumulate},
    {"products", "Products",
     "Tensor cores multiply 16-bit floats. three: what rounding to 16 bits takes is multiplied as well, and the result "
     "is as exact as in float. one: it is left out. Faster at large radii and in colours, and wrong in the fourth "
     "digit.",
     0, 1, 0, choices::products},
    {"unroll", "Unroll inner loop", "Off: the loop over the window is a loop, with its counter and its jump.", 0, 1, 1,
     choices::off_on},
    {"fixed_size", "Compile-time size",
     "every: any radius is compiled in. published: sides 3, 5, 7, 11, 21 and 51 only, as the blog had it, else read at "
     "run time. none: read at run time.",
     0, 2, 0, choices::fixed_size},
    {"boundary", "Strategy",
     "branch: compare, and map only what is outside. index_map: map every index. pre_pad: copy into a larger image "
     "first, then never compare. auto: the cheaper of the first two.",
     0, 3, 0, choices::boundary},
    {"rank_sum", "Sum of rank r", "A matrix of rank r as r pairs of passes, added up.", 0, 1, 0, choices::off_on},
    {"align", "Alignment padding threads",
     "Extra threads at the left, so that thread 0 reads from an address that is a multiple of 64 bytes.", 0, 1, 0,
     choices::off_on},
    {"row_width", "Row threads x", "Width of a block of the row pass.", 4, 128, 16, {}},
    {"row_height", "Row threads y", "Height of a block of the row pass.", 1, 32, 4, {}},
    {"row_results", "Row results", "Pixels each thread of the row pass writes.", 1, 16, 8, {}},
    {"column_width",
     "Column threads x",
     "Width of a block of the column pass; a warp reads so many neighbours.",
     4,
     128,
     16,
     {}},
    {"column_height", "Column threads y", "Height of a block of the column pass.", 1, 32, 8, {}},
    {"column_results", "Column results", "Pixels each thread of the column pass writes.", 1, 16, 8, {}},
    {"streams",
     "Streams",
     "Strips take them in turns. One: upload, kernel and download of all strips follow each other.",
     1,
     8,
     4,
     {}},
    {"strips", "Strips", "Parts of the image, of whole rows.", 1, 32, 8, {}},
    {"host_memory", "Host memory",
     "pinned: the GPU copies on its own. pageable: the driver copies through a buffer of its own, and the program "
     "waits.",
     0, 1, 1, choices::host_memory},
    {"range",
     "Range, %",
     "How far values may be apart and still count, as a standard deviation in percent of full scale.",
     1,
     100,
     10,
     {}},
    {"barrier", "Barrier", "Off: the exhibit of a missing __syncthreads(). Threads read what others have not stored.",
     0, 1, 1, choices::off_on},
    {"as_published", "As published", "The kernel as its document printed it, faults included. An exhibit.", 0, 1, 0,
     choices::off_on},
};
const Switch* find_switch(std::string_view id);

// Values by id. What stands at its standard is not kept, so that equal settings compare equal.
class SwitchValues {
 public:
  int operator[](std::string_view id) const;
  // Clamped to the switch's range.
  void set(std::string_view id, int value);
  const std::map<std::string, int, std::less<>>& changed() const { return changed_; }
  friend bool operator==(const SwitchValues&, const SwitchValues&) = default;

 private:
  std::map<std::string, int, std::less<>> changed_;
};

// "off", "pre_pad", "8".
std::string value_text(const Switch& which, int value);
// "NAME=VALUE" by the words or the range of the table.
Result<void> set_from_text(SwitchValues& values, std::string_view text);
