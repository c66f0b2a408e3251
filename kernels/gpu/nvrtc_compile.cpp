#include "kernels/gpu/nvrtc_compile.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nvrtc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "kernels/gpu/cuda_library.h"
#include "kernels/gpu/cuda_roots.h"

namespace conv {

namespace {

namespace fs = std::filesystem;

// The functions that are used here. They are the same in CUDA 12 and 13.
#define CONV_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)               \
  X(nvrtcGetNumSupportedArchs)  \
  X(nvrtcGetSupportedArchs)     \
  X(nvrtcGetErrorString)        \
  X(nvrtcCreateProgram)         \
  X(nvrtcDestroyProgram)        \
  X(nvrtcAddNameExpression)     \
  X(nvrtcCompileProgram)        \
  X(nvrtcGetProgramLogSize)     \
  X(nvrtcGetProgramLog)         \
  X(nvrtcGetLoweredName)        \
  X(nvrtcGetCUBINSize)          \
  X(nvrtcGetCUBIN)              \
  X(nvrtcGetPTXSize)            \
  X(nvrtcGetPTX)

struct Nvrtc : CudaLibrary {
#define CONV_DECLARE(function) decltype(::function)* function = nullptr;
  CONV_NVRTC_FUNCTIONS(CONV_DECLARE)
#undef CONV_DECLARE

  explicit Nvrtc(std::initializer_list<const char*> files) : CudaLibrary("NVRTC", files) {
#define CONV_FIND(function) find(#function, function);
    CONV_NVRTC_FUNCTIONS(CONV_FIND)
#undef CONV_FIND
    load_builtins();
  }

 private:
  // NVRTC asks the loader for this library by its name alone, which only succeeds if it is loaded already or is where
  // the loader looks.
  void load_builtins() const {
    std::error_code error;
    if (folder().empty()) return;
    for (const fs::directory_entry& file : fs::directory_iterator(folder(), error))
      if (file.path().filename().string().starts_with("libnvrtc-builtins.so."))
        dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  }
};

std::optional<int> given_driver_version;

// Machine code of NVRTC 13 needs a driver of CUDA 13; that of NVRTC 12 runs with both.
const Nvrtc& nvrtc() {
  static const Nvrtc library = [] {
    const int driver = driver_version();  // 0: code is only looked at
    return driver == 0 || driver >= 13000 ? Nvrtc({"libnvrtc.so.13", "libnvrtc.so.12"}) : Nvrtc({"libnvrtc.so.12"});
  }();
  return library;
}

struct DestroyProgram {
  void operator()(nvrtcProgram program) const { nvrtc().nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, DestroyProgram>;

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  if (nvrtc().nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1) return {};
  std::string log(size, '\0');
  nvrtc().nvrtcGetProgramLog(program, log.data());
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
  if (!why_no_nvrtc().empty()) return failure(why_no_nvrtc());
  const std::string& path = job.file;
  std::vector<const char*> names, bodies;
  for (const auto& [name, text] : texts.files)
    if (name.ends_with(".h")) {
      names.push_back(name.c_str());
      bodies.push_back(text.c_str());
    }
  nvrtcProgram raw = nullptr;
  if (const nvrtcResult status =
          nvrtc().nvrtcCreateProgram(&raw, texts.files.at(path).c_str(), path.c_str(), static_cast<int>(names.size()),
                                     bodies.data(), names.data());
      status != NVRTC_SUCCESS)
    return failure(fmt::format("NVRTC cannot start: {}", nvrtc().nvrtcGetErrorString(status)));
  const Program program(raw);

  const std::string constant = job.constant_symbol.empty() ? "" : "&" + job.constant_symbol;
  nvrtc().nvrtcAddNameExpression(raw, job.instance.c_str());
  if (!constant.empty()) nvrtc().nvrtcAddNameExpression(raw, constant.c_str());
  const std::string architecture = "--gpu-architecture=" + job.architecture;
  std::vector<std::string> switched;
  for (const fs::path& root : cuda_roots()) switched.push_back("--include-path=" + (root / "include").string());
  std::istringstream words(job.options);
  for (std::string word; words >> word;) switched.push_back(word);
  std::vector<const char*> options{"--std=c++20", architecture.c_str()};
  for (const std::string& word : switched) options.push_back(word.c_str());
  if (const nvrtcResult status = nvrtc().nvrtcCompileProgram(raw, static_cast<int>(options.size()), options.data());
      status != NVRTC_SUCCESS) {
    log = log_of(raw);
    return failure(log.empty() ? fmt::format("{}: NVRTC failed: {}", job.file, nvrtc().nvrtcGetErrorString(status))
                               : fmt::format("{}\n{}", first_error(log), log));
  }

  CompiledKernel compiled;
  const char* symbol = nullptr;
  if (nvrtc().nvrtcGetLoweredName(raw, job.instance.c_str(), &symbol) != NVRTC_SUCCESS)
    return failure(fmt::format("{} has no kernel {}", job.file, job.instance));
  compiled.symbol = symbol;
  if (!constant.empty() && nvrtc().nvrtcGetLoweredName(raw, constant.c_str(), &symbol) == NVRTC_SUCCESS)
    compiled.constant = symbol;
  compiled.code = job.architecture.starts_with("sm_") ? bytes_of(raw, nvrtc().nvrtcGetCUBINSize, nvrtc().nvrtcGetCUBIN)
                                                      : bytes_of(raw, nvrtc().nvrtcGetPTXSize, nvrtc().nvrtcGetPTX);
  log = log_of(raw);
  return compiled;
}

// The number before these words, such as 18 in "ptxas info    : Used 18 registers".
std::optional<int> number_before(const std::string& words, const std::string& log) {
  std::smatch match;
  if (!std::regex_search(log, match, std::regex("(\\d+) " + words))) return std::nullopt;
  return std::stoi(match.str(1));
}

CompileEdited compile_edited = nullptr;

}  // namespace

int driver_version() {
  if (given_driver_version) return *given_driver_version;
  static const int asked = [] {
    int version = 0;  // remains 0 without a driver
    cudaDriverGetVersion(&version);
    return version;
  }();
  return asked;
}

void set_driver_version(int version) {
  given_driver_version = version;
}

void set_compiler_of_edited_texts(CompileEdited compile) {
  compile_edited = compile;
}

Result<CompiledKernel> nvrtc_compile(const KernelTexts& texts, const CompileJob& job) {
  if (compile_edited && is_edited(texts, job.file))
    return compile_edited(texts, job, false).map([](CountedKernel counted) { return std::move(counted.kernel); });
  std::string log;
  return compile(texts, job, log);
}

Result<CountedKernel> nvrtc_compile_and_count(const KernelTexts& texts, CompileJob job) {
  if (compile_edited && is_edited(texts, job.file)) return compile_edited(texts, job, true);
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

std::string why_no_nvrtc() {
  if (nvrtc().error().empty()) return {};
  return "NVRTC, which compiles kernels for a GPU, was not found. Install the CUDA Toolkit 12.8 or newer, or set "
         "CUDA_PATH to its folder. If pipx installed Convoscope: pipx inject convoscope nvidia-cuda-nvrtc-cu12.";
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  if (why_no_nvrtc().empty()) nvrtc().nvrtcVersion(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::vector<int> nvrtc_architectures() {
  int count = 0;
  if (why_no_nvrtc().empty()) nvrtc().nvrtcGetNumSupportedArchs(&count);
  std::vector<int> architectures(count);
  if (count > 0) nvrtc().nvrtcGetSupportedArchs(architectures.data());
  std::sort(architectures.begin(), architectures.end());
  return architectures;
}

}  // namespace conv
