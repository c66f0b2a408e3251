// The cases that selftest and the tests hold every variant to.
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

// Every size x format x padding x filter, blocks in turn: Gaussians of radius 0, 1, 2, 5, 17, every other filter, and
// two matrices that are not square, one of them with a divisor and an offset. Variants that refuse a case must say why.
// every: of so many cases one is kept, by a fixed seed; 1 keeps all.
std::vector<CheckCase> check_cases(int every);

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

}  // namespace conv
