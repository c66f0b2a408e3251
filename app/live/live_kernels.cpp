#include "app/live/live_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/live/kernel_twin.h"
#include "app/live/own_kernels.h"
#include "kernels/core/background.h"
#include "kernels/core/registry.h"

namespace conv {

// In one line, the most serious first; empty if it passed.
static std::string trouble_in(const std::string& file, const LiveReport& found) {
  if (!found.ended.empty()) return found.ended;
  if (!found.cannot.empty()) return fmt::format("{} cannot be checked: {}", file, found.cannot);
  const KernelReport& report = found.report;
  if (!report.errors.empty()) return report.errors.substr(0, report.errors.find('\n'));
  if (!report.flaws.empty()) {
    const FoundFlaw& flaw = report.flaws.front();
    const bool is_named = flaw.text.find(file) != std::string::npos;
    return fmt::format("{}{}{}: {}", is_named ? "" : file, is_named ? "" : ": ", info(flaw.flaw).id, flaw.text);
  }
  return "";
}

LiveKernels::~LiveKernels() {
  stop_.request_stop();
  if (checking_.valid()) checking_.wait();
}

LiveKernels::Put LiveKernels::put_into(LaunchPlan& plan, const KernelSources& sources) {
  Put put;
  std::set<std::string> files;
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    const std::string file(kernel ? kernel->kernel.file : "");
    if (!kernel || !owner_of(file)) continue;
    if (sources.edited(file) != file) {
      forget(file);
      continue;
    }
    files.insert(file);
    Edit& edit = edits_[file];
    const std::string& text = sources.texts()->files.at(file);
    const bool is_new = edit.instances.insert(kernel->kernel.general.text()).second;
    if (edit.text == text && !is_new) continue;
    waiting_.insert(file);
    edit.text = text;
    edit.report.reset();
    put.is_new = true;
  }
  for (const std::string& file : files)
    if (const auto& process = edits_[file].process) put.is_edited |= process->put_into(plan);
  return put;
}

bool LiveKernels::poll() {
  bool changed = false;
  for (auto& [file, edit] : edits_) {
    const std::string end = edit.process ? edit.process->end() : "";
    if (end.empty()) continue;
    edit.process.reset();
    if (edit.text == edit.good)
      edit.report = std::make_shared<const LiveReport>(LiveReport{.text = edit.text, .ended = end});
    news_.push_back({end, false});
    changed = true;
  }
  if (checking_.valid() && checking_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
    const Result<Checked> checked = checking_.get();
    const auto edited = checked ? edits_.find(checked->file) : edits_.end();
    if (edited != edits_.end() && edited->second.text == checked->text) {
      Edit& edit = edited->second;
      LiveReport found{.text = checked->text};
      if (checked->kernel)
        found.report = checked->kernel->report;
      else
        found.cannot = checked->kernel.error().text;
      const std::string trouble = trouble_in(checked->file, found);
      if (trouble.empty()) {
        edit.process = checked->kernel->process;
        edit.good = checked->text;
      } else if (edit.good == checked->text) {
        edit.process.reset();  // it fails in an instance that no plan needed before
      }
      changed = true;
      if (trouble.empty() && waiting_.contains(checked->file))
        return changed;  // a plan needs another instance since then
      const std::string passed =
          fmt::format("{}: the edited kernel passed its check of {} cases.", checked->file, found.report.checked);
      edit.report = std::make_shared<const LiveReport>(std::move(found));
      news_.push_back({trouble.empty() ? passed : trouble, trouble.empty()});
    }
  }
  return changed;
}

void LiveKernels::start_next() {
  if (checking_.valid() || waiting_.empty()) return;
  const std::string file = waiting_.extract(waiting_.begin()).value();
  const Edit& edit = edits_[file];
  checking_ = in_background([file, id = std::string(owner_of(file)->id), text = edit.text, instances = edit.instances,
                             stop = stop_.get_token()]() -> Result<Checked> {
    return Checked{file, text, check_and_start(id, text, instances, stop)};
  });
}

void LiveKernels::check(const std::string& file, const std::string& text) {
  Edit& edit = edits_[file];
  edit.text = text;
  edit.report.reset();
  waiting_.insert(file);
}

void LiveKernels::allow(const std::string& file, const std::string& text) {
  edits_[file].allowed = text;
}

void LiveKernels::forget(const std::string& file) {
  edits_.erase(file);
  waiting_.erase(file);
}

std::shared_ptr<const LiveReport> LiveKernels::report(std::string_view file) const {
  const auto edit = edits_.find(file);
  return edit == edits_.end() ? nullptr : edit->second.report;
}

// Of a text that could not be checked.
bool LiveKernels::runs_unchecked(const std::string& file, const KernelSources& sources) const {
  const auto edit = edits_.find(file);
  if (edit == edits_.end() || !edit->second.report || edit->second.report->cannot.empty()) return false;
  return !sources.used().contains(file) || edit->second.allowed == edit->second.text;
}

std::shared_ptr<const KernelTexts> LiveKernels::texts_for_gpu(const KernelSources& sources) const {
  std::map<std::string, std::string> files = sources.texts()->files;
  bool differs = false;
  for (auto& [file, text] : files) {
    if (sources.edited(file) != file || !owner_of(file)) continue;
    const auto edit = edits_.find(file);
    if (runs_unchecked(file, sources)) continue;
    const bool is_good = edit != edits_.end() && edit->second.runs_on_gpu();
    std::string runs = is_good ? edit->second.good : std::string(built_in_kernel(file));
    differs |= runs != text;
    text = std::move(runs);
  }
  return differs ? texts_with(std::move(files)) : sources.texts();
}

std::string LiveKernels::outdated(const LaunchPlan& plan, const KernelSources& sources, bool on_gpu) const {
  for (const Step& step : plan.steps) {
    const auto* kernel = std::get_if<KernelStep>(&step);
    const std::string edited = kernel ? sources.edited(kernel->kernel.file) : "";
    if (edited.empty()) continue;
    if (on_gpu && (edited != kernel->kernel.file || runs_unchecked(edited, sources))) continue;
    const auto edit = edits_.find(edited);
    if (edit == edits_.end())
      return fmt::format("{} was edited: the CPU runs it as it was built. Build the program again to see the change",
                         edited);
    const bool is_good = on_gpu ? edit->second.runs_on_gpu() : kernel->kernel.remote != nullptr;
    const char* runs = is_good ? "The last good kernel runs." : "It runs as it was built.";
    const auto& report = edit->second.report;
    if (!report) return fmt::format("Checking the edited {}. {}", edited, runs);
    if (const std::string trouble = trouble_in(edited, *report); !trouble.empty())
      return fmt::format("{}{} {}", trouble, trouble.ends_with('?') ? "" : ".", runs);
  }
  return {};
}

}  // namespace conv
