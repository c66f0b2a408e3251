#include "app/jobs/code_reader.h"

#include "app/platform/process.h"
#include "kernels/gpu/cuda_roots.h"

namespace conv {

CompiledText disassembled(const std::string& machine_code, std::string_view file) {
  std::vector<std::string> programs;
  for (const std::filesystem::path& root : cuda_roots())
    if (const auto program = root / "bin" / "nvdisasm"; std::filesystem::exists(program)) programs.push_back(program);
  programs.push_back("nvdisasm");
  for (const std::string& program : programs) {
    const Result<std::string> text = run_process({.arguments = {program, "-c", "-gi", "/dev/stdin"},
                                                  .input = machine_code,
                                                  .limit = std::chrono::milliseconds(20'000)});
    if (text && !text->empty()) return with_lines_of_machine_code(*text, file);
  }
  return {.why_not =
              "nvdisasm was not found. It comes with the CUDA Toolkit. The tab PTX has the code before it is "
              "translated for one GPU."};
}

CodeAnswer read_code(const CodeQuestion& question) {
  CodeAnswer answer{.question = question};
  CompileJob job = question.job;
  job.options += with_lines;
  const Result<CompiledKernel> machine = nvrtc_compile(*question.texts, job);
  if (machine && job.architecture.starts_with("sm_"))
    answer.sass = disassembled(machine->code, job.file);
  else
    answer.sass.why_not = machine ? "This GPU is newer than NVRTC: there is only PTX." : machine.error().text;
  if (job.architecture.starts_with("sm_")) job.architecture.replace(0, 3, "compute_");
  const Result<CompiledKernel> ptx = nvrtc_compile(*question.texts, job);
  if (ptx)
    answer.ptx = with_lines_of_ptx(ptx->code.c_str(), job.file);  // without its terminating zero
  else
    answer.ptx.why_not = ptx.error().text;
  for (CompiledText* code : {&answer.ptx, &answer.sass}) code->counts = instruction_counts(code->text);
  return answer;
}

}  // namespace conv
