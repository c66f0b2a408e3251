#include "app/measure/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace conv {

namespace {

constexpr double nearly = 0.25;      // of the measured time
constexpr double named = 0.1;        // the same: smaller parts are not in the verdict
constexpr double least_gain = 0.02;  // the same
constexpr double fewer = 0.95;       // times the wavefronts: clearly without the conflicts

// Rates of the whole GPU, per ms.
struct Rates {
  double wavefronts, instructions;
};
// A wavefront serves 32 words; an instruction of a warp does 32 multiply-adds of two operations each.
Rates rates_of(const Ceilings& ceilings) {
  return {ceilings.shared_gb_per_s * 1e6 / 128, ceilings.gflop_per_s * 1e6 / 64};
}

// Wavefronts of the L1 cache, at least.
double wavefronts_of(const RequestTotals& global) {
  return std::max(static_cast<double>(global.requests), static_cast<double>(global.sectors) / 4);
}

// Taps in constant memory have no sectors.
double global_wavefronts(const MemoryTotals& totals) {
  return wavefronts_of(totals.global_read) + wavefronts_of(totals.global_write) +
         (totals.taps.sectors > 0 ? wavefronts_of(totals.taps) : 0);
}

StepExplanation explain_step(const StepCounts& step, const Ceilings& ceilings, bool with_launch) {
  const Rates rates = rates_of(ceilings);
  const auto blocks = static_cast<double>(step.blocks), bytes = static_cast<double>(step.cost.compulsory_bytes);
  // Images that stay in the L2 cache do not wait for memory.
  const bool cached = step.cost.compulsory_bytes < ceilings.cache_bytes / 2;
  std::optional<double> instructions;
  if (step.issued) instructions = step.issued->all * blocks / rates.instructions;
  StepExplanation explanation{
      .title = step.title,
      .times = {{Limit::memory, cached ? 0 : bytes / ceilings.copy_gb_per_s / 1e6},
                {Limit::cache, static_cast<double>(step.sectors) * 32 * blocks / ceilings.cached_copy_gb_per_s / 1e6},
                {Limit::wavefronts, (static_cast<double>(step.shared_wavefronts()) + global_wavefronts(step.totals)) *
                                        blocks / rates.wavefronts},
                {Limit::instructions, instructions}}};
  const auto longest =
      std::ranges::max_element(explanation.times, {}, [](const LimitTime& t) { return t.ms.value_or(0); });
  longest->decides = true;
  const double ms = longest->ms.value_or(0);
  std::optional<double> tail;
  if (step.waves > 0) tail = ms * (std::ceil(step.waves) / step.waves - 1);
  explanation.times.push_back({Limit::tail, tail, true});
  explanation.times.push_back({Limit::launch, with_launch ? ceilings.launch_us / 1000 : 0, true});
  return explanation;
}

std::string per_cent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

std::string verdict_of(const Explanation& all, std::span<const StepCounts> counts) {
  // What decides, added up over the steps.
  std::array<double, limits_of_speed.size()> sums{};
  for (const StepExplanation& step : all.steps)
    for (const LimitTime& time : step.times)
      if (time.decides) sums[static_cast<std::size_t>(time.limit)] += time.ms.value_or(0);
  const auto largest = std::ranges::max_element(sums);
  const auto title = [&](auto at) { return limits_of_speed[at - sums.begin()].title; };
  const auto share = [&](auto at) { return per_cent(*at / all.measured_ms); };
  if (all.explains) {
    std::string text = fmt::format("Limited by {}: {} of the time", title(largest), share(largest));
    for (auto sum = sums.begin(); sum != sums.end(); ++sum)
      if (sum != largest && *sum >= named * all.measured_ms)
        text += fmt::format(", and {}: {}", title(sum), share(sum));
    return text + ".";
  }
  if (all.counted_ms > all.measured_ms) return "Unexplained: the counted work should take longer than was measured.";
  std::string text = fmt::format("Unexplained: of the counted parts, {} is the largest, with {} of the time.",
                                 title(largest), share(largest));
  const auto any = [&](auto is) { return std::ranges::any_of(counts, is); };
  if (any([](const StepCounts& s) { return s.through_texture; }))
    text += " Reads through the texture unit are not counted.";
  else if (any([](const StepCounts& s) { return !s.issued; }))
    text += " Its instructions could not be counted.";
  else
    text += " Waiting for results and at barriers is not counted.";
  return text;
}

// "32×8 has 1.00 and takes 0.0722 ms: 2 % slower."
std::string measured_without_conflicts(double wavefronts, double ms, std::span<const OtherBlock> others) {
  const OtherBlock* best = nullptr;
  for (const OtherBlock& other : others)
    if (other.wavefronts_per_request < fewer * wavefronts && (!best || other.ms < best->ms)) best = &other;
  if (!best) return "not measured with a block that has fewer";
  const double change = best->ms / ms - 1;
  return fmt::format("block {} has {:.2f} and takes {:.3g} ms: {} {}", size_text(best->block),
                     best->wavefronts_per_request, best->ms, per_cent(std::abs(change)),
                     change < 0 ? "faster" : "slower");
}

std::vector<SpeedHint> hints_of(const Explanation& all, std::span<const StepCounts> counts, const Ceilings& ceilings,
                                std::span<const OtherBlock> others) {
  const Rates rates = rates_of(ceilings);
  std::vector<SpeedHint> hints;
  // ms: by how much that part gets shorter. The time cannot become shorter than the other parts.
  const auto add = [&](std::size_t step, Limit part, const std::string& counted, double ms, std::string measured) {
    if (ms < least_gain * all.measured_ms) return;
    double others_ms = 0;
    for (const LimitTime& time : all.steps[step].times)
      if (time.limit != part && time.limit < Limit::tail) others_ms = std::max(others_ms, time.ms.value_or(0));
    for (std::size_t i = 0; i < all.steps.size(); ++i)
      if (i != step) others_ms += all.steps[i].ms();
    hints.push_back({counts.size() > 1 ? fmt::format("{}: {}", counts[step].title, counted) : counted,
                     std::clamp(all.measured_ms - others_ms, 0.0, ms), std::move(measured)});
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const StepCounts& step = counts[i];
    const auto blocks = static_cast<double>(step.blocks);
    const auto requests = static_cast<double>(std::max(1ll, step.shared_requests()));
    const auto wavefronts = static_cast<double>(step.shared_wavefronts());
    const auto least = static_cast<double>(step.least_wavefronts);
    add(i, Limit::wavefronts,
        fmt::format("Bank conflicts: {:.2f} wavefronts per request of shared memory, {:.2f} without conflicts.",
                    wavefronts / requests, least / requests),
        (wavefronts - least) * blocks / rates.wavefronts,
        measured_without_conflicts(wavefronts / requests, all.measured_ms, others));
    const RequestTotals& read = step.totals.global_read;
    const double needed = std::ceil(static_cast<double>(read.used_bytes) / 32);
    add(i, Limit::wavefronts,
        fmt::format(
            "Loads are not coalesced: {:.1f} sectors per request of global memory, {:.1f} would hold the bytes.",
            static_cast<double>(read.sectors) / static_cast<double>(std::max(1ll, read.requests)),
            needed / static_cast<double>(std::max(1ll, read.requests))),
        (wavefronts_of(read) - std::max(static_cast<double>(read.requests), needed / 4)) * blocks / rates.wavefronts,
        "not measured");
    const LimitTime& instructions = all.steps[i].times[static_cast<std::size_t>(Limit::instructions)];
    if (step.issued) {
      const IssuedInstructions& issued = *step.issued;
      add(i, Limit::instructions,
          fmt::format(
              "Addresses, loops and borders: of {:.0f} instructions of a warp, {:.0f} are multiply-adds and {:.0f} "
              "access memory.",
              issued.all / step.warps, issued.multiply_adds / step.warps, issued.accesses / step.warps),
          (issued.all - issued.multiply_adds - issued.accesses) * blocks / rates.instructions, "not measured");
    }
    if (step.writing_threads < 1)
      add(i, Limit::instructions,
          fmt::format("Threads without a pixel: {} of all.", per_cent(1 - step.writing_threads)),
          (1 - step.writing_threads) * instructions.ms.value_or(0), "not measured");
    add(i, Limit::tail,
        fmt::format("Last wave: {:.2f} waves take the time of {:.0f}.", step.waves, std::ceil(step.waves)),
        all.steps[i].times[static_cast<std::size_t>(Limit::tail)].ms.value_or(0), "not measured");
  }
  std::ranges::stable_sort(hints, std::greater(), &SpeedHint::at_most_ms);
  return hints;
}

}  // namespace

