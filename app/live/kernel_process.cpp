#include "app/live/kernel_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/live/kernel_messages.h"
#include "app/platform/child_process.h"

namespace conv {

namespace {

constexpr auto longest_send = std::chrono::seconds(10), longest_stop = std::chrono::seconds(2),
               longest_recording = std::chrono::seconds(30);
constexpr std::size_t most_picture_bytes = std::size_t{320} << 20;  // the process needs some five times as much

}  // namespace

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

Result<std::string> KernelProcess::exchange(const std::string& message, std::size_t most_bytes, Clock::time_point until,
                                            const std::stop_token& stop) const {
  MessageChannel& channel = process_->channel();
  CONV_TRY(channel.send(message, Clock::now() + longest_send));
  if (auto answer = CONV_TRY(channel.receive(most_bytes, until, stop))) return std::move(*answer);
  if (!stop.stop_requested()) return failure("it does not answer");
  CONV_TRY(channel.send("", Clock::now() + longest_stop));
  if (auto answer = CONV_TRY(channel.receive(most_bytes, Clock::now() + longest_stop))) return std::move(*answer);
  return failure("it does not stop");
}

Result<std::string> KernelProcess::answer_to(KernelQuestion& question, std::size_t most_bytes, Clock::time_point until,
                                             const std::stop_token& stop) const {
  const std::string message = to_message(question);
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(20)))
    if (stop.stop_requested() || Clock::now() > until) return failure("stopped");
  if (!process_) return failure(why_ended_);
  Result<std::string> answer = exchange(message, most_bytes, until, stop);
  if (answer) return answer;
  process_.reset();
  why_ended_ = fmt::format("{}: its process was ended: {}. Run the kernel again", file_, answer.error().text);
  return failure(why_ended_);
}

std::string KernelProcess::end() const {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? why_ended_ : "";
}

Result<float> KernelProcess::run(const LaunchPlan& plan, const KernelStep& step, const StepImages& images,
                                 const std::stop_token& stop) const {
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  if (std::max(images.reads.size(), images.writes.size()) > most_picture_bytes)
    return failure(fmt::format("{}: an edited kernel runs on pictures of at most {} MiB. Use a smaller one", file_,
                               most_picture_bytes >> 20));
  KernelQuestion question = question_about(plan, step, KernelRequest::run);
  question.reads = text(images.reads);
  question.also_reads = text(images.also_reads);
  if (step.rows) question.writes = text(images.writes);
  const std::string message =
      CONV_TRY(answer_to(question, most_answer_bytes(plan, step), Clock::time_point::max(), stop));
  const RunAnswer answer = CONV_TRY(run_answer(message, plan, step));
  std::memcpy(images.writes.data(), answer.writes.data(), answer.writes.size());
  return answer.ms;
}

BlockRecording KernelProcess::record(const LaunchPlan& plan, const KernelStep& step, Point2 block) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_block);
  question.block = block;
  BlockRecording empty{.block = block};
  empty.written.resize(static_cast<std::size_t>(step.block.area()));
  return answer_to(question, most_answer_bytes(plan, step), Clock::now() + longest_recording)
      .and_then([&](const std::string& message) { return block_answer(message, plan, step, block); })
      .value_or(std::move(empty));
}

WarpRecording KernelProcess::record_warps(const LaunchPlan& plan, const KernelStep& step, Point2 block) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_warps);
  question.block = block;
  return answer_to(question, most_answer_bytes(plan, step), Clock::now() + longest_recording)
      .and_then([&](const std::string& message) { return warp_answer(message, plan, step, block); })
      .value_or(WarpRecording{.block = block, .threads = step.block, .complete = false});
}

ThreadRecording KernelProcess::record_thread(const LaunchPlan& plan, const KernelStep& step, Point2 block,
                                             Point2 thread) const {
  KernelQuestion question = question_about(plan, step, KernelRequest::record_thread);
  question.block = block;
  question.thread = thread;
  return answer_to(question, most_answer_bytes(plan, step), Clock::now() + longest_recording)
      .and_then([&](const std::string& message) { return thread_answer(message, plan, step, block, thread); })
      .value_or(ThreadRecording{.block = block, .thread = thread, .steps = {}, .complete = false});
}

}  // namespace conv
