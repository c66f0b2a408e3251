#include "app/jobs/lab_runner.h"

namespace conv {

void LabRunner::start(const LabJob& job, DeviceChoice device, bool only_failing) {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    if (status_.job != job || status_.cells.empty()) {
      status_.cells.assign(lab_filters(job.matrix).size() * lab_variants(job.matrix).size(), {});
      only_failing = false;
    }
    status_.job = job;
    status_.done = status_.total = 0;
    for (LabCell& cell : status_.cells) {
      if (!only_failing || cell.state == CellState::failed) {
        cell = {};
        ++status_.total;
      }
    }
  }
  worker_.start(std::make_shared<const Run>(Run{job, device}));
}

Result<std::monostate> LabRunner::run(const Run& run, const std::stop_token& stop) {
  Processor processor = CONV_TRY(Processor::create(run.device));
  {
    const std::lock_guard lock(mutex_);
    status_.device = processor.name();
  }
  Lab lab(processor, run.job);
  const std::vector<FilterSpec> rows = lab_filters(run.job.matrix);
  const std::vector<const Variant*> columns = lab_variants(run.job.matrix);
  for (std::size_t i = 0; i < rows.size() * columns.size() && !stop.stop_requested(); ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (status_.cells[i].state != CellState::waiting) continue;
    }
    LabCell cell = lab.run(rows[i / columns.size()], *columns[i % columns.size()], stop);
    if (stop.stop_requested()) break;  // this cell still waits
    const std::lock_guard lock(mutex_);
    status_.cells[i] = std::move(cell);
    ++status_.done;
  }
  return std::monostate{};
}

LabStatus LabRunner::status() const {
  const bool running = worker_.busy();  // asked first: what has ended has set all of its status
  const std::lock_guard lock(mutex_);
  LabStatus status = status_;
  status.running = running;
  if (!running) status.error = worker_.error();
  return status;
}

}  // namespace conv
