#include "app/live/kernel_report.h"

#include <nlohmann/json.hpp>

#include "kernels/core/replaced.h"
#include "kernels/gpu/kernel_sources.h"
#include "kernels/variants/support/declared.h"

namespace conv {

std::string named(std::string text, const CheckedKernel& kernel) {
  return kernel.file.empty() ? text : replaced(std::move(text), declared_kernel_file, kernel.file);
}

std::string report_json(const KernelReport& report, const CheckedKernel& kernel) {
  nlohmann::json found = nlohmann::json::array();
  for (const FoundFlaw& flaw : report.flaws)
    found.push_back({{"flaw", info(flaw.flaw).id},
                     {"text", named(flaw.text, kernel)},
                     {"where", flaw.where},
                     {"cases", flaw.cases}});
  nlohmann::json whole{{"kernel", kernel.shown},
                       {"plan", kernel.task},
                       {"hash", hash_of(kernel.text)},
                       {"convoscope", CONV_VERSION},
                       {"passed", report.passed()},
                       {"cases", report.checked},
                       {"errors", named(report.errors, kernel)},
                       {"flaws", found}};
  if (report.work)
    for (const WorkInfo& work : kinds_of_work)
      whole["work"][work.id] = (*report.work)[static_cast<std::size_t>(work.work)];
  return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace conv
