#include "app/jobs/results_reader.h"

#include <fmt/format.h>

#include "app/measure/bench_json.h"
#include "kernels/core/file.h"

namespace conv {

constexpr std::size_t largest_file = 64 << 20;

Result<ReadResults> read_opened_results(const ResultsQuestion& question) {
  std::string text = CONV_TRY(read_file(question.path, largest_file));
  BenchResults results = CONV_TRY(results_of(question.path, std::move(text)));
  if (results.rows.empty()) return failure(question.path + ": has no results");
  ReadResults read{.question = question,
                   .name = std::filesystem::path(question.path).filename().string(),
                   .rows = std::move(results.rows)};
  // One name for the whole file: host rows beside GPU rows are still of the same computer.
  const std::string machine =
      fmt::format("{}: {}, {}", read.name, results.environment.processor, read.rows.front().date.substr(0, 10));
  for (BenchRow& row : read.rows) row.elsewhere = machine;
  return read;
}

}  // namespace conv
