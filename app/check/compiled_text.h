// The compiler's output as text, with the source line that each instruction comes from.
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace conv {

struct CompiledText {
  std::string text;            // if it is empty,
  std::string why_not;         // then why
  std::vector<int> lines;      // of each line of the text: the line of the kernel's file that it comes from; 0: none
  std::vector<int> innermost;  // machine code: the same in the file of the innermost function, whichever that is
  std::string counts;          // "2384 instructions · fma 121 · ..."
};

// From PTX, or from nvdisasm's text, of code that was compiled with line numbers: the text without them, and for each
// instruction its line in this file ("kernels/variants/global.cu"). An instruction of an inlined function has the line
// that called it.
CompiledText with_lines_of_ptx(const std::string& code, std::string_view file);
CompiledText with_lines_of_machine_code(const std::string& code, std::string_view file);

// The operation of a line ("LDG.E.128"), or nothing for labels, directives and comments. PTX: "@%p1 bra L;", machine
// code: "/*0030*/ @P0 LDG.E R2, [R4] ;".
std::string_view operation_of(std::string_view line);

// The number of instructions of each kind in a text of PTX or from nvdisasm. Counts instructions in the text, not how
// often they run.
std::string instruction_counts(std::string_view code);
// Of those that come from these lines.
std::string instruction_counts(const CompiledText& code, const std::set<int>& lines);

}  // namespace conv
