// The cases with which selftest and the tests check every variant.
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "app/check/wrong_pixels.h"
#include "app/headless/processor.h"
#include "kernels/cpu/reference.h"

namespace conv {

struct CheckCase {
  Size2 image;
  PixelType format;
  Border border;
  FilterSpec filter;
  Size2 block;
};

// Every size x format x padding x filter, with the blocks in turn. Filters: Gaussians of radius 0, 1, 2, 5, 17, every
// other filter, and two matrices that are not square, one with a divisor and an offset. A variant that refuses a case
// must say why. every: keeps one of this many cases, chosen by a fixed seed; 1 keeps all.
std::vector<CheckCase> check_cases(int every);

struct CheckOutcome {
  bool refused = false;
  std::string text;  // why it was refused, or what failed; without the case; empty if it passed
  Verdict verdict;
  std::optional<WrongPixels> wrong;  // of a result that failed, in f32
};

// The plan of a case; the same for both checks.
Result<LaunchPlan> plan_case(const Variant& variant, const CheckCase& c, const DeviceLimits& limits);

// Keeps sources and references that many cases share.
class Checker {
 public:
  // change: what is to be different in every plan before it runs.
  explicit Checker(Processor& processor, std::function<void(LaunchPlan&)> change = {})
      : processor_(processor), change_(std::move(change)) {}
  CheckOutcome check(const Variant& variant, const CheckCase& c);
  // Processor::watch for this case. No faults if the variant refuses it.
  std::vector<conv_cpu::AccessFault> watch(const Variant& variant, const CheckCase& c);

 private:
  const HostImage& source(Size2 size, PixelType format);
  const Reference& reference(const CheckCase& c);

  Result<LaunchPlan> plan_of_case(const Variant& variant, const CheckCase& c) const;

  Processor& processor_;
  std::function<void(LaunchPlan&)> change_;
  std::map<std::string, HostImage> sources_;
  std::map<std::string, Reference> references_;
};

// Noise from a seed; alpha too, so that a filtered alpha is noticed.
HostImage noise_image(Size2 size, PixelType format);
std::string to_text(const CheckCase& c);

}  // namespace conv
