#include "kernels/gpu/nvrtc_compile.h"

#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

namespace conv {

namespace {

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
  std::string log(size, '\0');
  nvrtcGetProgramLog(program, log.data());
  log.resize(size - 1);
  return log;
}

// "kernels/variants/tile_linear.cu(31): error: ..." becomes "tile_linear.cu:31: ...".
std::string first_error(const std::string& log) {
  static const std::regex pattern(R"(([^/\s]+)\((\d+)\): (?:catastrophic )?error(?: #\S+)?: (.*))");
  std::smatch match;
  if (std::regex_search(log, match, pattern)) return fmt::format("{}:{}: {}", match.str(1), match.str(2), match.str(3));
  return "the kernel does not compile";
}

template <class GetSize, class Get>
std::string bytes_of(nvrtcProgram program, GetSize get_size, Get get) {
  std::size_t size = 0;
  get_size(program, &size);
  std::string bytes(size, '\0');
  get(program, bytes.data());
  return bytes;
}

// log: of the compiler.
Result<CompiledKernel> compile(const KernelTexts& texts, const CompileJob& job, std::string& log) {
  const std::string& path = job.file;
  std::vector<const char*> names, bodies;
  for (const auto& [name, text] : texts.files)
    if (name.ends_with(".h")) {
      names.push_back(name.c_str());
      bodies.push_back(text.c_str());
    }
  nvrtcProgram raw = nullptr;
  if (const nvrtcResult status = nvrtcCreateProgram(&raw, texts.files.at(path).c_str(), path.c_str(),
                                                    static_cast<int>(names.size()), bodies.data(), names.data());
      status != NVRTC_SUCCESS)
    return failure(fmt::format("NVRTC cannot start: {}", nvrtcGetErrorString(status)));
  const Program program(raw);

  const std::string constant = job.constant_symbol.empty() ? "" : "&" + job.constant_symbol;
  nvrtcAddNameExpression(raw, job.instance.c_str());
  if (!constant.empty()) nvrtcAddNameExpression(raw, constant.c_str());
  const std::string architecture = "--gpu-architecture=" + job.architecture;
  const std::string include = std::string("--include-path=") + CONV_CUDA_INCLUDE;
  std::vector<std::string> switched;
  std::istringstream words(job.options);
  for (std::string word; words >> word;) switched.push_back(word);
  std::vector<const char*> options{"--std=c++20", architecture.c_str(), include.c_str()};
  for (const std::string& word : switched) options.push_back(word.c_str());
  if (const nvrtcResult status = nvrtcCompileProgram(raw, static_cast<int>(options.size()), options.data());
      status != NVRTC_SUCCESS) {
    log = log_of(raw);
    return failure(log.empty() ? fmt::format("{}: NVRTC failed: {}", job.file, nvrtcGetErrorString(status))
                               : fmt::format("{}\n{}", first_error(log), log));
  }

  CompiledKernel compiled;
  const char* symbol = nullptr;
  if (nvrtcGetLoweredName(raw, job.instance.c_str(), &symbol) != NVRTC_SUCCESS)
    return failure(fmt::format("{} has no kernel {}", job.file, job.instance));
  compiled.symbol = symbol;
  if (!constant.empty() && nvrtcGetLoweredName(raw, constant.c_str(), &symbol) == NVRTC_SUCCESS)
    compiled.constant = symbol;
  compiled.code = job.architecture.starts_with("sm_") ? bytes_of(raw, nvrtcGetCUBINSize, nvrtcGetCUBIN)
                                                      : bytes_of(raw, nvrtcGetPTXSize, nvrtcGetPTX);
  log = log_of(raw);
  return compiled;
}

// The number before these words, such as 18 in "ptxas info    : Used 18 registers".
std::optional<int> number_before(const std::string& words, const std::string& log) {
  std::smatch match;
  if (!std::regex_search(log, match, std::regex("(\\d+) " + words))) return std::nullopt;
  return std::stoi(match.str(1));
}

}  // namespace

Result<CompiledKernel> nvrtc_compile(const KernelTexts& texts, const CompileJob& job) {
  std::string log;
  return compile(texts, job, log);
}

Result<CountedKernel> nvrtc_compile_and_count(const KernelTexts& texts, CompileJob job) {
  std::string log;
  job.options += " --ptxas-options=-v";
  CompiledKernel kernel = CONV_TRY(compile(texts, job, log));
  const auto registers = number_before("registers", log);
  if (!registers) return failure("NVRTC " + nvrtc_version() + " does not report the registers of a kernel");
  return CountedKernel{std::move(kernel),
                       {.registers = *registers,
                        .shared_bytes = number_before("bytes smem", log).value_or(0),
                        .local_bytes = number_before("bytes stack frame", log).value_or(0)}};
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  nvrtcVersion(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::vector<int> nvrtc_architectures() {
  int count = 0;
  nvrtcGetNumSupportedArchs(&count);
  std::vector<int> architectures(count);
  if (count > 0) nvrtcGetSupportedArchs(architectures.data());
  std::sort(architectures.begin(), architectures.end());
  return architectures;
}

}  // namespace conv
