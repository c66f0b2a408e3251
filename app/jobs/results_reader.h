// A results file that the user opens, for the bench panel. It may be anyone's.
#pragma once
#include "app/model/status.h"

namespace conv {

// Files of more than 64 MiB are refused, and files without a row.
Result<ReadResults> read_opened_results(const ResultsQuestion& question);

}  // namespace conv
