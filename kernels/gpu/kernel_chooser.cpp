#include "kernels/gpu/kernel_chooser.h"

#include <algorithm>

namespace conv {

CompileJob KernelChooser::exact_job(const KernelStep& step) const {
  return conv::exact_job(step.kernel, compiler_->architecture());
}

CompileJob KernelChooser::general_job(const KernelStep& step) const {
  CompileJob job = exact_job(step);
  job.instance = step.kernel.general.text();
  job.options.clear();
  return job;
}

KernelChooser::Found KernelChooser::find(const KernelStep& step) const {
  Found found;
  for (const Running running : {Running::exact, Running::general}) {
    const CompileJob job = running == Running::exact ? exact_job(step) : general_job(step);
    Compiler::Answer answer = compiler_->look_up(job);
    found.running = running;
    found.code = answer.kernel;
    if (answer.state == Compiler::State::ready) return found;
    if (answer.state == Compiler::State::failed)
      found.error = answer.error;
    else
      (running == Running::exact ? found.exacts : found.generals).push_back(job);
    const auto good = last_good_.find(job);
    found.code = good == last_good_.end() ? nullptr : good->second;
    if (found.code) return found;
  }
  found.running = Running::nothing;
  return found;
}

Result<KernelChooser::Choice> KernelChooser::choose(CompilerClient client, const LaunchPlan& plan) {
  Choice choice;
  choice.what.running = Running::exact;
  std::vector<CompileJob> generals, exacts;
  for (const Step* any_step : all_steps(plan)) {
    const auto* step = std::get_if<KernelStep>(any_step);
    if (!step) {
      choice.kernels.push_back(nullptr);
      continue;
    }
    Found found = find(*step);
    choice.what.running = std::max(choice.what.running, found.running);
    if (!found.error.empty()) choice.what.error = std::move(found.error);
    exacts.insert(exacts.end(), found.exacts.begin(), found.exacts.end());
    generals.insert(generals.end(), found.generals.begin(), found.generals.end());
    if (found.code) choice.kernels.push_back(CONV_TRY(library_.load(found.code)));
  }
  generals.insert(generals.end(), exacts.begin(),
                  exacts.end());  // the general ones first, so that something can be shown soon
  if (!generals.empty()) compiler_->request(client, std::move(generals));
  return choice;
}

void KernelChooser::prefetch(const std::vector<LaunchPlan>& plans) {
  std::vector<CompileJob> jobs;
  for (const LaunchPlan& plan : plans)
    for (const Step* step : all_steps(plan))
      if (const auto* kernel = std::get_if<KernelStep>(step)) jobs.push_back(exact_job(*kernel));
  compiler_->prefetch(std::move(jobs));
}

Result<void> KernelChooser::compile_now(const LaunchPlan& plan) {
  for (const Step* step : all_steps(plan)) {
    const auto* kernel = std::get_if<KernelStep>(step);
    if (!kernel) continue;
    const Compiler::Answer answer = compiler_->compile_now(exact_job(*kernel));
    if (answer.state == Compiler::State::failed) return failure(answer.error);
  }
  return {};
}

void KernelChooser::reload(std::shared_ptr<const KernelTexts> texts) {
  for (auto& [job, kernel] : compiler_->set_texts(std::move(texts))) last_good_[job] = std::move(kernel);
}

Result<LoadedKernel*> KernelChooser::exact(const KernelStep& step) {
  const Compiler::Answer answer = compiler_->look_up(exact_job(step));
  if (answer.state != Compiler::State::ready) return nullptr;
  return library_.load(answer.kernel);
}

}  // namespace conv
