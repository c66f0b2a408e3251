// What a lane can switch besides variant, format and block. The window, the command line, the plans and the tests use
// this table.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "kernels/core/error.h"

namespace conv {

struct Switch {
  std::string_view id, title, tip;
  int low, high, standard;
  std::span<const std::string_view> choices;  // words for low, low + 1, ...; empty: a number
  bool of_compiler = false;                   // only changes how every kernel is compiled for the GPU
  std::span<const std::string_view> older_choices =
      {};  // words of earlier versions in the same order; they can still be read
};

namespace choices {
inline constexpr std::string_view off_on[] = {"off", "on"};
inline constexpr std::string_view boundary[] = {"auto", "branch", "index_map", "pre_pad"};
inline constexpr std::string_view fixed_size[] = {"every", "published", "none", "report"};
inline constexpr std::string_view accumulate[] = {"float", "half"};
inline constexpr std::string_view products[] = {"compensated", "fast"};
inline constexpr std::string_view older_products[] = {"three", "one"};
inline constexpr std::string_view host_memory[] = {"pageable", "pinned"};
}  // namespace choices

inline constexpr Switch switches[] = {
    {"restrict", "__restrict__", "Reads pixels through the read-only path, which const __restrict__ allows.", 0, 1, 0,
     choices::off_on, true},
    {"fma", "FMA", "On: multiply and add with one rounding. Off: with two roundings, so the last bits differ.", 0, 1, 1,
     choices::off_on, true},
    {"fast_math", "Fast maths", "--use_fast_math: denormals become 0; divisions and roots are approximate.", 0, 1, 0,
     choices::off_on, true},
    {"packed", "Packed loads", "Reads the three channels of a pixel with two wide loads instead of three.", 0, 1, 0,
     choices::off_on, true},
    {"accumulate", "Accumulator",
     "half: adds the products in 16 bits, two channels per instruction. This is faster, but the last digits are wrong. "
     "The lab shows by how much.",
     0, 1, 0, choices::accumulate},
    {"products", "Precision",
     "Tensor cores multiply 16-bit floats. compensated: the FP16 rounding residual is multiplied too, so the result is "
     "as exact as in float. fast: the residual is left out. This is faster at large radii and in colour, but the "
     "fourth "
     "digit is wrong.",
     0, 1, 0, choices::products, false, choices::older_products},
    {"unroll", "Unroll inner loop",
     "On: the compiler unrolls the inner loop over the window. Off: the loop keeps its counter and its jump.", 0, 1, 1,
     choices::off_on},
    {"fixed_size", "Compile-time size",
     "every: each radius is compiled in. published: only sides 3, 5, 7, 11, 21 and 51, as in the blog. report: only "
     "sides 3, 5 and 7, as in the report. none: no radius. The fallback for the others reads the radius at run time.",
     0, 3, 0, choices::fixed_size},
    {"boundary", "Strategy",
     "branch: compare each index, and map only those outside the image. index_map: map every index. pre_pad: copy into "
     "a larger image first, then never compare. auto: the cheaper of branch and index_map.",
     0, 3, 0, choices::boundary},
    {"rank_sum", "Sum of rank r", "Runs a matrix of rank r as r pairs of passes, and adds their results.", 0, 1, 0,
     choices::off_on},
    {"align", "Alignment padding threads",
     "Extra threads at the left, so that thread 0 reads from an address that is a multiple of 64 bytes.", 0, 1, 0,
     choices::off_on},
    {"row_width", "Row threads x", "Block width of the row pass.", 4, 128, 16, {}},
    {"row_height", "Row threads y", "Block height of the row pass.", 1, 32, 4, {}},
    {"row_results", "Row results", "Pixels that each thread of the row pass writes.", 1, 16, 8, {}},
    {"column_width",
     "Column threads x",
     "Block width of the column pass. A warp reads this many neighbouring pixels.",
     4,
     128,
     16,
     {}},
    {"column_height", "Column threads y", "Block height of the column pass.", 1, 32, 8, {}},
    {"column_results", "Column results", "Pixels that each thread of the column pass writes.", 1, 16, 8, {}},
    {"streams",
     "Streams",
     "CUDA streams that share the strips. With one stream, the upload, kernel and download of each strip follow each "
     "other.",
     1,
     8,
     4,
     {}},
    {"strips", "Strips", "Parts of the image. Each is a number of whole rows.", 1, 32, 8, {}},
    {"host_memory", "Host memory",
     "pinned: the GPU copies directly. pageable: the driver copies through its own buffer, and the program waits.", 0,
     1, 1, choices::host_memory},
    {"range",
     "Range, %",
     "How much two values may differ and still be averaged: a standard deviation in percent of full scale.",
     1,
     100,
     10,
     {}},
    {"barrier", "Barrier",
     "Off: demonstrates a missing __syncthreads(). Threads read values that other threads have not stored yet.", 0, 1,
     1, choices::off_on},
    {"as_published", "As published", "The kernel as its document printed it, mistakes included. A demonstration.", 0, 1,
     0, choices::off_on},
};
const Switch* find_switch(std::string_view id);

// Values by id. Standard values are not stored, so equal settings compare equal.
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
// "NAME=VALUE" with a word or number of the table. Older words can still be read.
Result<void> set_from_text(SwitchValues& values, std::string_view text);

}  // namespace conv
