#include "app/check/compiled_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

namespace conv {

namespace {

struct OperationKind {
  std::string_view begins, kind;  // no kind if empty
};
// The first match counts.
constexpr OperationKind kinds[] = {{"fma.rn.f16", "fma of halves"},
                                   {"HFMA2", "fma of halves"},
                                   {"fma.", "fma"},
                                   {"FFMA", "fma"},
                                   {"mma.", "matrix products"},
                                   {"HMMA", "matrix products"},
                                   {"ld.global", "global loads"},
                                   {"LDGDEPBAR", ""},
                                   {"LDGSTS", "asynchronous copies"},
                                   {"LDG", "global loads"},
                                   {"cp.async.ca", "asynchronous copies"},
                                   {"cp.async.cg", "asynchronous copies"},
                                   {"cp.async.bulk.shared", "asynchronous copies"},
                                   {"UBLKCP", "asynchronous copies"},
                                   {"ld.shared", "shared loads"},
                                   {"LDS", "shared loads"},
                                   {"st.shared", "shared stores"},
                                   {"STS", "shared stores"},
                                   {"st.global", "global stores"},
                                   {"STG", "global stores"},
                                   {"ld.const", "constant loads"},
                                   {"LDC", "constant loads"},
                                   {"ULDC", "constant loads"},
                                   {"shfl.", "shuffles"},
                                   {"SHFL", "shuffles"},
                                   {"tex.", "texture reads"},
                                   {"TEX", "texture reads"},
                                   {"bar", "barriers"},
                                   {"BAR", "barriers"}};

// A place in a source file. PTX numbers the files, and names them at its end.
using Place = std::array<int, 3>;  // file, line, column

// "\t.loc\t2 159 5, function_name $L__info_string4, inlined_at 1 35 5": the place; callers gets where its function was
// called.
Place place_of(const std::string& line, std::map<Place, Place>& callers) {
  Place place{}, caller{};
  if (std::sscanf(line.c_str(), " .loc %d %d %d", &place[0], &place[1], &place[2]) != 3) return {};
  callers.erase(place);
  const std::size_t inlined = line.find("inlined_at ");
  if (inlined != line.npos &&
      std::sscanf(line.c_str() + inlined, "inlined_at %d %d %d", &caller[0], &caller[1], &caller[2]) == 3)
    callers[place] = caller;
  return place;
}

// The number after `, line ` behind a name that ends with this file; 0: another file.
int line_in(std::string_view file, std::string_view text) {
  const std::size_t at = text.find(fmt::format("/{}\", line ", file));
  return at == text.npos ? 0 : std::atoi(text.data() + at + file.size() + 9);
}

}  // namespace

std::string_view operation_of(std::string_view line) {
  constexpr std::string_view space = " \t";
  const auto skip_space = [&] { line.remove_prefix(std::min(line.find_first_not_of(space), line.size())); };
  skip_space();
  if (line.starts_with("/*")) {
    const std::size_t end = line.find("*/");
    line.remove_prefix(end == line.npos ? line.size() : end + 2);
    skip_space();
  }
  if (line.starts_with('@')) {
    line.remove_prefix(std::min(line.find_first_of(space), line.size()));
    skip_space();
  }
  const bool has = line.find(';') != line.npos && !line.empty() && line[0] != '.' && line[0] != '/';
  return has ? line.substr(0, line.find_first_of(" \t;")) : std::string_view();
}

CompiledText with_lines_of_ptx(const std::string& code, std::string_view file) {
  int kernel = 0;  // the number of its file
  std::istringstream all(code);
  for (std::string line; std::getline(all, line);)
    if (int number = 0;
        std::sscanf(line.c_str(), " .file %d \"", &number) == 1 && line.find(fmt::format("{}\"", file)) != line.npos)
      kernel = number;
  CompiledText text;
  std::map<Place, Place> callers;
  int current = 0;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\t.file\t") || line.starts_with("\t.section\t.debug")) break;  // only these follow
    if (line.starts_with("\t.loc\t")) {
      Place place = place_of(line, callers);
      // A function that calls itself is not inlined, so this ends; a damaged text must not go on for ever.
      for (int depth = 0; place[0] != kernel && callers.contains(place) && depth < 64; ++depth) place = callers[place];
      current = place[0] == kernel ? place[1] : 0;
      continue;
    }
    text.text += line + '\n';
    text.lines.push_back(operation_of(line).empty() ? 0 : current);
  }
  return text;
}

CompiledText with_lines_of_machine_code(const std::string& code, std::string_view file) {
  CompiledText text;
  int current = 0, innermost = 0;
  bool after_code = true, inlined = false;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    // One comment for each function that is inlined at the one below. The last is the kernel itself, but nvdisasm may
    // give it the file of the one above.
    if (line.starts_with("\t//## File ")) {
      if (std::exchange(after_code, false)) {
        current = 0;
        const std::size_t at = line.find("\", line ");
        innermost = at == line.npos ? 0 : std::atoi(line.c_str() + at + 8);
      }
      if (current == 0) current = line_in(file, line);
      const bool is_kernel = line.find(" inlined at ") == line.npos && std::exchange(inlined, false);
      if (current == 0 && is_kernel) current = std::atoi(line.c_str() + line.rfind(' '));
      inlined = inlined || line.find(" inlined at ") != line.npos;
      continue;
    }
    after_code = true;
    inlined = false;
    text.text += line + '\n';
    text.lines.push_back(operation_of(line).empty() ? 0 : current);
    text.innermost.push_back(operation_of(line).empty() ? 0 : innermost);
  }
  return text;
}

// Counts the instructions of the lines for which counts_line(number) is true; numbers begin at 0.
template <class Counts>
static std::string counts_of(std::string_view code, Counts counts_line) {
  std::map<std::string_view, int> counts;
  int all = 0;
  for (std::size_t number = 0; !code.empty(); ++number) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    const std::string_view operation = counts_line(number) ? operation_of(code.substr(0, end)) : std::string_view();
    code.remove_prefix(std::min(end + 1, code.size()));
    if (operation.empty()) continue;
    ++all;
    const auto fits = [&](const OperationKind& row) { return operation.starts_with(row.begins); };
    if (const auto row = std::find_if(std::begin(kinds), std::end(kinds), fits);
        row != std::end(kinds) && !row->kind.empty())
      ++counts[row->kind];
  }
  std::string text = fmt::format("{} instruction{}", all, all == 1 ? "" : "s");
  for (const auto& [kind, count] : counts) text += fmt::format(" · {} {}", kind, count);
  return text;
}

std::string instruction_counts(std::string_view code) {
  return counts_of(code, [](std::size_t) { return true; });
}

std::string instruction_counts(const CompiledText& code, const std::set<int>& lines) {
  return counts_of(code.text, [&](std::size_t number) { return lines.contains(code.lines[number]); });
}

}  // namespace conv
