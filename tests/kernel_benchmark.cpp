// Kernel time of every GPU variant on one job, by the protocol: rounds in turns, an event pair around enough launches
// to reach 0.2 ms, median and p10 to p90 over the rounds; each result is checked against the host variant first.
//   kernel_benchmark [WIDTHxHEIGHT] [RADIUS] [FORMAT] [NAME=VALUE ...]    2048x1024, radius 2, f32, 16x16, replicate
// NAME=VALUE switches count where they apply. Variants that begin in host memory follow on their own: host to host, by
// number of streams and kind of memory.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/check_cases.h"
#include "app/cli/options.h"
#include "app/measure/samples.h"
#include "kernels/core/cost.h"

#if defined(CONV_WITH_CUDA)
namespace {

struct Candidate {
  const Variant* variant;
  std::shared_ptr<const LaunchPlan> plan;
  Workspace workspace;
  DeviceImage target;
  int launches = 1;
  double error = 0;  // against the host variant, 1 is full scale
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

// From the first upload to the last download, 51 launches one after the other.
void time_transfers(GpuExecutor& gpu, const ConvSettings& settings, const HostImage& image) {
  HostImage expected;
  const auto unrolled = plan_job(*find_variant("tile_unrolled"), image.size, settings, gpu.device().limits);
  if (!unrolled || !gpu.run_now(*unrolled, image, expected)) return;
  const auto host = std::make_shared<const HostImage>(image);
  fmt::print("streams, with the transfers both ways, us: median (p10 to p90) of 51\n");
  for (const int pinned : {1, 0})
    for (const int streams : {1, 2, 4, 8}) {
      ConvSettings chosen = settings;
      chosen.switches.set("host_memory", pinned);
      chosen.switches.set("streams", streams);
      const auto plan = plan_job(*find_variant("streams"), image.size, chosen, gpu.device().limits);
      HostImage result;
      if (!plan || !gpu.run_now(*plan, image, result)) continue;
      const bool right = std::equal(result.bytes.begin(), result.bytes.end(), expected.bytes.begin());
      const auto shared = std::make_shared<const LaunchPlan>(*plan);
      Workspace workspace;
      DeviceImage source, target;
      std::vector<float> us;
      for (int launch = 0; launch < 54; ++launch) {
        if (!gpu.enqueue(0, shared, workspace, source, target, host)) return;
        cudaStreamSynchronize(gpu.stream());
        const auto spans = gpu.poll(workspace);
        if (launch >= 3 && spans && *spans) us.push_back(1000 * total_ms(**spans));
      }
      std::sort(us.begin(), us.end());
      const double bytes = static_cast<double>(cost_of(*plan).transfer_bytes);
      fmt::print("  {} stream{} {:8} {:8.1f} ({:.1f} to {:.1f})  {:.1f} GB/s both ways together, {}\n", streams,
                 streams == 1 ? ", " : "s,", pinned ? "pinned" : "pageable", quantile(us, 0.5f), quantile(us, 0.1f),
                 quantile(us, 0.9f), bytes / quantile(us, 0.5f) / 1000, right ? "as tile_unrolled" : "WRONG");
    }
}

int run(Size2 size, int radius, PixelType format, const SwitchValues& asked) {
  KernelSources sources;
  auto gpu = GpuExecutor::create(sources, CubinCache(), [](const std::string&) {});
  if (!gpu) {
    fmt::print(stderr, "{}\n", gpu.error().text);
    return 2;
  }
  const FilterSpec filter{.sigma = std::max(0.4, radius / 2.5), .radius = radius};
  const auto taps = std::make_shared<Taps>(*taps_of(filter));
  const HostImage image = noise_image(size, format);
  const ConvSettings job{.taps = taps, .format = format, .switches = asked};
  const auto plan = [&](const Variant& variant, const DeviceLimits& limits) {
    return plan_job(variant, size, applicable(variant, job), limits);
  };
  HostImage expected(format, size);
  static_cast<void>(CpuExecutor().run(*plan(*find_variant("cpu_separable"), cpu_limits()), image, expected));

  std::vector<Candidate> candidates;
  int wrong = 0;
  for (const Variant* variant : variants()) {
    const auto planned = plan(*variant, (*gpu)->device().limits);
    if (!planned || planned->on_host() || planned->transfers() || !variant->exhibit.empty()) continue;
    HostImage result;
    const auto ran = (*gpu)->run_now(*planned, image, result);  // compiles the exact instance
    double worst = 0;
    for (long long i = 0; ran && i < size.area(); ++i)
      worst = std::max(
          worst, std::fabs(static_cast<double>(result.channel(i, 0)) - expected.channel(i, 0)) / info(format).one);
    const double allowed =
        std::max<double>(tolerance_of(*variant, applicable(*variant, job)), is_half(format) ? 2e-3 : 0);
    if (!ran || worst > (is_8_bit(format) ? 1.01 / 255 : allowed)) {
      fmt::print("{}: WRONG by {:.3g}\n", variant->id, worst);
      ++wrong;
      continue;
    }
    candidates.push_back({.variant = variant, .plan = std::make_shared<const LaunchPlan>(*planned)});
    candidates.back().error = worst;
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
    fmt::print("  {:22} {:8.1f} ({:.1f} to {:.1f})  {} launches a round, error {:.2g}\n", c.variant->id,
               quantile(c.us, 0.5f), quantile(c.us, 0.1f), quantile(c.us, 0.9f), c.launches, c.error);
  }
  if (asked.changed().empty()) time_transfers(**gpu, job, image);
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
  SwitchValues asked;
  for (int i = 4; i < argc; ++i)
    if (const auto set = set_from_text(asked, argv[i]); !set) {
      fmt::print(stderr, "{}\n", set.error().text);
      return 2;
    }
  if (size.area() < 1 || radius < 0 || radius > max_radius || format == pixel_types.end()) {
    fmt::print(stderr, "usage: kernel_benchmark [WIDTHxHEIGHT] [RADIUS] [FORMAT] [NAME=VALUE ...]\n");
    return 2;
  }
#if defined(CONV_WITH_CUDA)
  return run(size, radius, format->type, asked);
#else
  fmt::print(stderr, "built without CUDA\n");
  return 2;
#endif
}
