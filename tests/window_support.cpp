#include "window_support.h"

#include <fmt/format.h>

#include "kernels/core/registry.h"
#include "kernels/variants/plan_job.h"

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::unique_ptr<App> make_window(const WindowChoice& choice) {
  Options options;
  options.settings_given = true;  // not those remembered on this machine
  options.frames = 1;             // and nothing written
  options.no_vsync = true;
  options.window_size = choice.window_size;
  options.device = choice.device;
  options.no_interop = !choice.interop;
  options.resume = choice.resume;
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
  if (!shown || at == std::string::npos || shown->size != app.picture()->size)
    return {};  // a new source, not yet filtered
  FilterSpec filter = app.settings().filter;
  filter.radius = std::stoi(lane.shown.substr(at + 7));
  static CpuExecutor executor;
  const auto plan = plan_job(*find_variant("cpu_separable"), app.picture()->size,
                             {.taps = std::make_shared<Taps>(*taps_of(filter)),
                              .format = shown->type,
                              .border = app.settings().border,
                              .border_value = app.settings().border_value},
                             cpu_limits());
  HostImage expected(shown->type, shown->size);
  if (!executor.run(*plan, to_format(*app.picture(), shown->type), expected)) return "the reference failed";
  double worst = 0;
  if (shown->type == PixelType::rgba8) {
    for (std::size_t i = 0; i < shown->bytes.size(); ++i)
      worst = std::max(worst,
                       std::abs(std::to_integer<int>(shown->bytes[i]) - std::to_integer<int>(expected.bytes[i])) - 1.0);
  } else {
    for (std::size_t i = 0; i < shown->bytes.size() / 4; ++i)
      worst = std::max(worst, std::fabs(shown->pixels<float>()[i] - expected.pixels<float>()[i]) - 2e-5);
  }
  return worst <= 0 ? "" : fmt::format("{} differs by {:.3g} beyond the tolerance", lane.shown, worst);
}
