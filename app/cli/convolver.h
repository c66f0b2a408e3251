// Filters pictures one after the other, for `convoscope convolve`.
#pragma once
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>

#include "app/cli/options.h"
#include "app/headless/processor.h"
#include "app/sources/picture.h"

namespace conv {

class Convolver {
 public:
  static Result<Convolver> create(const Options& options);

  struct Done {
    Picture picture;
    LaunchPlan plan;
    std::vector<StepSpan> times;
  };
  // The chosen lane. If no format was given, the format that keeps the picture's numbers.
  LaneSettings lane_for(const Picture& picture) const;
  // Can be called from any thread; the calls take turns on the processor.
  Result<Done> run(const Picture& picture);
  // Times and plan, for scripts. picture: what was filtered.
  nlohmann::json report(const Picture& picture, const Done& done) const;

 private:
  Convolver(const Options& options, Taps taps, Processor processor);
  Result<Done> filtered(const Picture& picture);
  Result<void> compared(const ConvSettings& job, const LaneSettings& lane, const HostImage& source,
                        const HostImage& result);

  Settings settings_;
  bool chooses_format_, checks_;
  std::shared_ptr<const Taps> taps_;
  Processor processor_;
  std::unique_ptr<std::mutex> turn_ = std::make_unique<std::mutex>();
};

}  // namespace conv
