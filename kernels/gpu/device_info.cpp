#include "kernels/gpu/device_info.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>

#include "kernels/gpu/cuda_check.h"
#include "kernels/gpu/fft.h"

namespace conv {

static std::string first_line(const char* file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "580.159.03" from the kernel module's version line; empty without a driver.
static std::string installed_driver() {
  const std::string line = first_line("/proc/driver/nvidia/version");
  std::smatch match;
  return std::regex_search(line, match, std::regex(R"(\s(\d+\.\d+(\.\d+)?)\s)")) ? match.str(1) : "";
}

// Linux inside Windows, where the driver is Windows's own.
static bool is_wsl() {
  return first_line("/proc/sys/kernel/osrelease").find("microsoft") != std::string::npos;
}

Result<DeviceInfo> query_device() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();
    const char* needed = CUDART_VERSION >= 13000 ? "580" : "525";  // the oldest driver of each CUDA major version
    const std::string driver = installed_driver();
    if (status == cudaErrorInsufficientDriver && !driver.empty())
      return failure(fmt::format("This build needs an NVIDIA driver of {} or newer; found {}.", needed, driver));
    if (is_wsl())
      return failure(fmt::format(
          "{}. Under WSL2 the GPU is reached through the driver of Windows: install NVIDIA's driver {} or newer there, "
          "and none in Linux.",
          cudaGetErrorString(status), needed));
    return failure(fmt::format("{}; this build needs an NVIDIA driver of {} or newer, found {}",
                               cudaGetErrorString(status), needed, driver.empty() ? "none" : driver));
  }
  if (count == 0) return failure("the NVIDIA driver reports no device");
  cudaDeviceProp properties{};
  CONV_TRY_CUDA(cudaSetDevice(0));
  CONV_TRY_CUDA(cudaGetDeviceProperties(&properties, 0));
  DeviceInfo device{.name = properties.name,
                    .memory_bytes = static_cast<long long>(properties.totalGlobalMem),
                    .cache_bytes = properties.l2CacheSize,
                    .driver = installed_driver()};
  int memory_khz = 0, bus_bits = 0;  // two transfers per clock cycle
  if (cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0) == cudaSuccess &&
      cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0) == cudaSuccess)
    device.bandwidth_gb_per_s = 2e3 * memory_khz * (bus_bits / 8.0) / 1e9;
  char bus[32] = "";
  CONV_TRY_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  device.bus = bus;
  CONV_TRY_CUDA(cudaDriverGetVersion(&device.driver_version));
  CONV_TRY_CUDA(cudaRuntimeGetVersion(&device.runtime_version));
  device.limits = {.name = "this GPU",
                   .max_threads_per_block = properties.maxThreadsPerBlock,
                   .max_shared_bytes = static_cast<int>(properties.sharedMemPerBlockOptin),
                   .max_constant_bytes = static_cast<int>(properties.totalConstMem),
                   .warp_size = properties.warpSize,
                   .multiprocessors = properties.multiProcessorCount,
                   .compute_capability = properties.major * 10 + properties.minor,
                   .no_fft = why_no_fft()};
  device.multiprocessor = {.registers = properties.regsPerMultiprocessor,
                           .shared_bytes = static_cast<int>(properties.sharedMemPerMultiprocessor),
                           .threads = properties.maxThreadsPerMultiProcessor,
                           .blocks = properties.maxBlocksPerMultiProcessor,
                           .reserved_shared_bytes = static_cast<int>(properties.reservedSharedMemPerBlock),
                           .warp_size = properties.warpSize,
                           .count = properties.multiProcessorCount};
  // All devices of a plan must run the same code.
  for (int other = 1; other < count; ++other) {
    int major = 0, minor = 0;
    CONV_TRY_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, other));
    CONV_TRY_CUDA(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, other));
    if (major * 10 + minor != device.limits.compute_capability) break;
    ++device.limits.devices;
  }
  return device;
}

}  // namespace conv
