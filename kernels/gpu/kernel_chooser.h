// Which compiled kernels run the steps of a plan now: the exact instances, or others until those are compiled.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/gpu/compiler.h"
#include "kernels/gpu/kernel_library.h"

namespace conv {

struct Enqueued {
  Running running = Running::nothing;
  // Why a kernel does not compile: the last good one runs, or nothing. The first line is for the user.
  std::string error;
};

class KernelChooser {
 public:
  explicit KernelChooser(std::unique_ptr<Compiler> compiler) : compiler_(std::move(compiler)) {}
  Compiler& compiler() { return *compiler_; }

  struct Choice {
    std::vector<LoadedKernel*>
        kernels;  // one per step, beginning with the steps that run once; null for steps without a kernel
    Enqueued what;
  };
  // Asks the compiler for what is missing; never waits. client: its earlier jobs are replaced.
  Result<Choice> choose(CompilerClient client, const LaunchPlan& plan);
  // Waits until all kernels of the plan are compiled.
  Result<void> compile_now(const LaunchPlan& plan);
  // Asks the compiler for what these plans need, at low priority.
  void prefetch(const std::vector<LaunchPlan>& plans);
  // Takes new texts. Kernels that compiled before run until the new ones are ready.
  void reload(std::shared_ptr<const KernelTexts> texts);
  // The exact kernel of a step; null until it is compiled.
  Result<LoadedKernel*> exact(const KernelStep& step);

 private:
  // The code of one step now; null if there is none yet.
  struct Found {
    std::shared_ptr<const CompiledKernel> code;
    Running running = Running::nothing;
    std::string error;
    std::vector<CompileJob> exacts, generals;  // still to be compiled
  };
  Found find(const KernelStep& step) const;
  CompileJob exact_job(const KernelStep& step) const;
  CompileJob general_job(const KernelStep& step) const;

  std::unique_ptr<Compiler> compiler_;
  KernelLibrary library_;
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> last_good_;  // from the texts before the last reload
};

}  // namespace conv
