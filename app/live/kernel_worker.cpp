#include "app/live/kernel_worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/check/wrong_pixels.h"
#include "app/live/confine.h"
#include "app/live/edited_compile.h"
#include "app/live/kernel_check.h"
#include "app/live/kernel_messages.h"
#include "app/live/kernel_twin.h"
#include "app/platform/child_process.h"

namespace conv {

namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t mb = std::size_t{1} << 20;
constexpr int most_threads = 8;  // each takes some 80 MB of the memory that there is

fs::path worker_program = "/proc/self/exe";
std::atomic<bool> sandbox_required = true;

Flaw flaw_of(conv_cpu::FaultKind kind) {
  using enum conv_cpu::FaultKind;
  switch (kind) {
    case memory: return Flaw::memory;
    case endless: return Flaw::endless;
    case barrier: return Flaw::barrier;
    case race: return Flaw::race;
    case written: break;
  }
  return Flaw::written;
}

Flaw flaw_of(WrongPixels where) {
  switch (where) {
    case WrongPixels::picture_edge: return Flaw::edge;
    case WrongPixels::block_edges: return Flaw::block_edges;
    case WrongPixels::moved: return Flaw::moved;
    case WrongPixels::anywhere: break;
  }
  return Flaw::wrong;
}

// What is found in all cases together.
class Findings {
 public:
  explicit Findings(const CheckTask& task) : task_(task) {}

  // Whether the kernel can be run on.
  bool add_faults(const CheckCase& c, const std::vector<conv_cpu::AccessFault>& faults) {
    for (const conv_cpu::AccessFault& fault : faults) add(flaw_of(fault.kind), fault.text, c);
    return std::ranges::none_of(report_.flaws, [](const FoundFlaw& f) { return f.flaw <= Flaw::endless; });
  }
  void add_outcome(const CheckCase& c, const CheckOutcome& outcome) {
    if (outcome.refused) return;
    ++report_.checked;
    if (outcome.text.empty()) return;
    add(Flaw::wrong, outcome.text, c);
    if (outcome.wrong) where_ = std::max(where_, *outcome.wrong);
  }
  void add_work(const WorkDone& work) {
    report_.work = work;
    if (!report_.flaws.empty()) return;
    for (const Allowance& allowed : task_.allowed) {
      const double done = work[static_cast<std::size_t>(allowed.work)];
      if (done <= allowed.most * 1.000001) continue;
      const std::string_view title = kinds_of_work[static_cast<std::size_t>(allowed.work)].title;
      report_.flaws.push_back({Flaw::work, fmt::format("{}: {:.3g}, allowed are {:.3g}", title, done, allowed.most),
                               to_text(task_.counted)});
      return;
    }
  }
  bool are_enough() const { return report_.flaws.size() > 1 && report_.checked > 20; }
  KernelReport report() {
    for (FoundFlaw& found : report_.flaws)
      if (found.flaw == Flaw::wrong) found.flaw = flaw_of(where_);
    std::ranges::sort(report_.flaws, {}, &FoundFlaw::flaw);
    return std::move(report_);
  }

 private:
  void add(Flaw flaw, const std::string& text, const CheckCase& c) {
    const auto same = std::ranges::find(report_.flaws, flaw, &FoundFlaw::flaw);
    if (same == report_.flaws.end())
      report_.flaws.push_back({flaw, text, to_text(c)});
    else
      ++same->cases;
  }

  const CheckTask& task_;
  KernelReport report_;
  WrongPixels where_ = WrongPixels::picture_edge;  // in all wrong results
};

KernelReport checked(Processor& processor, const CheckTask& task, const KernelTwin& twin) {
  Findings findings(task);
  const auto use_twin = [&](LaunchPlan& plan) { twin.put_into(plan); };
  Checker checker(processor, use_twin);
  for (const CheckCase& c : task.cases) {
    // A kernel that has been stopped once would take as long in each case.
    if (!findings.add_faults(c, checker.watch(*task.variant, c))) return findings.report();
    findings.add_outcome(c, checker.check(*task.variant, c));
    if (findings.are_enough()) break;
  }
  if (Result<LaunchPlan> plan = plan_case(*task.variant, task.counted, cpu_limits())) {
    use_twin(*plan);
    findings.add_work(work_done(*plan));
  }
  return findings.report();
}

// The requests of the parent, in order. A request to stop ends the one before it, if that has not ended.
class Requests {
 public:
  // Reads them in a thread of its own. The process ends when the parent closes the channel.
  explicit Requests(MessageChannel& channel)
      : reader_([this, &channel] {
          while (true) {
            Result<std::optional<std::string>> message = channel.receive(most_message_bytes);
            if (!message || !*message) std::_Exit(0);
            add(std::move(**message));
          }
        }) {
    reader_.detach();
  }

  struct Request {
    std::string message;
    std::stop_token stop;
  };
  Request next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !waiting_.empty(); });
    Request first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

 private:
  static constexpr std::size_t most_message_bytes = 2000 * mb;
  void add(std::string message) {
    const std::lock_guard lock(mutex_);
    if (message.empty()) {
      stop_.request_stop();
      return;
    }
    stop_ = {};
    waiting_.push_back({std::move(message), stop_.get_token()});
    arrived_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> waiting_;
  std::stop_source stop_;
  std::thread reader_;
};

