#include "app/live/kernel_twin.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "kernels/core/descriptor.h"
#include "kernels/core/embedded_file.h"
#include "kernels/core/file.h"
#include "kernels/core/registry.h"
#include "kernels/core/replaced.h"
#include "kernels/variants/support/declared.h"

namespace conv {

std::span<const EmbeddedFile> embedded_twins();

namespace {

namespace fs = std::filesystem;

constexpr const char* library_name = "twin.so";

std::string stub(const std::string& file, const std::set<std::string>& instances, bool has_constant) {
  std::string text = fmt::format(
      "#define CONV_KERNEL_FILE \"{}\"\n#include \"kernels/cpu/twins.h\"\n"
      "struct CpuTwins {{ conv_cpu::Kernel plain, traced; }};\n"
      "extern \"C\" void conv_twins(conv_cpu::Kernel* to) {{\n  const CpuTwins all[] = {{\n",
      file);
  for (const std::string& instance : instances)  // the kernels of the file are in the twin's own namespaces
    text += fmt::format("    CONV_TWINS({}),\n", replaced(instance, "gpu::", ""));
  text += "  };\n  for (const CpuTwins& twins : all) *to++ = twins.plain, *to++ = twins.traced;\n}\n";
  if (has_constant)
    text +=
        "extern \"C\" float* conv_constant(bool traced) {\n"
        "  return traced ? cpu_traced::constant_taps : cpu::constant_taps;\n}\n";
  return text;
}

// Runs the compiler in the folder. Its exit status, and what it says.
Result<std::pair<int, std::string>> compile(const fs::path& folder) {
  const fs::path said = folder / "errors.txt";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  // As the kernels of the program are compiled, but with less optimization: it takes half a second.
  std::vector<std::string> words{"c++",
                                 "-std=c++23",
                                 "-O1",
                                 "-shared",
                                 "-fPIC",
                                 "-fno-lto",
                                 "-fno-use-linker-plugin",
                                 "-I.",
                                 "-w",
                                 "-fmax-errors=40",
                                 "-fdiagnostics-color=never",
                                 "-fno-diagnostics-show-caret",
                                 "stub.cpp",
                                 "-o",
                                 library_name};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string path = "PATH=/usr/bin:/bin", temporary = "TMPDIR=" + folder.string(), language = "LC_ALL=C";
  char* const environment[] = {path.data(), temporary.data(), language.data(), nullptr};
  pid_t child = 0;
  const int code = ::posix_spawnp(&child, "c++", &files, nullptr, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&files);
  if (code != 0) return failure("there is no C++ compiler. Install one: apt install g++");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return std::pair(WIFEXITED(status) ? WEXITSTATUS(status) : 128, read_file(said).value_or(""));
}

// The name of a kernel that the file should have, from "stub.cpp:6:16: error: 'name' was not declared in this scope".
std::string missing_kernel(const std::string& line) {
  if (!line.starts_with("stub.cpp") || line.find("was not declared") == std::string::npos) return {};
  const std::size_t from = line.find('\'') + 1;
  return line.substr(from, line.find('\'', from) - from);
}

// The file is compiled twice, once traced, so that most errors come twice. What the compiler says of our own files
// follows from a kernel that is missing.
std::string each_once(const std::string& said) {
  std::set<std::string> seen;
  std::string text, line;
  for (std::istringstream in(said); std::getline(in, line);) {
    if (line.find("rror: ") == std::string::npos) continue;  // the assembler's begin with a capital letter
    if (line.starts_with("./")) line.erase(0, 2);
    if (const std::string missing = missing_kernel(line); !missing.empty())
      line = fmt::format("there is no kernel named {}", missing);
    else if (line.starts_with("stub.cpp") || line.starts_with("kernels/cpu/"))
      continue;
    if (seen.size() < 8 && seen.insert(line).second) text += line + "\n";
  }
  return text;
}

}  // namespace

std::string kernel_file_of(const Variant& variant) {
  if (find_variant(variant.id) != &variant) return std::string(declared_kernel_file);
  for (const EmbeddedFile& file : embedded_kernels())
    if (fs::path(file.path).stem() == variant.id && file.path.ends_with(".cu")) return std::string(file.path);
  return {};
}

const Variant* owner_of(std::string_view file) {
  const Variant* variant = find_variant(fs::path(file).stem().string());
  return variant && kernel_file_of(*variant) == file ? variant : nullptr;
}

void add_instances(const LaunchPlan& plan, const Variant& variant, std::set<std::string>& instances) {
  const std::string file = kernel_file_of(variant);
  for (const Step& step : plan.steps)
    if (const auto* kernel = std::get_if<KernelStep>(&step); kernel && kernel->kernel.file == file)
      instances.insert(kernel->kernel.general.text());
}

Result<std::string> compile_twin(const fs::path& folder, const Variant& variant, const std::string& text,
                                 const std::set<std::string>& instances) {
  const std::string file = kernel_file_of(variant);
  for (const auto& files : {embedded_kernels(), embedded_twins()})
    for (const EmbeddedFile& header : files) CONV_TRY(write_file_and_folders(folder / header.path, header.text));
  CONV_TRY(write_file_and_folders(folder / file, text));
  CONV_TRY(write_file_and_folders(folder / "stub.cpp",
                                  stub(file, instances, text.find("constant_taps[") != std::string::npos)));
  const auto [status, said] = CONV_TRY(compile(folder));
  if (status == 0) return std::string();
  const std::string errors = each_once(said);
  return errors.empty() ? "the kernel does not have the form that its plan needs\n" : errors;
}

Result<KernelTwin> KernelTwin::load(const fs::path& folder, const Variant& variant,
                                    const std::set<std::string>& instances) {
  KernelTwin twin;
  twin.library_ = {::dlopen((folder / library_name).c_str(), RTLD_NOW | RTLD_LOCAL), [](void* library) {
                     if (library) ::dlclose(library);
                   }};
  if (!twin.library_) return failure(fmt::format("the compiled kernel cannot be loaded: {}", ::dlerror()));
  twin.file_ = kernel_file_of(variant);
  const auto fill = reinterpret_cast<void (*)(conv_cpu::Kernel*)>(::dlsym(twin.library_.get(), "conv_twins"));
  if (!fill) return failure("the compiled kernel has no entry");
  std::vector<conv_cpu::Kernel> kernels(2 * instances.size());
  fill(kernels.data());
  auto next = kernels.begin();
  for (const std::string& instance : instances) {
    CpuTwins& twins = twin.twins_[instance];
    twins.plain = *next++;
    twins.traced = *next++;
  }
  if (const auto constant = reinterpret_cast<float* (*)(bool)>(::dlsym(twin.library_.get(), "conv_constant"))) {
    twin.constant_ = constant(false);
    twin.traced_constant_ = constant(true);
  }
  return twin;
}

bool KernelTwin::put_into(KernelInstance& kernel, const std::string& instance) const {
  const auto twins = twins_.find(instance);
  if (twins == twins_.end()) return false;
  kernel.file = file_;
  kernel.cpu = twins->second;
  if (!kernel.constant_symbol.empty()) {
    kernel.cpu_constant = constant_;
    kernel.cpu_traced_constant = traced_constant_;
  }
  return true;
}

void KernelTwin::put_into(LaunchPlan& plan) const {
  for (Step& step : plan.steps)
    if (auto* kernel = std::get_if<KernelStep>(&step); kernel && kernel->kernel.file == file_)
      put_into(kernel->kernel, kernel->kernel.general.text());
}

}  // namespace conv
