#include "window_support.h"

#include <fmt/format.h>
#if defined(CONV_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

#include "kernels/core/registry.h"
#include "kernels/variants/support/plan_job.h"

namespace conv {

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

long long device_bytes() {
#if defined(CONV_WITH_CUDA)
  std::size_t available = 0, total = 0;
  if (cudaMemGetInfo(&available, &total) == cudaSuccess) return static_cast<long long>(total - available);
#endif
  return 0;
}

std::unique_ptr<App> make_window(const WindowChoice& choice) {
  Options options;
  options.settings_given = true;  // not those remembered on this machine
  options.window.frames = 1;      // and nothing is written
  options.window.no_vsync = true;
  options.window.window_size = choice.window_size;
  options.device = choice.device;
  options.window.no_interop = !choice.interop;
  options.window.restart_state = choice.restart_state;
  options.settings.source = {.pattern = PatternKind::noise, .pattern_size = {1920, 1080}};
  auto app = App::create(options);
  if (!app) {
    fmt::print(stderr, "{}\n", app.error().text);
    std::exit(2);
  }
  return std::move(*app);
}

void settle(App& app) {
  const auto start = Clock::now();
  do app.frame();
  while (!app.settled() && ms_since(start) < 60'000);
}

std::string mismatch(App& app) {
  const LaneStatus& lane = app.status().lanes[0];
  const std::optional<HostImage> shown = app.pipeline().result(0);
  const std::size_t at = lane.shown.rfind("radius ");
  if (!shown || at == std::string::npos) return {};
  FilterSpec filter = app.settings().filter;
  filter.radius = std::stoi(lane.shown.substr(at + 7));
  static CpuExecutor executor;
  const auto plan = plan_job(*find_variant("cpu_separable"), app.picture()->size,
                             {.taps = std::make_shared<Taps>(*taps_of(filter)),
                              .format = shown->type,
                              .border = app.settings().border,
                              .border_value = app.settings().border_value},
                             cpu_limits());
  if (!plan || plan->image != shown->size) return {};  // a new source or padding, not filtered yet
  HostImage expected(shown->type, shown->size);
  if (!executor.run(*plan, to_format(*app.picture(), shown->type), expected)) return "the reference failed";
  const double one = info(shown->type).one;
  const double tolerance = is_8_bit(shown->type) ? 1.0 : is_half(shown->type) ? 1.5e-3 : 2e-5;  // in the type's unit
  double worst = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shown->size.area()); ++i)
    for (int c = 0; c < info(shown->type).channels; ++c)
      worst = std::max(worst, std::fabs(static_cast<double>(shown->channel(i, c)) - expected.channel(i, c)));
  return worst <= tolerance ? "" : fmt::format("{} differs by {:.3g} of {}", lane.shown, worst, one);
}

}  // namespace conv
