// Kernel files that are edited while the program runs: each is checked in a process of its own. Once it has passed, it
// runs there in place of the CPU executor's kernels, and on the GPU.
#pragma once
#include <future>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/live/kernel_check.h"
#include "kernels/gpu/kernel_sources.h"

namespace conv {

// What was found in an edited kernel file.
struct LiveReport {
  std::string text;    // of the file
  std::string cannot;  // why it could not be checked; empty: it was
  std::string ended;   // why the process that ran it has ended since then; empty: it has not
  KernelReport report;
};

class LiveKernels {
 public:
  ~LiveKernels();  // ends a check

  struct Put {
    bool is_edited = false;  // one of the plan's kernels is an edited one
    bool is_new = false;     // a text or an instance is to be checked first: texts_for_gpu() may be others than before
  };
  // Makes the plan run the last good text of each edited kernel file.
  Put put_into(LaunchPlan& plan, const KernelSources& sources);
  // To be called often, before the plans of a frame: takes what has been checked. True: plans have to be made again.
  bool poll();
  // After them, when they have told which instances they need: starts the next check.
  void start_next();
  // Has this text of a kernel file checked, also if it has been, and if no plan runs it.
  void check(const std::string& file, const std::string& text);
  // The user lets the GPU run this text, although it could not be checked.
  void allow(const std::string& file, const std::string& text);
  // The file is the program's own again.
  void forget(const std::string& file);
  // What was found in the last text that was checked; null if the file has not been edited or is being checked.
  std::shared_ptr<const LiveReport> report(std::string_view file) const;
  bool busy() const { return checking_.valid() || !waiting_.empty(); }
  // What was found in checks since the last call, for the log.
  struct News {
    std::string text;  // one line
    bool passed;
  };
  std::vector<News> take_news() { return std::exchange(news_, {}); }
  // What the GPU runs: of an edited file the last text that has passed its check, or the one that was built in, also
  // while an instance that some plan needs is not checked. A text that cannot be checked on this machine runs if it is
  // on disk, where the user has put it, or if it is allowed.
  std::shared_ptr<const KernelTexts> texts_for_gpu(const KernelSources& sources) const;
  // Why another text of this plan's kernels runs than the newest one; empty if it does not. on_gpu: where it runs.
  std::string outdated(const LaunchPlan& plan, const KernelSources& sources, bool on_gpu) const;

 private:
  struct Edit {
    std::string text;                              // the newest
    std::set<std::string> instances;               // that plans need
    std::shared_ptr<const LiveReport> report;      // of the newest text; null while it is being checked
    std::shared_ptr<const KernelProcess> process;  // of the last text that passed; null: the kernel as it was built
    std::string good;                              // that text
    std::string allowed;                           // the text that the GPU may run unchecked; empty: none
    // Whether the GPU runs the good text: it runs one text of a file, in all instances.
    bool runs_on_gpu() const { return process && process->has(instances); }
  };
  struct Checked {
    std::string file, text;
    Result<RunningKernel> kernel;
  };

  bool runs_unchecked(const std::string& file, const KernelSources& sources) const;

  std::map<std::string, Edit, std::less<>> edits_;  // by file: "kernels/variants/global.cu"
  std::set<std::string> waiting_;                   // files to be checked
  std::future<Result<Checked>> checking_;
  std::stop_source stop_;
  std::vector<News> news_;
};

}  // namespace conv
