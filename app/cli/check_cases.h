// The cases that selftest and the tests hold every variant to.
#pragma once
#include <map>
#include <vector>

#include "app/cli/processor.h"
#include "kernels/cpu/reference.h"

struct CheckCase {
  Size2 image;
  PixelType format;
  Border border;
  FilterSpec filter;
  Size2 block;
};

// Every size x block x format x padding x filter: radii 0, 1, 2, 5, 17 and two matrices that are not square, one of
// them with a divisor and an offset. Variants that refuse a case must say why.
std::vector<CheckCase> check_cases(bool all_blocks);

struct CheckOutcome {
  bool refused = false;
  std::string text;  // why refused, or what failed; empty when all is well
  Verdict verdict;
};

// Keeps sources and references, which many cases share.
class Checker {
 public:
  explicit Checker(Processor& processor) : processor_(processor) {}
  CheckOutcome check(const Variant& variant, const CheckCase& c);

 private:
  const HostImage& source(Size2 size, PixelType format);
  const Reference& reference(const CheckCase& c);

  Processor& processor_;
  std::map<std::string, HostImage> sources_;
  std::map<std::string, Reference> references_;
};

// Seeded noise; alpha too, so that a filtered alpha is noticed.
HostImage noise_image(Size2 size, PixelType format);
std::string to_text(const CheckCase& c);
