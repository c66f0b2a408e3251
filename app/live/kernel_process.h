// A checked kernel in the process that has checked it. What it computes comes from there, so that a kernel of somebody
// else does not run in this process.
#pragma once
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "app/live/scratch_folder.h"
#include "kernels/cpu/remote_kernel.h"

namespace conv {

class ChildProcess;
struct KernelQuestion;

class KernelProcess : public RemoteKernel, public std::enable_shared_from_this<KernelProcess> {
 public:
  // process: it has compiled these instances of this kernel file in the folder, and waits for requests.
  KernelProcess(ScratchFolder folder, std::unique_ptr<ChildProcess> process, std::string file,
                std::set<std::string> instances);
  ~KernelProcess() override;

  // On the CPU, the plan's kernels of this file then run in this process, for as long as there is the plan. Instances
  // that were not compiled stay as they are. Returns whether there are none of those.
  bool put_into(LaunchPlan& plan) const;

  // Whether it has compiled all of these.
  bool has(const std::set<std::string>& instances) const { return std::ranges::includes(instances_, instances); }

  // Why the process has ended; empty: it has not.
  std::string end() const;

  Result<float> run(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                    const std::stop_token& stop) const override;
  BlockRecording record(const LaunchPlan& plan, const KernelStep& step, Point2 block) const override;
  WarpRecording record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block) const override;
  ThreadRecording record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block,
                                Point2 thread) const override;

 private:
  using Clock = std::chrono::steady_clock;
  // The process's answer, as a message. A process that does not answer until then, or soon after a stop, is ended.
  Result<std::string> answer_to(KernelQuestion& question, std::size_t most_bytes, Clock::time_point until,
                                const std::stop_token& stop = {}) const;
  Result<std::string> exchange(const std::string& message, std::size_t most_bytes, Clock::time_point until,
                               const std::stop_token& stop) const;

  ScratchFolder folder_;
  std::string file_;  // "kernels/variants/global.cu"
  std::set<std::string> instances_;
  mutable std::timed_mutex mutex_;
  mutable std::unique_ptr<ChildProcess> process_;  // null: it has ended
  mutable std::string why_ended_;
};

}  // namespace conv
