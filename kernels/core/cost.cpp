#include "kernels/core/cost.h"

#include <algorithm>
#include <cmath>

namespace conv {

namespace {

class Counter {
 public:
  explicit Counter(const LaunchPlan& plan) : plan_(plan), colours_(std::min(3, info(plan.format).channels)) {}

  void operator()(const CopyStep& step) {
    const bool over_the_link = step.reads.role == ImageRole::host_source || step.writes.role == ImageRole::host_target;
    const long long bytes = plan_.written_by(step).area() * info(plan_.type_of(step.reads)).bytes;
    if (over_the_link)
      cost.transfer_bytes += bytes;
    else
      cost.compulsory_bytes += 2 * bytes;
  }
  // A real transform of N numbers takes about 2.5 N log2 N operations; a multiply-add counts as two.
  void operator()(const FftStep& step) {
    cost.compulsory_bytes += bytes_of(step.reads) + bytes_of(step.writes);
    const auto numbers = static_cast<double>(step.transform.area());
    cost.multiply_adds += std::llround(1.25 * numbers * std::log2(numbers) * step.planes);
    cost.loads_per_pixel += share_of(step);
  }
  void operator()(const NppStep& step) { count_bytes_and_taps(step); }
  void operator()(const KernelStep& step) {
    count_bytes_and_taps(step);
    const Size2 staged{step.tile.width + 2 * step.apron.width, step.tile.height + 2 * step.apron.height};
    const double loads = step.staged() ? static_cast<double>(staged.area()) / step.tile.area() * step.times_loaded
                                       : static_cast<double>(plan_.tables[step.taps].values.size()) + 1;
    cost.loads_per_pixel += loads * share_of(step);
    const double taps =
        step.tile_loads > 0 ? step.tile_loads : static_cast<double>(plan_.tables[step.taps].values.size());
    // A pixel staged in shared memory is loaded and stored.
    const double each = step.in_registers ? loads : step.staged() ? 2 * loads + taps : taps;
    // Pixels go into registers in the words that memory has them in.
    const PixelType type = plan_.type_of(step.reads);
    cost.load_bytes += std::llround(each * static_cast<double>(plan_.written_by(step).area()) *
                                    (step.in_registers ? info(type).bytes : bytes_of_load(type)));
    cost.shared_bytes = std::max(cost.shared_bytes, step.shared_bytes);
  }
  void operator()(const HostStep& step) {
    count_bytes_and_taps(step);
    // With its own count of additions, it reads each pixel once and adds sums that it keeps.
    cost.loads_per_pixel += step.multiply_adds > 0 ? 1 : multiply_adds_of(step);
  }

  Cost cost;

 private:
  // Bytes that loading a pixel costs in units that serve a warp 128 bytes at a time: at least 4 bytes per thread, and
  // one load per channel if the channels are not one word.
  static int bytes_of_load(PixelType type) {
    const PixelTypeInfo& of = info(type);
    const bool one_word = !is_planar(type) && (of.bytes & (of.bytes - 1)) == 0;
    return one_word ? std::max(4, static_cast<int>(of.bytes))
                    : of.channels * std::max(4, static_cast<int>(of.bytes) / of.channels);
  }
  long long bytes_of(ImageRef ref) const { return plan_.size_of(ref).area() * info(plan_.type_of(ref)).bytes; }
  double multiply_adds_of(const StepBase& step) const {
    return step.multiply_adds > 0 ? step.multiply_adds : static_cast<double>(plan_.tables[step.taps].values.size());
  }
  // Pixels that a step writes per pixel of the result.
  double share_of(const StepBase& step) const {
    return static_cast<double>(plan_.written_by(step).area()) / static_cast<double>(plan_.image.area());
  }
  void count_bytes_and_taps(const StepBase& step) {
    const long long bytes =
        bytes_of(step.reads) + bytes_of(step.writes) + (step.also_reads ? bytes_of(*step.also_reads) : 0);
    cost.compulsory_bytes += bytes * plan_.written_by(step).height / plan_.size_of(step.writes).height;
    const long long multiply_adds =
        std::llround(multiply_adds_of(step) * static_cast<double>(plan_.written_by(step).area()) * colours_);
    cost.multiply_adds += multiply_adds;
    if (step.on_tensor_cores) cost.tensor_multiply_adds += multiply_adds;
  }

  const LaunchPlan& plan_;
  int colours_;
};

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  compulsory_bytes += other.compulsory_bytes;
  transfer_bytes += other.transfer_bytes;
  multiply_adds += other.multiply_adds;
  tensor_multiply_adds += other.tensor_multiply_adds;
  load_bytes += other.load_bytes;
  loads_per_pixel += other.loads_per_pixel;
  shared_bytes = std::max(shared_bytes, other.shared_bytes);
  return *this;
}

Cost cost_of(const LaunchPlan& plan) {
  Cost all;
  for (const Cost& step : step_costs(plan)) all += step;
  return all;
}

std::vector<Cost> step_costs(const LaunchPlan& plan) {
  std::vector<Cost> costs;
  for (const Step& step : plan.steps) {
    Counter counter(plan);
    std::visit([&](const auto& s) { counter(s); }, step);
    costs.push_back(counter.cost);
  }
  return costs;
}

}  // namespace conv
