// The results file of a sweep: JSON that is complete after every row, so it survives any end of the program.
#pragma once
#include <filesystem>

#include "app/measure/bench_rows.h"
#include "kernels/core/descriptor.h"
#include "kernels/core/error.h"

namespace conv {

// The folder of results measured in the window or for the variant "auto"; empty without a home folder.
std::filesystem::path results_folder();
// The name of a processor's folder: "NVIDIA H200" becomes "NVIDIA_H200".
std::string folder_of(std::string processor);

// Whether a file begins like one of these. The window opens it beside its own results.
bool is_results_file(const std::string& path);
// A row that was being written when the program ended is skipped.
Result<BenchResults> read_results(const std::string& path);
// The same from a file's text; path: for messages. Files of more than 20 000 rows are refused. Rows with invalid
// settings, with times that are not positive or with more than 10 000 samples are left out.
Result<BenchResults> results_of(const std::string& path, std::string text);

class BenchFile {
 public:
  // resume: continues after the rows of the file, which must have the same environment; a missing file is created.
  // Otherwise a file of that name is replaced.
  static Result<BenchFile> open(const std::string& path, const BenchEnvironment& environment, bool resume);
  // Replaces the file by one with these rows, once all of them are written.
  static Result<BenchFile> create(const std::string& path, const BenchEnvironment& environment,
                                  std::vector<BenchRow> rows);
  // The rows it had when it was opened.
  const std::vector<BenchRow>& rows() const { return rows_; }
  Result<void> add(const BenchRow& row);

 private:
  std::string path_;
  Descriptor file_;
  long long end_ = 0;  // where the next row goes: before the closing brackets
  std::vector<BenchRow> rows_;
  bool empty_ = true;
};

Result<void> write_ceilings(const std::string& path, const Ceilings& ceilings);
// Nothing if the file is missing or invalid.
std::optional<Ceilings> read_ceilings(const std::string& path);
// The same from the file's text.
std::optional<Ceilings> ceilings_of(std::string_view text);

// How a configuration's time changed from one file to another: new / old.
struct BenchChange {
  const BenchRow* before = nullptr;
  const BenchRow* after = nullptr;
  double ratio = 1, low = 1, high = 1;  // of the medians, with its 95 % interval by resampling
  // lost: it has no time any more. too_few: one file has fewer than 16 samples.
  enum class Outcome { same, slower, faster, lost, too_few } outcome = Outcome::same;
};
// Between two runs the same row differs by a few percent: a ratio within `within` of 1 is no change. Rows that only one
// file has are left out.
std::vector<BenchChange> changes_between(const BenchResults& before, const BenchResults& after, double within);

}  // namespace conv
