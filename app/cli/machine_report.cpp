#include "app/cli/machine_report.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <fstream>
#include <set>

#include "app/headless/processor.h"
#include "app/sources/frames.h"
#include "app/sources/sample_pictures.h"
#include "kernels/core/file.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

// What follows `key` in the first line of the file that has it, without quotes.
std::string value_in(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key)) {
      const std::size_t first = line.find_first_not_of(" \t\":=", key.size());
      if (first == std::string::npos) break;
      std::string value = line.substr(first);
      if (value.ends_with('"')) value.pop_back();
      return value;
    }
  return "unknown";
}

// By PCI vendor: a laptop may have two, and then OpenGL and CUDA can be on different ones.
std::string graphics_cards() {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& card : fs::directory_iterator("/sys/class/drm", error)) {
    std::string vendor;
    std::ifstream(card.path() / "device" / "vendor") >> vendor;
    if (vendor == "0x10de") names.insert("NVIDIA");
    if (vendor == "0x8086") names.insert("Intel");
    if (vendor == "0x1002") names.insert("AMD");
  }
  return names.empty() ? "none found" : fmt::format("{}", fmt::join(names, " and "));
}

std::string display() {
  const auto set = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value;
  };
  if (set("WAYLAND_DISPLAY")) return set("DISPLAY") ? "Wayland and X11" : "Wayland";
  return set("DISPLAY") ? "X11" : "none";
}

std::string shown(const fs::path& folder) {
  return folder.empty() ? "none" : folder.string();
}

}  // namespace

std::string report_of_machine() {
  std::string text = fmt::format("convoscope {}, built by GCC {}\n", CONV_VERSION, __VERSION__);
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<15} {}\n", name, value.empty() ? "found" : value);
  };
  utsname system{};
  uname(&system);
  line("System", fmt::format("{}, {} {} {}, glibc {}", value_in("/etc/os-release", "PRETTY_NAME"), system.sysname,
                             system.release, system.machine, gnu_get_libc_version()));
  line("Processor", fmt::format("{}, {} threads", value_in("/proc/cpuinfo", "model name"), CpuExecutor().threads()));
  line("Graphics cards", graphics_cards());
  line("Display", display());
  const Result<Processor> processor = Processor::create(DeviceChoice::automatic);
  if (const DeviceInfo* device = processor->device()) {
    line("CUDA", fmt::format("{}, sm_{}, driver {}, runtime {}.{}", device->name, device->limits.compute_capability,
                             device->driver, device->runtime_version / 1000, device->runtime_version % 1000 / 10));
    line("cuFFT", device->limits.no_fft);
  } else {
    line("CUDA", processor->no_gpu_reason());
  }
  line("NVRTC", why_no_nvrtc().empty() ? nvrtc_version() : why_no_nvrtc());
  line("FFmpeg", no_video());
  std::error_code error;
  line("Program", fs::read_symlink("/proc/self/exe", error).string());
  line("Pictures", shown(samples_folder()));
  const fs::path kernels = KernelSources::default_folder();
  line("Kernel files", kernels.empty() ? "inside the program" : kernels.string());
  line("Settings", shown(config_folder()));
  text.pop_back();
  return text;
}

}  // namespace conv
