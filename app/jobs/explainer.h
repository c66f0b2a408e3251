// Counts what explains a measured time.
#pragma once
#include <map>
#include <optional>
#include <stop_token>

#include "app/model/status.h"

namespace conv {

class Explainer {
 public:
  // Compiles each kernel of the plan and traces a block of it, and of the same plan with each other block that has a
  // time. Takes up to some seconds. Fails if it is stopped.
  Result<ExplainAnswer> count(const ExplainQuestion& question, const std::stop_token& stop);

 private:
  struct Code {
    CompiledText text;                         // empty if there is no compiler or no disassembler
    std::optional<KernelResources> resources;  // the same
  };
  const Code& code_of(const std::shared_ptr<const KernelTexts>& texts, CompileJob job);

  static constexpr std::size_t most_codes = 64;
  std::shared_ptr<const KernelTexts> texts_;  // that `codes_` come from
  std::map<CompileJob, Code> codes_;
};

}  // namespace conv
