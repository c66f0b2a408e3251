// Compiles kernel instances on a thread of its own: what the lanes ask for now, then what they may ask for next.
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

// Who asks: what is shown comes first, then what shows it, then conversions of frames, then a race.
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
    std::shared_ptr<const CompiledKernel> kernel;  // when ready
    std::string error;                             // when failed: first line for the user, then the log
  };
  // Never waits.
  Answer look_up(const CompileJob& job) const;
  // Replaces what this client had asked for and was not begun. Jobs are compiled in the order given, lower clients
  // first.
  void request(CompilerClient client, std::vector<CompileJob> jobs);
  // Done when no client asks for anything; replaces the former wish.
  void prefetch(std::vector<CompileJob> jobs);
  // Compiles on the calling thread, for callers without a window.
  Answer compile_now(const CompileJob& job);
  // New kernel files: everything is compiled again as it is asked for. Returns what the former texts had become.
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> set_texts(std::shared_ptr<const KernelTexts> texts);

  const std::string& architecture() const { return architecture_; }
  bool busy() const;  // also with what was prefetched

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
