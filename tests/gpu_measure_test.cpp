// The measuring engine on a GPU: gpu_measure_test ties|peers|general|plain|profiler|repeats SOURCE_FOLDER
#include <fmt/format.h>

#include <cmath>

#include "app/check/check_cases.h"
#include "app/measure/engine.h"
#include "kernel_times.h"
#include "kernels/ops/peers.h"
#include "plain_times.h"

namespace conv {

namespace {

constexpr Size2 image{2048, 1024};

BenchPoint point_of(const std::string& variant, int radius = 2) {
  return {.image = image, .filter = {.kind = FilterKind::box, .radius = radius}, .lane = {variant, PixelType::f32}};
}

std::vector<BenchRow> measured(BenchEngine& engine, const BenchGroup& group) {
  const auto rows = engine.measure(group);
  if (!rows) fmt::print("{}\n", rows.error().text);
  for (const BenchRow& row : *rows)
    if (row.state != RowState::measured) fmt::print("{}: {}\n", row.point.lane.variant, row.text);
  return *rows;
}

// A variant compared with itself is a tie in 95 of 100 runs.
bool ties(BenchEngine& engine) {
  int tied = 0;
  constexpr int races = 100;
  for (int i = 0; i < races; ++i) {
    const BenchPoint point = point_of(i % 2 ? "tile_unrolled" : "constant");
    tied += measured(engine, {point, point})[1].against.outcome == Comparison::Outcome::tie;
  }
  fmt::print("A against A: {} ties of {}\n", tied, races);
  return tied >= 95;
}

// A plain program measures the same kernel within 3 %.
bool plain(BenchEngine& engine, const std::string& folder, const DeviceLimits& limits) {
  bool all = true;
  for (const char* variant : {"global", "constant", "tile_linear", "tile_unrolled"}) {
    const BenchPoint point = point_of(variant);
    const auto taps = std::make_shared<const Taps>(*taps_of(point.filter));
    const auto plan = plan_job(*find_variant(variant), image,
                               conv_settings({.lane = point.lane, .border = point.border}, taps), limits);
    const auto& step = std::get<KernelStep>(plan->steps.front());
    const float own = engine.measure({point})->front().summary().median;
    const float other = plain_ms({.source = fmt::format("#include \"{}\"\n", step.kernel.file),
                                  .instance = step.kernel.exact.text(),
                                  .constant = std::string(step.kernel.constant_symbol),
                                  .shared_bytes = step.shared_bytes},
                                 folder, image.width, image.height, taps->size.width);
    const bool agree = std::fabs(own / other - 1) <= 0.03f;
    all &= agree;
    fmt::print("{}: engine {:.5f} ms, plain program {:.5f} ms, ratio {:.4f}{}\n", variant, own, other, own / other,
               agree ? "" : "  NOT WITHIN 3 %");
  }
  return all;
}

// NVIDIA's profiler interface says the same within 3 %: the time from the start of one launch to that of the next, when
// launches follow each other as in the engine. The records of two short kernels are longer than that together: the next
// kernel begins to be launched while the one before ends.
bool profiler(BenchEngine& engine, Processor& processor) {
  bool all = true;
  for (const char* variant : {"global", "tile_linear", "separable_tiles", "tile_batched"}) {
    const BenchPoint point = point_of(variant, 4);
    const auto taps = std::make_shared<const Taps>(*taps_of(point.filter));
    const auto plan = plan_job(*find_variant(variant), image,
                               conv_settings({.lane = point.lane, .border = point.border}, taps), processor.limits());
    const auto steps = static_cast<std::ptrdiff_t>(plan->steps.size());
    float own = 0;
    const auto ran = kernel_times([&]() -> Result<void> {
      own = CONV_TRY(engine.measure({point})).front().summary().median;
      return {};
    });
    if (!ran || std::ssize(*ran) < 20 * steps) {
      fmt::print("{}: {}\n", variant, ran ? fmt::format("{} kernels recorded", ran->size()) : ran.error().text);
      return false;
    }
    std::vector<float> periods, records;
    for (auto first = ran->begin(); first + 2 * steps <= ran->end(); first += steps) {
      periods.push_back(static_cast<float>((first + steps)->start - first->start) * 1e-6f);
      std::uint64_t sum = 0;
      for (auto kernel = first; kernel != first + steps; ++kernel) sum += kernel->end - kernel->start;
      records.push_back(static_cast<float>(sum) * 1e-6f);
    }
    const float period = summary_of(periods)->median;
    const bool agree = std::fabs(own / period - 1) <= 0.03f;
    all &= agree;
    fmt::print("{}: engine {:.5f} ms, CUPTI {:.5f} ms from launch to launch, ratio {:.4f}{}; its records {:.5f} ms\n",
               variant, own, period, own / period, agree ? "" : "  NOT WITHIN 3 %", summary_of(records)->median);
  }
  return all;
}

// The same row again and again, for kernels of 20 us and more: 95 of 100 are within 3 % of their median.
bool repeats(BenchEngine& engine) {
  int near = 0, total = 0;
  for (const char* variant : {"global", "tile_linear", "separable_tiles", "tile_batched"}) {
    std::vector<float> medians;
    for (int run = 0; run < 25; ++run) medians.push_back(measured(engine, {point_of(variant, 4)})[0].summary().median);
    const float middle = summary_of(medians)->median;
    for (const float median : medians) near += std::fabs(median / middle - 1) <= 0.03f;
    total += static_cast<int>(medians.size());
    fmt::print("{}: {:.5f} ms\n", variant, middle);
  }
  fmt::print("repeated: {} of {} within 3 %\n", near, total);
  return 100 * near >= 95 * total;
}

// Copies give the image, NPP gives what the variants give.
bool peers_are_right(BenchEngine& engine) {
  bool all = true;
  const FilterSpec lopsided{.kind = FilterKind::custom, .matrix = *parse_matrix("1 2 3; 4 5 6; 7 8 10"), .divisor = 46};
  for (const PixelTypeInfo& format : pixel_types)
    for (const FilterSpec& filter : {FilterSpec{.sigma = 1.3, .radius = 3}, lopsided})
      for (const Peer& peer : peers()) {
        if (peer.elsewhere) continue;
        fmt::print("{} {} {}: ", peer.id, format.id, info(filter.kind).id);
        std::fflush(stdout);  // a library may end the program
        const BenchPoint point{.image = {1000, 700}, .filter = filter, .lane = {std::string(peer.id), format.type}};
        const BenchRow row = engine.measure({point})->front();
        const bool right = row.state == RowState::refused ? peer.filters && !row.text.contains("failed")
                                                          : row.state == RowState::measured;
        fmt::print("{}{} max error {:.2g}\n", row.text, right ? "," : " FAILED,", row.max_error);
        all &= right;
      }
  return all;
}

// The kernels that run while an exact kernel is being compiled.
bool generals_are_right(Processor& processor) {
  int right = 0, all = 0;
  for (const char* variant : {"direct_paired", "direct_shuffle", "separable_tensor", "box_running", "separable_shuffle",
                              "separable_stream", "direct_stream"}) {
    std::vector<int> radii{0, 1, 2, 3, 5, 7, 8, 13, 16, 30};
    std::erase_if(radii, [&](int radius) { return radius > find_variant(variant)->max_radius; });
    std::size_t turn = 0;
    for (const PixelTypeInfo& format : pixel_types) {
      const int radius = radii[turn++ % radii.size()];  // all radii in all formats would compile for half an hour
      const FilterSpec filter{.kind = find_variant(variant)->needs_equal_taps ? FilterKind::box : FilterKind::gaussian,
                              .sigma = 2,
                              .radius = radius};
      const HostImage source = noise_image({420, 66}, format.type);
      const LaneSettings lane{.variant = variant, .format = format.type};
      auto plan = plan_job(
          *find_variant(variant), source.size,
          conv_settings({.lane = lane, .border = Border::mirror}, std::make_shared<const Taps>(*taps_of(filter))),
          processor.limits());
      if (!plan) continue;  // more shared memory than this GPU has
      auto& kernel = std::get<KernelStep>(plan->steps.front()).kernel;
      kernel.exact = kernel.general;
      kernel.options.clear();
      HostImage result(format.type, source.size);
      const auto ran = processor.run(*plan, source, result);
      const bool passed = ran && compare(result, reference_of(source, filter, Border::mirror, 0, {})).pass;
      if (!passed) fmt::print("{} {} radius {}: {}\n", variant, format.id, radius, ran ? "wrong" : ran.error().text);
      right += passed;
      ++all;
    }
    fmt::print("{}: {} of {} right so far\n", variant, right, all);
    std::fflush(stdout);  // the whole list takes minutes
  }
  fmt::print("general kernels: {} of {} right\n", right, all);
  return right == all;
}

}  // namespace

}  // namespace conv

using namespace conv;

int main(int argc, char** argv) {
  auto processor = Processor::create(DeviceChoice::gpu);
  if (!processor || argc != 3) {
    fmt::print("{}\n", processor ? "usage: gpu_measure_test ties|peers|general|plain|profiler|repeats SOURCE_FOLDER"
                                 : processor.error().text);
    return 2;
  }
  BenchEngine engine(*processor);
  const std::string part = argv[1];
  const bool passed = part == "ties"       ? ties(engine)
                      : part == "peers"    ? peers_are_right(engine)
                      : part == "general"  ? generals_are_right(*processor)
                      : part == "plain"    ? plain(engine, argv[2], processor->limits())
                      : part == "profiler" ? profiler(engine, *processor)
                                           : repeats(engine);
  fmt::print("{} {}\n", part, passed ? "passed" : "FAILED");
  return passed ? 0 : 1;
}
