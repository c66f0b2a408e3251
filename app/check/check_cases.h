// The cases with which selftest and the tests check every variant.
#pragma once
#include <map>
#include <vector>

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
  std::string text;  // why it was refused, or what failed; empty if it passed
  Verdict verdict;
};

// Keeps sources and references that many cases share.
class Checker {
 public:
  explicit Checker(Processor& processor) : processor_(processor) {}
  CheckOutcome check(const Variant& variant, const CheckCase& c);
  // Processor::watch for this case. Succeeds if the variant refuses it.
  Result<void> watch(const Variant& variant, const CheckCase& c);

 private:
  const HostImage& source(Size2 size, PixelType format);
  const Reference& reference(const CheckCase& c);

  Processor& processor_;
  std::map<std::string, HostImage> sources_;
  std::map<std::string, Reference> references_;
};

// Noise from a seed; alpha too, so that a filtered alpha is noticed.
HostImage noise_image(Size2 size, PixelType format);
std::string to_text(const CheckCase& c);

}  // namespace conv
