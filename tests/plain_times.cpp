#include "plain_times.h"

#include <cuda_runtime.h>
#include <nvrtc.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "kernels/api/conv_args.h"

namespace conv {

float plain_ms(const PlainKernel& kernel, const std::string& include_folder, int width, int height, int side) {
  nvrtcProgram program = nullptr;
  nvrtcCreateProgram(&program, kernel.source.c_str(), "plain.cu", 0, nullptr, nullptr);
  nvrtcAddNameExpression(program, kernel.instance.c_str());
  const std::string constant_name = "&" + kernel.constant;
  if (!kernel.constant.empty()) nvrtcAddNameExpression(program, constant_name.c_str());
  cudaDeviceProp properties{};
  cudaGetDeviceProperties(&properties, 0);
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(properties.major * 10 + properties.minor);
  const std::string include = "-I" + include_folder, cuda = "-I" CONV_CUDA_INCLUDE;
  const char* options[] = {"--std=c++20", architecture.c_str(), include.c_str(), cuda.c_str()};
  if (nvrtcCompileProgram(program, 4, options) != NVRTC_SUCCESS) {
    std::size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    nvrtcGetProgramLog(program, log.data());
    std::printf("%s\n", log.c_str());
    return -1;
  }
  std::size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> cubin(size);
  nvrtcGetCUBIN(program, cubin.data());
  const char* name = nullptr;
  nvrtcGetLoweredName(program, kernel.instance.c_str(), &name);
  cudaLibrary_t library = nullptr;
  cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  cudaKernel_t function = nullptr;
  cudaLibraryGetKernel(&function, library, name);

  std::vector<float> image(static_cast<std::size_t>(width) * height),
      taps(static_cast<std::size_t>(side) * side, 1.0f / static_cast<float>(side * side));
  std::mt19937 random(1);
  for (float& value : image) value = static_cast<float>(random() >> 8) / (1 << 24);
  float *source = nullptr, *target = nullptr, *weights = nullptr;
  cudaMalloc(&source, 4 * image.size());
  cudaMalloc(&target, 4 * image.size());
  cudaMalloc(&weights, 4 * taps.size());
  cudaMemcpy(source, image.data(), 4 * image.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(weights, taps.data(), 4 * taps.size(), cudaMemcpyHostToDevice);
  if (!kernel.constant.empty()) {
    const char* symbol = nullptr;
    void* constant = nullptr;
    std::size_t bytes = 0;
    nvrtcGetLoweredName(program, constant_name.c_str(), &symbol);
    cudaLibraryGetGlobal(&constant, &bytes, library, symbol);
    cudaMemcpy(constant, taps.data(), 4 * taps.size(), cudaMemcpyHostToDevice);
  }
  ConvArgs args{};
  args.source = {source, width, height, width, height};
  args.target = {target, width, height, width, height};
  args.taps = weights;
  args.radius_x = args.radius_y = side / 2;
  args.border = Border::replicate;
  void* parameters[] = {&args};
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  constexpr int launches = 40, rounds = 31;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < launches; ++i)
    cudaLaunchKernel(reinterpret_cast<const void*>(function), dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16),
                     parameters, kernel.shared_bytes, stream);
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExec_t ready = nullptr;
  cudaGraphInstantiate(&ready, graph, 0);
  cudaEvent_t from = nullptr, to = nullptr;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  std::vector<float> ms(rounds);
  for (float& sample : ms) {
    cudaGraphLaunch(ready, stream);  // untimed, so that the GPU is busy when the events are queued
    cudaEventRecord(from, stream);
    cudaGraphLaunch(ready, stream);
    cudaEventRecord(to, stream);
    cudaEventSynchronize(to);
    cudaEventElapsedTime(&sample, from, to);
    sample /= launches;
  }
  std::sort(ms.begin(), ms.end());
  // All taps are equal and sum to one: a pixel inside becomes the mean of its window.
  std::vector<float> result(image.size());
  cudaMemcpy(result.data(), target, 4 * result.size(), cudaMemcpyDeviceToHost);
  const int x = width / 2, y = height / 2;
  double mean = 0;
  for (int j = -side / 2; j <= side / 2; ++j)
    for (int i = -side / 2; i <= side / 2; ++i)
      mean += image[static_cast<std::size_t>(y + j) * width + x + i] / static_cast<double>(side * side);
  const double off = mean - result[static_cast<std::size_t>(y) * width + x];
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess || !(off < 1e-5 && off > -1e-5)) {
    std::printf("%s: %s, off by %g\n", kernel.instance.c_str(), cudaGetErrorString(status), off);
    return -1;
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(source);
  cudaFree(target);
  cudaFree(weights);
  cudaLibraryUnload(library);
  nvrtcDestroyProgram(&program);
  return ms[rounds / 2];
}

}  // namespace conv