std::string answer_to(const Requests::Request& request, const KernelTwin& twin, CpuExecutor& executor) {
  std::optional<KernelQuestion> question = question_in(request.message);
  if (!question) return failed_answer("the request cannot be read");
  const LaunchPlan& plan = question->plan;
  KernelStep& step = question->step;
  step.kernel.options = question->options;
  if (question->constant_taps) step.kernel.constant_symbol = "constant_taps";
  if (!twin.put_into(step.kernel, question->instance)) return failed_answer("the kernel has no such instance");
  switch (question->request) {
    case KernelRequest::record_block: return to_answer(CpuExecutor::record(plan, step, question->block));
    case KernelRequest::record_warps: return to_answer(CpuExecutor::record_warps(plan, step, question->block));
    case KernelRequest::record_thread:
      return to_answer(CpuExecutor::record_thread(plan, step, question->block, question->thread));
    case KernelRequest::run: break;
  }
  // In memory of their own: kernels need pixels at multiples of their size.
  const auto image_of = [&](ImageRef image, std::string_view bytes) {
    HostImage copy(plan.type_of(image), plan.size_of(image));
    std::memcpy(copy.bytes.data(), bytes.data(), std::min(bytes.size(), copy.bytes.size()));
    return copy;
  };
  const HostImage reads = image_of(step.reads, question->reads);
  const HostImage also_reads = step.also_reads ? image_of(*step.also_reads, question->also_reads) : HostImage{};
  HostImage target = image_of(step.writes, question->writes);
  const auto ms = executor.run_step(
      plan, step, {.reads = reads.bytes, .also_reads = also_reads.bytes, .writes = target.bytes}, request.stop);
  if (!ms) return failed_answer(ms.error().text);
  return to_answer(
      RunAnswer{*ms, std::string_view(reinterpret_cast<const char*>(target.bytes.data()), target.bytes.size())});
}

std::string to_json(const Result<KernelReport>& report) {
  json said;
  if (!report) {
    said["cannot"] = report.error().text;
  } else {
    said = {{"errors", report->errors}, {"checked", report->checked}, {"flaws", json::array()}};
    for (const FoundFlaw& flaw : report->flaws)
      said["flaws"].push_back({static_cast<int>(flaw.flaw), flaw.text, flaw.where, flaw.cases});
    if (report->work) said["work"] = *report->work;
  }
  return said.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Compiles, checks and reports; then answers requests until the parent ends this process. Returns if there are none.
Result<void> work(MessageChannel& parent, const fs::path& scratch, KernelJob job, bool sandbox) {
  const std::string text = CONV_TRY(parent.receive(most_kernel_bytes)).value_or("");
  const std::optional<CheckTask> task = check_task(job.task);
  if (!task) return failure("there is no such check");
  const auto report = [&](const KernelReport& found) { return parent.send(to_json(found)); };
  // Before anything of the text is looked at.
  CONV_TRY(confine({.scratch = scratch,
                    .memory_bytes = 3000 * mb,
                    .processor_s = 40,
                    .most_file_bytes = 64 * mb,
                    .hides_files = sandbox}));
  const Variant& variant = *task->variant;
  const std::set<std::string> instances = instances_of(*task, std::move(job.instances));
  const std::string errors = CONV_TRY(compile_twin(scratch, variant, text, instances));
  if (!errors.empty()) return report({.errors = errors});
  Processor processor = CONV_TRY(Processor::create(DeviceChoice::cpu, most_threads));  // with its threads
  // For the rest of the process: its thread does not end.
  Requests* const requests = job.keeps_running ? std::make_unique<Requests>(parent).release() : nullptr;
  CONV_TRY(confine_kernel());
  const KernelTwin twin = CONV_TRY(KernelTwin::load(scratch, variant, instances));
  const KernelReport found = checked(processor, *task, twin);
  CONV_TRY(report(found));
  while (requests && found.passed()) {
    const Requests::Request request = requests->next();
    const auto answer = in_words([&] { return Result<std::string>(answer_to(request, twin, processor.cpu())); });
    CONV_TRY(parent.send(answer ? *answer : failed_answer(answer.error().text)));
  }
  return {};
}

constexpr std::string_view worker_word = "kernel-worker", required = "sandbox required";
constexpr int argument_count = 7;  // with the program's name

}  // namespace

std::vector<std::string> worker_arguments(const fs::path& scratch, const KernelJob& job) {
  return {worker_program,
          std::string(worker_word),
          scratch,
          job.task,
          fmt::format("{}", fmt::join(job.instances, "\n")),
          job.keeps_running ? "run" : "check",
          sandbox_required ? std::string(required) : "if possible"};
}

bool are_worker_arguments(int count, char** arguments) {
  return count == argument_count && arguments[1] == worker_word;
}

int run_kernel_worker(char** arguments) {
  ::mallopt(M_ARENA_MAX, 4);  // each arena reserves memory, of which there is a limit
  KernelJob job{.task = arguments[3], .keeps_running = std::string_view(arguments[5]) == "run"};
  const bool sandbox = std::string_view(arguments[6]) == required || can_confine();
  std::istringstream lines(arguments[4]);
  for (std::string line; std::getline(lines, line);) job.instances.insert(line);
  MessageChannel parent = ChildProcess::channel_to_parent();
  if (job.task == compile_task) {
    compile_for_parent(parent, arguments[2]);
    std::_Exit(0);
  }
  const Result<void> worked = in_words([&] { return work(parent, arguments[2], std::move(job), sandbox); });
  if (!worked) static_cast<void>(parent.send(to_json(tl::unexpected(worked.error()))));
  std::_Exit(0);  // the kernel's file may have code for the end, too
}

void allow_kernels_without_sandbox() {
  sandbox_required = false;
}

bool are_kernels_refused() {
  return sandbox_required && !can_confine();
}

void set_kernel_worker(const fs::path& program) {
  worker_program = program;
}

}  // namespace conv
