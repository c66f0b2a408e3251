#include "app/jobs/code_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/platform/process.h"

namespace conv {

namespace {

// The operation of a line, or nothing for labels, directives and comments. PTX: "@%p1 bra L;", machine code: "/*0030*/
// @P0 LDG.E R2, [R4] ;".
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

}  // namespace

std::string instruction_counts(std::string_view code) {
  std::map<std::string_view, int> counts;
  int all = 0;
  while (!code.empty()) {
    const std::size_t end = std::min(code.find('\n'), code.size());
    const std::string_view operation = operation_of(code.substr(0, end));
    code.remove_prefix(std::min(end + 1, code.size()));
    if (operation.empty()) continue;
    ++all;
    const auto fits = [&](const OperationKind& row) { return operation.starts_with(row.begins); };
    if (const auto row = std::find_if(std::begin(kinds), std::end(kinds), fits);
        row != std::end(kinds) && !row->kind.empty())
      ++counts[row->kind];
  }
  std::string text = fmt::format("{} instructions", all);
  for (const auto& [kind, count] : counts) text += fmt::format(" · {} {}", kind, count);
  return text;
}

// Empty, with a reason, if there is no disassembler.
static std::string disassembled(const std::string& code, std::string& why_not) {
  for (const char* program : {"nvdisasm", "/usr/local/cuda/bin/nvdisasm"}) {
    Result<std::string> text = run_process(
        {.arguments = {program, "-c", "/dev/stdin"}, .input = code, .limit = std::chrono::milliseconds(20'000)});
    if (text && !text->empty()) return std::move(*text);
  }
  why_not = "nvdisasm was not found. It comes with the CUDA Toolkit. PTX is shown instead.";
  return {};
}

CodeAnswer read_code(const CodeQuestion& question) {
  CodeAnswer answer{.question = question};
  CompileJob job = question.job;
  const Result<CompiledKernel> machine = nvrtc_compile(*question.texts, job);
  if (machine && job.architecture.starts_with("sm_"))
    answer.sass.text = disassembled(machine->code, answer.sass.why_not);
  else
    answer.sass.why_not = machine ? "This GPU is newer than NVRTC: there is only PTX." : machine.error().text;
  if (job.architecture.starts_with("sm_")) job.architecture.replace(0, 3, "compute_");
  const Result<CompiledKernel> ptx = nvrtc_compile(*question.texts, job);
  if (ptx)
    answer.ptx.text = ptx->code.c_str();  // without its terminating zero
  else
    answer.ptx.why_not = ptx.error().text;
  for (CompiledText* code : {&answer.ptx, &answer.sass}) code->counts = instruction_counts(code->text);
  return answer;
}

}  // namespace conv
