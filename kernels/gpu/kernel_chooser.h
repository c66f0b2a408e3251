// Which compiled kernels run the steps of a plan now: the exact instances, or others until they are compiled.
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
  // Of a kernel that does not compile: the last good one runs, or nothing. The first line is for the user.
  std::string error;
};

class KernelChooser {
 public:
  explicit KernelChooser(std::unique_ptr<Compiler> compiler) : compiler_(std::move(compiler)) {}
  Compiler& compiler() { return *compiler_; }

  struct Choice {
    std::vector<LoadedKernel*> kernels;  // one per step, those that run once first; null where it is no kernel
    Enqueued what;
  };
  // Asks the compiler for what is missing; never waits. client: whose former wishes that replaces.
  Result<Choice> choose(CompilerClient client, const LaunchPlan& plan);
  // Waits until all kernels of the plan are compiled.
  Result<void> compile_now(const LaunchPlan& plan);
  // Asks the compiler for what these plans need, when it has nothing better to do.
  void prefetch(const std::vector<LaunchPlan>& plans);
  // New texts; kernels that compiled before run until theirs are ready.
  void reload(std::shared_ptr<const KernelTexts> texts);
  // The exact kernel of a step; null while it is not compiled.
  Result<LoadedKernel*> exact(const KernelStep& step);

 private:
  // One step's code now: null where there is none yet.
  struct Found {
    std::shared_ptr<const CompiledKernel> code;
    Running running = Running::nothing;
    std::string error;
    std::vector<CompileJob> exacts, generals;  // to be compiled
  };
  Found find(const KernelStep& step) const;
  CompileJob exact_job(const KernelStep& step) const;
  CompileJob general_job(const KernelStep& step) const;

  std::unique_ptr<Compiler> compiler_;
  KernelLibrary library_;
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> last_good_;  // of the texts before the last reload
};

}  // namespace conv
