// Kernel time of every GPU variant on one job, by the protocol: rounds in turns, an event pair around enough launches
// to reach 0.2 ms, median and p10 to p90 over the rounds; each result is checked against the host variant first.
//   kernel_benchmark [WIDTHxHEIGHT] [RADIUS] [FORMAT]      2048x1024, radius 2, f32, block 16x16, replicate
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/check_cases.h"
#include "app/cli/options.h"
#include "app/measure/samples.h"

#if defined(CONV_WITH_CUDA)
namespace {

struct Candidate {
  const Variant* variant;
  std::shared_ptr<const LaunchPlan> plan;
  Workspace workspace;
  DeviceImage target;
  int launches = 1;
  std::vector<float> us;
};

float batch_us(GpuExecutor& gpu, Candidate& c, const DeviceImage& source, cudaEvent_t from, cudaEvent_t to) {
  cudaEventRecord(from, gpu.stream());
  for (int i = 0; i < c.launches; ++i)
    if (!gpu.enqueue(0, c.plan, c.workspace, source, c.target)) return 0;
  cudaEventRecord(to, gpu.stream());
  cudaEventSynchronize(to);
  float ms = 0;
  cudaEventElapsedTime(&ms, from, to);
  return ms * 1000 / static_cast<float>(c.launches);
}

int run(Size2 size, int radius, PixelType format) {
  KernelSources sources;
  auto gpu = GpuExecutor::create(sources, CubinCache(), [](const std::string&) {});
  if (!gpu) {
    fmt::print(stderr, "{}\n", gpu.error().text);
    return 2;
  }
  const FilterSpec filter{.sigma = std::max(0.4, radius / 2.5), .radius = radius};
  const auto taps = std::make_shared<Taps>(*taps_of(filter));
  const HostImage image = noise_image(size, format);
  const auto plan = [&](const Variant& variant, const DeviceLimits& limits) {
    return plan_job(variant, size, {.taps = taps, .format = format}, limits);
  };
  HostImage expected(format, size);
  static_cast<void>(CpuExecutor().run(*plan(*find_variant("cpu_separable"), cpu_limits()), image, expected));

  std::vector<Candidate> candidates;
  int wrong = 0;
  for (const Variant* variant : variants()) {
    const auto planned = plan(*variant, (*gpu)->device().limits);
    if (!planned || planned->on_host() || !variant->exhibit.empty()) continue;
    HostImage result;
    const auto ran = (*gpu)->run_now(*planned, image, result);  // compiles the exact instance
    double worst = 0;
    for (long long i = 0; ran && i < size.area(); ++i)
      worst = std::max(
          worst, std::fabs(static_cast<double>(result.channel(i, 0)) - expected.channel(i, 0)) / info(format).one);
    if (!ran || worst > (is_8_bit(format) ? 1.01 / 255 : is_half(format) ? 2e-3 : 1e-5)) {
      fmt::print("{}: WRONG by {:.3g}\n", variant->id, worst);
      ++wrong;
      continue;
    }
    candidates.push_back({.variant = variant, .plan = std::make_shared<const LaunchPlan>(*planned)});
    candidates.back().workspace.measure(false);
  }
  cudaEvent_t from = nullptr, to = nullptr;
  cudaEventCreate(&from);
  cudaEventCreate(&to);
  DeviceImage source;
  static_cast<void>(source.upload(image, (*gpu)->stream()));
  for (Candidate& c : candidates) {
    batch_us(**gpu, c, source, from, to);  // warm-up
    c.launches = std::max(1, static_cast<int>(200 / std::max(1.0f, batch_us(**gpu, c, source, from, to))) + 1);
  }
  for (int round = 0; round < 101; ++round)
    for (Candidate& c : candidates) c.us.push_back(batch_us(**gpu, c, source, from, to));
  fmt::print("{}, {}x{} {}, radius {}, 16x16, us: median (p10 to p90) of 101 rounds\n", (*gpu)->device().name,
             size.width, size.height, info(format).id, radius);
  for (Candidate& c : candidates) {
    std::sort(c.us.begin(), c.us.end());
    fmt::print("  {:22} {:8.1f} ({:.1f} to {:.1f})  {} launches a round\n", c.variant->id, quantile(c.us, 0.5f),
               quantile(c.us, 0.1f), quantile(c.us, 0.9f), c.launches);
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  return wrong;
}

}  // namespace
#endif

int main(int argc, char** argv) {
  const Size2 size = argc > 1 ? parse_size(argv[1]).value_or(Size2{}) : Size2{2048, 1024};
  const int radius = argc > 2 ? std::atoi(argv[2]) : 2;
  const std::string_view id = argc > 3 ? argv[3] : "f32";
  const auto format =
      std::find_if(pixel_types.begin(), pixel_types.end(), [&](const PixelTypeInfo& t) { return t.id == id; });
  if (size.area() < 1 || radius < 0 || radius > max_radius || format == pixel_types.end()) {
    fmt::print(stderr, "usage: kernel_benchmark [WIDTHxHEIGHT] [RADIUS] [FORMAT]\n");
    return 2;
  }
#if defined(CONV_WITH_CUDA)
  return run(size, radius, format->type);
#else
  fmt::print(stderr, "built without CUDA\n");
  return 2;
#endif
}
