// The file a sweep is kept in: JSON that is whole after every row, so that it survives whatever ends the program.
#pragma once
#include <filesystem>

#include "app/measure/bench.h"
#include "kernels/core/descriptor.h"
#include "kernels/core/error.h"

namespace conv {

// Of what was measured in the window or for the variant "auto"; empty where there is no home.
std::filesystem::path results_folder();
// Where a processor's results are kept among others: "NVIDIA H200" becomes "NVIDIA_H200".
std::string folder_of(std::string processor);

// A row that was being written when the program ended is left out.
Result<BenchResults> read_results(const std::string& path);

class BenchFile {
 public:
  // resume: goes on behind what the file holds, which must be of the same environment; a missing file begins anew.
  // Else a file of that name is replaced.
  static Result<BenchFile> open(const std::string& path, const BenchEnvironment& environment, bool resume);
  // With these rows, in place of what is there, which stays until all of them are written.
  static Result<BenchFile> create(const std::string& path, const BenchEnvironment& environment,
                                  std::vector<BenchRow> rows);
  // What it held when it was opened.
  const std::vector<BenchRow>& rows() const { return rows_; }
  Result<void> add(const BenchRow& row);

 private:
  std::string path_;
  Descriptor file_;
  long long end_ = 0;  // where the next row goes: before what closes the file
  std::vector<BenchRow> rows_;
  bool empty_ = true;
};

Result<void> write_ceilings(const std::string& path, const Ceilings& ceilings);
// Nothing where the file is missing or makes no sense.
std::optional<Ceilings> read_ceilings(const std::string& path);

// How a configuration's time changed from one file to another: new over old.
struct BenchChange {
  const BenchRow* before = nullptr;
  const BenchRow* after = nullptr;
  double ratio = 1, low = 1, high = 1;  // of the medians, with its 95 % interval by resampling
  // lost: it has no time any more. too_few: samples, fewer than 16 in one of them.
  enum class Outcome { same, slower, faster, lost, too_few } outcome = Outcome::same;
};
// Between two runs the same row differs by some percent: less than `within` of the ratio is no change. Rows that
// only one of them has are left out.
std::vector<BenchChange> changes_between(const BenchResults& before, const BenchResults& after, double within);

}  // namespace conv
