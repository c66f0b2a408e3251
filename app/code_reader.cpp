#include "app/code_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "kernels/core/file.h"

#if defined(CONV_WITH_CUDA)
// Empty, and why, where there is no disassembler.
static std::string disassembled(const std::string& code, std::string& why_not) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("convoscope-{}.cubin", getpid());
  if (const Result<void> written = write_file(file, code); !written) {
    why_not = written.error().text;
    return {};
  }
  const std::string command =
      fmt::format("PATH=\"$PATH:/usr/local/cuda/bin\" nvdisasm -c '{}' 2>/dev/null", file.string());
  std::string text;
  if (std::FILE* pipe = popen(command.c_str(), "r")) {
    char part[4096];
    while (const std::size_t count = std::fread(part, 1, sizeof part, pipe)) text.append(part, count);
    pclose(pipe);
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (text.empty()) why_not = "nvdisasm was not found. It comes with the CUDA Toolkit; PTX is beside.";
  return text;
}

CodeAnswer read_code(const CodeQuestion& question) {
  CodeAnswer answer{.question = question};
  CompileJob job = question.job;
  const Result<CompiledKernel> machine = nvrtc_compile(*question.texts, job);
  if (machine && job.architecture.starts_with("sm_"))
    answer.sass = disassembled(machine->code, answer.why_no_sass);
  else
    answer.why_no_sass = machine ? "This GPU is newer than NVRTC: there is PTX alone." : machine.error().text;
  if (job.architecture.starts_with("sm_")) job.architecture.replace(0, 3, "compute_");
  const Result<CompiledKernel> ptx = nvrtc_compile(*question.texts, job);
  if (ptx)
    answer.ptx = ptx->code.c_str();  // without its closing zero
  else
    answer.why_no_ptx = ptx.error().text;
  return answer;
}
#else
CodeAnswer read_code(const CodeQuestion& question) {
  constexpr const char* why = "Built without CUDA: there is no compiler for GPUs.";
  return {.question = question, .why_no_ptx = why, .why_no_sass = why};
}
#endif
