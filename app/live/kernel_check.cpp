#include "app/live/kernel_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <nlohmann/json.hpp>

#include "app/live/kernel_twin.h"
#include "app/platform/child_process.h"

namespace conv {

namespace {

using json = nlohmann::json;
using Clock = MessageChannel::Clock;

// A kernel of somebody else could have written it, too: it is as trustworthy as the kernel's author.
Result<KernelReport> report_in(const std::string& message) {
  const json said = json::parse(message, nullptr, false);
  if (said.is_object() && said.contains("cannot") && said["cannot"].is_string())
    return failure(said["cannot"].get<std::string>());
  const auto text_in = [](const json& value) {
    constexpr std::size_t most = 4096;  // of each text
    return value.get<std::string>().substr(0, most);
  };
  const auto number_in = [](const json& value, long long most) {
    return value.is_number_integer() ? static_cast<int>(std::clamp(value.get<long long>(), 0ll, most)) : 0;
  };
  KernelReport report;
  try {
    report.errors = text_in(said.at("errors"));
    report.checked = number_in(said.at("checked"), INT_MAX);
    for (const json& row : said.at("flaws"))
      if (report.flaws.size() < std::size(flaws))
        report.flaws.push_back({static_cast<Flaw>(number_in(row.at(0), std::size(flaws) - 1)), text_in(row.at(1)),
                                text_in(row.at(2)), number_in(row.at(3), INT_MAX)});
    if (said.contains("work")) report.work = said["work"].get<WorkDone>();
  } catch (const json::exception&) {
    return failure("the check ended without a report");
  }
  return report;
}

// The first message of the process.
Result<std::string> first_message(MessageChannel& channel, const std::stop_token& stop) {
  using namespace std::chrono_literals;
  if (auto message = CONV_TRY(channel.receive(most_kernel_bytes, Clock::now() + 60s, stop))) return std::move(*message);
  return failure(stop.stop_requested() ? "it was stopped" : "it took longer than a minute");
}

struct Answered {
  KernelReport report;
  std::unique_ptr<ChildProcess> process;
};

// Starts the process in the folder, and takes its report.
Result<Answered> start_in(const ScratchFolder& folder, const KernelJob& job, const std::string& text,
                          const std::stop_token& stop) {
  if (text.size() > most_kernel_bytes) return failure("the kernel file has more than 1 MiB");
  auto process = CONV_TRY(ChildProcess::start(worker_arguments(folder.path(), job)));
  const auto said = process->channel().send(text, Clock::now() + std::chrono::seconds(10)).and_then([&] {
    return first_message(process->channel(), stop);
  });
  if (!said) return failure("the kernel's process gave no report: " + said.error().text);
  KernelReport report = CONV_TRY(report_in(*said));
  if (report.checked == 0 && report.errors.empty() && report.flaws.empty())
    return failure(fmt::format("{} refuses every case: nothing was checked", job.task));
  return Answered{std::move(report), std::move(process)};
}

}  // namespace

Result<KernelReport> check_kernel(std::string_view task, const std::string& text, const std::stop_token& stop) {
  const ScratchFolder folder = CONV_TRY(ScratchFolder::create());
  const KernelJob job{.task = std::string(task)};
  return start_in(folder, job, text, stop).map([](Answered answered) { return std::move(answered.report); });
}

Result<RunningKernel> check_and_start(std::string_view task, const std::string& text,
                                      const std::set<std::string>& instances, const std::stop_token& stop) {
  ScratchFolder folder = CONV_TRY(ScratchFolder::create());
  const KernelJob job{.task = std::string(task), .instances = instances, .keeps_running = true};
  Answered answered = CONV_TRY(start_in(folder, job, text, stop));
  RunningKernel kernel{.report = std::move(answered.report)};
  if (!kernel.report.passed()) return kernel;
  const CheckTask checks = *check_task(task);
  kernel.process = std::make_shared<const KernelProcess>(
      std::move(folder), std::move(answered.process), kernel_file_of(*checks.variant), instances_of(checks, instances));
  return kernel;
}

}  // namespace conv
