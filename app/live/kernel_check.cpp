#include "app/live/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/check/wrong_pixels.h"
#include "app/live/confine.h"
#include "app/live/kernel_twin.h"
#include "app/platform/process.h"

namespace conv {

namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

// A folder that goes with this object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> create() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "convoscope-XXXXXX").string();
    if (error || !::mkdtemp(name.data())) return failure("no temporary folder can be made");
    return ScratchFolder(name);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  const fs::path& path() const { return path_; }

 private:
  explicit ScratchFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

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

// The instances that the task needs, and these.
std::set<std::string> all_instances(const CheckTask& task, std::set<std::string> instances) {
  std::vector<CheckCase> cases = task.cases;
  cases.push_back(task.counted);
  for (const CheckCase& c : cases)
    if (const auto plan = plan_case(*task.variant, c, cpu_limits())) add_instances(*plan, *task.variant, instances);
  return instances;
}

Result<KernelReport> report_of_worker(const fs::path& scratch, std::string_view id, std::set<std::string> more) {
  constexpr std::size_t mb = std::size_t{1} << 20;
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const CheckTask task = *check_task(id);
  const Variant& chosen = *task.variant;
  // Before anything of the text is looked at.
  CONV_TRY(confine({.scratch = scratch, .memory_bytes = 3000 * mb, .processor_s = 40, .most_file_bytes = 64 * mb}));
  const std::set<std::string> instances = all_instances(task, std::move(more));
  const std::string errors = CONV_TRY(compile_twin(scratch, chosen, text, instances));
  if (!errors.empty()) return KernelReport{.errors = errors};
  Processor processor = CONV_TRY(Processor::create(DeviceChoice::cpu));  // with its threads
  CONV_TRY(confine_kernel());
  const KernelTwin twin = CONV_TRY(KernelTwin::load(scratch, chosen, instances));
  return checked(processor, task, twin);
}

}  // namespace

int run_kernel_worker(const fs::path& scratch, std::string_view task, const std::string& instances) {
  std::set<std::string> more;
  std::istringstream lines(instances);
  for (std::string line; std::getline(lines, line);) more.insert(line);
  const Result<KernelReport> report = in_words([&] { return report_of_worker(scratch, task, std::move(more)); });
  json said;
  if (!report) {
    said["cannot"] = report.error().text;
  } else {
    said = {{"errors", report->errors}, {"checked", report->checked}, {"flaws", json::array()}};
    for (const FoundFlaw& flaw : report->flaws)
      said["flaws"].push_back({static_cast<int>(flaw.flaw), flaw.text, flaw.where, flaw.cases});
    if (report->work) said["work"] = *report->work;
  }
  const std::string line = said.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  std::_Exit(0);  // the kernel's file may have code for the end, too
}

static fs::path worker_program = "/proc/self/exe";

void set_kernel_worker(const fs::path& program) {
  worker_program = program;
}

// What the other process says of the text; the compiled kernel is in the folder.
static Result<KernelReport> checked_in(const fs::path& scratch, std::string_view task, const std::string& text,
                                       const std::set<std::string>& instances, const std::stop_token& stop) {
  if (text.size() > most_kernel_bytes) return failure("the kernel file has more than 1 MiB");
  const Result<std::string> answer =
      run_process({.arguments = {worker_program, std::string(kernel_worker_word), scratch, std::string(task),
                                 fmt::format("{}", fmt::join(instances, "\n"))},
                   .input = text,
                   .limit = std::chrono::seconds(60),
                   .most_output_bytes = most_kernel_bytes,
                   .own_group = true,
                   .stop = stop});
  if (!answer) return failure("the kernel's process gave no report: " + answer.error().text);
  // A kernel of somebody else could print a report, too: it is as trustworthy as the kernel's author.
  const json said = json::parse(*answer, nullptr, false);
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
  if (report.checked == 0 && report.errors.empty() && report.flaws.empty())
    return failure(fmt::format("{} refuses every case: nothing was checked", task));
  return report;
}

Result<KernelReport> check_kernel(std::string_view task, const std::string& text, const std::stop_token& stop) {
  const ScratchFolder scratch = CONV_TRY(ScratchFolder::create());
  return checked_in(scratch.path(), task, text, {}, stop);
}

Result<CheckedTwin> check_and_load(std::string_view task, const std::string& text,
                                   const std::set<std::string>& instances, const std::stop_token& stop) {
  const ScratchFolder scratch = CONV_TRY(ScratchFolder::create());
  CheckedTwin loaded;
  loaded.report = CONV_TRY(checked_in(scratch.path(), task, text, instances, stop));
  if (!loaded.report.passed()) return loaded;
  const CheckTask checks = *check_task(task);
  loaded.twin = std::make_shared<const KernelTwin>(
      CONV_TRY(KernelTwin::load(scratch.path(), *checks.variant, all_instances(checks, instances))));
  return loaded;
}

}  // namespace conv
