#include "app/live/kernel_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/live/kernel_messages.h"
#include "app/platform/child_process.h"

namespace conv {

using Clock = MessageChannel::Clock;

KernelProcess::KernelProcess(ScratchFolder folder, std::unique_ptr<ChildProcess> process, std::string file,
                             std::set<std::string> instances)
    : folder_(std::move(folder)),
      file_(std::move(file)),
      instances_(std::move(instances)),
      process_(std::move(process)) {}

KernelProcess::~KernelProcess() = default;

bool KernelProcess::put_into(LaunchPlan& plan) const {
  bool all = true;
  for (Step& step : plan.steps) {
    auto* kernel = std::get_if<KernelStep>(&step);
    if (!kernel || kernel->kernel.file != file_) continue;
    const bool is_compiled = instances_.contains(kernel->kernel.general.text());
    all &= is_compiled;
    if (is_compiled) kernel->kernel.remote = shared_from_this();
  }
  return all;
}

Result<std::string> KernelProcess::exchange(const std::string& message, std::size_t most_bytes,
                                            const std::stop_token& stop) const {
  using namespace std::chrono_literals;
  MessageChannel& channel = process_->channel();
  CONV_TRY(channel.send(message, Clock::now() + 30s));
  Clock::time_point end = Clock::time_point::max();
  while (Clock::now() < end) {
    std::optional<std::string> answer = CONV_TRY(channel.receive(most_bytes, Clock::now() + 20ms));
    if (answer) return std::move(*answer);
    if (end == Clock::time_point::max() && stop.stop_requested()) {
      CONV_TRY(channel.send("", Clock::now() + 2s));
      end = Clock::now() + 2s;
    }
  }
  return failure("it does not stop");
}

Result<std::string> KernelProcess::answer_to(KernelQuestion& question, std::size_t most_bytes,
                                             const std::stop_token& stop) const {
  const std::string message = to_message(question);
  const std::lock_guard lock(mutex_);
  if (!process_) return failure(fmt::format("{}: its process has ended. Run the kernel again", file_));
  Result<std::string> answer = exchange(message, most_bytes, stop);
  if (answer) return answer;
  process_.reset();
  return failure(fmt::format("{}: its process was ended: {}. Run the kernel again", file_, answer.error().text));
}

Result<float> KernelProcess::run(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                                 const std::stop_token& stop) const {
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  KernelQuestion question = question_about(plan, step, KernelRequest::run);
  question.reads = text(images.reads);
  question.also_reads = text(images.also_reads);
  if (step.rows) question.writes = text(images.writes);
  const std::string message = CONV_TRY(answer_to(question, most_answer_bytes(plan, step), stop));
  const RunAnswer answer = CONV_TRY(run_answer(message, plan, step));
  std::memcpy(images.writes.data(), answer.writes.data(), answer.writes.size());
  return answer.ms;
}

BlockRecording KernelProcess::record(const LaunchPlan& plan, const KernelStep& step, Point2 block) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_block);
  question.block = block;
  BlockRecording empty{.block = block};
  empty.written.resize(static_cast<std::size_t>(step.block.area()));
  return answer_to(question, most_answer_bytes(plan, step))
      .and_then([&](const std::string& message) { return block_answer(message, plan, step); })
      .value_or(std::move(empty));
}

WarpRecording KernelProcess::record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_warps);
  question.block = block;
  return answer_to(question, most_answer_bytes(plan, step))
      .and_then([&](const std::string& message) { return warp_answer(message, plan, step); })
      .value_or(WarpRecording{.block = block, .threads = step.block, .complete = false});
}

ThreadRecording KernelProcess::record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block,
                                             Point2 thread) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_thread);
  question.block = block;
  question.thread = thread;
  return answer_to(question, most_answer_bytes(plan, step))
      .and_then([&](const std::string& message) { return thread_answer(message, plan, step); })
      .value_or(ThreadRecording{.block = block, .thread = thread, .steps = {}, .complete = false});
}

}  // namespace conv
