// A kernel file compiled for the CPU executor while the program runs.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kernels/core/plan.h"
#include "kernels/core/variant.h"

namespace conv {

// The kernel file of a registered variant, or declared_kernel_file for any other, as messages name it:
// "kernels/variants/global.cu". Empty if it has none of its own.
std::string kernel_file_of(const Variant& variant);

// The variant whose kernel file this is; null if it belongs to none, or to several.
const Variant* owner_of(std::string_view file);

// The variant's kernel instances in this plan, as their general text names them.
void add_instances(const LaunchPlan& plan, const Variant& variant, std::set<std::string>& instances);

// Compiles the text in place of the variant's kernel file. Everything that is needed is written into the folder.
// Returns the compiler's errors, each once; empty if there are none. Fails if there is no compiler.
Result<std::string> compile_twin(const std::filesystem::path& folder, const Variant& variant, const std::string& text,
                                 const std::set<std::string>& instances);

class KernelTwin {
 public:
  // After compile_twin in the same folder, with the same instances.
  static Result<KernelTwin> load(const std::filesystem::path& folder, const Variant& variant,
                                 const std::set<std::string>& instances);
  // The plan's kernels of this file then run the twin, which has to outlive the plan.
  void put_into(LaunchPlan& plan) const;
  // The same for one kernel. False: the instance, a general text, was not compiled, and the kernel stays as it is.
  bool put_into(KernelInstance& kernel, const std::string& instance) const;

 private:
  KernelTwin() = default;
  std::shared_ptr<void> library_;
  std::string file_;  // "kernels/variants/global.cu"
  std::map<std::string, CpuTwins> twins_;
  float *constant_ = nullptr, *traced_constant_ = nullptr;
};

}  // namespace conv
