// Compiles kernel instances on its own thread: first what the lanes need now, then what they may need next.
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "kernels/gpu/cubin_cache.h"

namespace conv {

// Clients by priority: what is shown, then its conversion for the screen, then conversions of frames, then a race.
struct CompilerClient {
  enum class Of { lane, display, conversion, racer } of = Of::lane;
  int number = 0;
  friend auto operator<=>(const CompilerClient&, const CompilerClient&) = default;
};

class Compiler {
 public:
  // architecture: as in CompileJob.
  Compiler(std::shared_ptr<const KernelTexts> texts, CubinCache cache, std::string architecture);
  ~Compiler();
  Compiler(const Compiler&) = delete;  // owns its thread
  Compiler& operator=(const Compiler&) = delete;

  enum class State { unknown, pending, ready, failed };
  struct Answer {
    State state = State::unknown;
    std::shared_ptr<const CompiledKernel> kernel;  // if ready
    std::string error;  // if failed: the first line is for the user, the compiler's log follows
  };
  // Never waits.
  Answer look_up(const CompileJob& job) const;
  // Replaces those jobs of this client that were not started. Jobs are compiled in the given order, lower clients
  // first.
  void request(CompilerClient client, std::vector<CompileJob> jobs);
  // Compiled when no client is waiting; replaces the former list.
  void prefetch(std::vector<CompileJob> jobs);
  // Compiles on the calling thread, for callers without a window.
  Answer compile_now(const CompileJob& job);
  // Takes new kernel files: everything is compiled again when it is needed. Returns the texts that were replaced.
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> set_texts(std::shared_ptr<const KernelTexts> texts);

  const std::string& architecture() const { return architecture_; }
  bool busy() const;  // also while prefetching

 private:
  void work();
  Answer compile(const KernelTexts& texts, const CompileJob& job) const;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const KernelTexts> texts_;
  const CubinCache cache_;
  const std::string architecture_;
  std::map<CompileJob, Answer> answers_;
  std::map<CompilerClient, std::deque<CompileJob>> wanted_;
  std::deque<CompileJob> prefetched_;
  bool working_ = false, stopping_ = false;
  std::thread thread_;
};

}  // namespace conv
