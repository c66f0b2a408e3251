#include "app/jobs/explainer.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/jobs/code_reader.h"
#include "app/measure/roofline.h"

namespace conv {

namespace {

std::shared_ptr<const LaunchPlan> plan_of(const ExplainQuestion& question) {
  if (question.plan) return question.plan;
  std::optional<LaunchPlan> plan = kernel_plan_of(question.point, question.limits);
  return plan ? std::make_shared<const LaunchPlan>(std::move(*plan)) : nullptr;
}

// Of all its steps; nothing if one is no kernel, or if no step uses shared memory.
std::optional<double> wavefronts_per_request(const LaunchPlan& plan) {
  double requests = 0, wavefronts = 0;
  for (const Step& any : plan.steps) {
    const auto* step = std::get_if<KernelStep>(&any);
    if (!step) return {};
    const StepCounts counts = counts_of(plan, *step, nullptr);
    requests += static_cast<double>(counts.shared_requests());
    wavefronts += static_cast<double>(counts.shared_wavefronts());
  }
  return requests > 0 ? std::optional(wavefronts / requests) : std::nullopt;
}

}  // namespace

const Explainer::Code& Explainer::code_of(const std::shared_ptr<const KernelTexts>& texts, CompileJob job) {
  if (texts_ != texts || codes_.size() >= most_codes) codes_.clear();
  texts_ = texts;
  job.options += with_lines;
  const auto [at, is_new] = codes_.try_emplace(job);
  if (is_new)
    if (const Result<CountedKernel> counted = nvrtc_compile_and_count(*texts, job))
      at->second = {disassembled(counted->kernel.code, job.file), counted->resources};
  return at->second;
}

Result<ExplainAnswer> Explainer::count(const ExplainQuestion& question, const std::stop_token& stop) {
  ExplainAnswer answer{.question = question};
  const std::shared_ptr<const LaunchPlan> plan = plan_of(question);
  if (!plan) {
    answer.why_not = "Only kernels in one stream of a GPU are explained.";
    return answer;
  }
  for (const Step& any : plan->steps) {
    if (stop.stop_requested()) return failure("cancelled");
    const auto* step = std::get_if<KernelStep>(&any);
    if (!step) {
      answer.steps.clear();
      answer.why_not = fmt::format("Only kernels are explained, and this plan has another step: {}.",
                                   plan->title_of(static_cast<std::size_t>(&any - plan->steps.data())));
      return answer;
    }
    const Code& code = code_of(question.texts, exact_job(step->kernel, question.architecture));
    StepCounts& counts =
        answer.steps.emplace_back(counts_of(*plan, *step, code.text.text.empty() ? nullptr : &code.text));
    if (!code.resources || !question.multiprocessor) continue;
    KernelResources resources = *code.resources;
    resources.shared_bytes += step->shared_bytes;
    resources.block = step->block;
    const int blocks = occupancy_of(resources, *question.multiprocessor).blocks * question.multiprocessor->count;
    counts.waves = static_cast<double>(counts.blocks) / std::max(1, blocks);
  }
  for (const BenchRow& row : question.rows->rows) {
    if (stop.stop_requested()) return failure("cancelled");
    BenchPoint other = row.point;
    if (row.state != RowState::measured || other.lane.block == question.point.lane.block) continue;
    other.lane.block = question.point.lane.block;
    if (other != question.point) continue;
    const auto other_plan = kernel_plan_of(row.point, question.limits);
    const auto wavefronts = other_plan ? wavefronts_per_request(*other_plan) : std::nullopt;
    if (wavefronts) answer.others.push_back({row.point.lane.block, row.summary().median, *wavefronts});
  }
  return answer;
}

}  // namespace conv
