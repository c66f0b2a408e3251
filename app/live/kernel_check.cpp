#include "app/live/kernel_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/check/check_cases.h"
#include "app/live/confine.h"
#include "app/live/kernel_twin.h"
#include "app/platform/process.h"
#include "kernels/variants/support/declared.h"

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

// Small pictures of odd sizes, in two formats, with every padding and several filters and blocks.
std::vector<CheckCase> cases_of(const Variant& variant) {
  std::vector<CheckCase> cases = check_cases(7);
  std::erase_if(cases, [&](const CheckCase& c) {
    const bool kept = (c.format == PixelType::f32 || c.format == PixelType::rgba8) && c.filter.radius <= 5 &&
                      c.image != Size2{640, 3};
    return !kept || (variant.fuses_edges && c.filter.kind != FilterKind::edges);
  });
  return cases;
}

Flaw flaw_of(const std::string& text) {
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (has("race in block")) return Flaw::race;
  if (has("a barrier the others never reach")) return Flaw::barrier;
  if (has("is written twice") || has("never written")) return Flaw::written;
  if (has("did not end")) return Flaw::endless;
  return Flaw::memory;
}

// text: of Checker, which begins with the case.
void add(std::vector<FoundFlaw>& found, Flaw flaw, const std::string& text, const CheckCase& c) {
  const auto same = std::ranges::find(found, flaw, &FoundFlaw::flaw);
  const std::string where = to_text(c), prefix = where + ": ";
  const std::size_t at = text.find(prefix);
  if (same == found.end())
    found.push_back({flaw, at == std::string::npos ? text : text.substr(at + prefix.size()), where});
  else
    ++same->cases;
}

KernelReport checked(Processor& processor, const Variant& variant, const KernelTwin& twin) {
  KernelReport report;
  Checker checker(processor, [&](LaunchPlan& plan) { twin.put_into(plan); });
  for (const CheckCase& c : cases_of(variant)) {
    const Result<void> watched = checker.watch(variant, c);
    if (!watched) add(report.flaws, flaw_of(watched.error().text), watched.error().text, c);
    const bool is_stopped =
        std::ranges::any_of(report.flaws, [](const FoundFlaw& f) { return f.flaw <= Flaw::endless; });
    if (is_stopped) break;  // each case would take as long as the first
    const CheckOutcome outcome = checker.check(variant, c);
    report.checked += !outcome.refused;
    if (!outcome.refused && !outcome.text.empty()) add(report.flaws, Flaw::wrong, outcome.text, c);
    if (report.flaws.size() > 1 && report.checked > 20) break;
  }
  std::ranges::sort(report.flaws, {}, &FoundFlaw::flaw);
  return report;
}

Result<KernelReport> report_of_worker(const fs::path& scratch, std::string_view variant) {
  constexpr std::size_t mb = std::size_t{1} << 20;
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const Variant& chosen = *checked_variant(variant);
  // Before anything of the text is looked at.
  CONV_TRY(confine({.scratch = scratch, .memory_bytes = 3000 * mb, .processor_s = 40, .most_file_bytes = 64 * mb}));
  std::set<std::string> instances;
  for (const CheckCase& c : cases_of(chosen))
    if (const auto plan = plan_case(chosen, c, cpu_limits())) add_instances(*plan, chosen, instances);
  const std::string errors = CONV_TRY(compile_twin(scratch, chosen, text, instances));
  if (!errors.empty()) return KernelReport{.errors = errors};
  Processor processor = CONV_TRY(Processor::create(DeviceChoice::cpu));  // with its threads
  CONV_TRY(confine_kernel());
  const KernelTwin twin = CONV_TRY(KernelTwin::load(scratch, chosen, instances));
  return checked(processor, chosen, twin);
}

}  // namespace

const Variant* checked_variant(std::string_view id) {
  for (const Variant& declared : declared_plans())
    if (declared.id == id) return &declared;
  return find_variant(id);
}

int run_kernel_worker(const fs::path& scratch, std::string_view variant) {
  const Result<KernelReport> report = in_words([&] { return report_of_worker(scratch, variant); });
  json said;
  if (!report) {
    said["cannot"] = report.error().text;
  } else {
    said = {{"errors", report->errors}, {"checked", report->checked}, {"flaws", json::array()}};
    for (const FoundFlaw& flaw : report->flaws)
      said["flaws"].push_back({static_cast<int>(flaw.flaw), flaw.text, flaw.where, flaw.cases});
  }
  const std::string line = said.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
  std::_Exit(0);  // the kernel's file may have code for the end, too
}

Result<KernelReport> check_kernel(std::string_view variant, const std::string& text) {
  if (text.size() > most_kernel_bytes) return failure("the kernel file has more than 1 MiB");
  const ScratchFolder scratch = CONV_TRY(ScratchFolder::create());
  const Result<std::string> answer = run_process(
      {.arguments = {"/proc/self/exe", std::string(kernel_worker_word), scratch.path().string(), std::string(variant)},
       .input = text,
       .limit = std::chrono::seconds(60),
       .most_output_bytes = most_kernel_bytes,
       .own_group = true});
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
  } catch (const json::exception&) {
    return failure("the check ended without a report");
  }
  return report;
}

}  // namespace conv