double StepExplanation::ms() const {
  double sum = 0;
  for (const LimitTime& time : times)
    if (time.decides) sum += time.ms.value_or(0);
  return sum;
}

Traffic traffic_of(std::span<const StepCounts> steps) {
  Traffic traffic;
  for (const StepCounts& step : steps) {
    const auto blocks = static_cast<double>(step.blocks);
    const MemoryTotals& t = step.totals;
    traffic.shared += blocks * 128 * static_cast<double>(step.shared_wavefronts());
    traffic.l1 += blocks * 32 * static_cast<double>(t.global_read.sectors + t.global_write.sectors + t.taps.sectors);
    traffic.l2 += blocks * 32 * static_cast<double>(step.sectors);
    traffic.memory += static_cast<double>(step.cost.compulsory_bytes);
    traffic.through_texture |= step.through_texture;
  }
  return traffic;
}

Explanation explain(std::span<const StepCounts> steps, const Ceilings& ceilings, double measured_ms, bool with_launch,
                    std::span<const OtherBlock> others) {
  Explanation all{.measured_ms = measured_ms};
  for (const StepCounts& step : steps) {
    all.steps.push_back(explain_step(step, ceilings, with_launch));
    all.counted_ms += all.steps.back().ms();
  }
  all.explains = std::abs(all.counted_ms / measured_ms - 1) <= nearly;
  all.verdict = verdict_of(all, steps);
  all.hints = hints_of(all, steps, ceilings, others);
  return all;
}

}  // namespace conv
