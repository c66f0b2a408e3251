#include "app/jobs/lab_runner.h"

namespace conv {

LabRunner::~LabRunner() {
  cancel();
}

void LabRunner::cancel() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void LabRunner::start(const LabJob& job, DeviceChoice device, bool only_failing) {
  cancel();
  {
    const std::lock_guard lock(mutex_);
    if (status_.job != job || status_.cells.empty()) {
      status_.cells.assign(lab_filters().size() * lab_variants().size(), {});
      only_failing = false;
    }
    status_.job = job;
    status_.running = true;
    status_.done = status_.total = 0;
    status_.error.clear();
    for (LabCell& cell : status_.cells) {
      if (!only_failing || cell.state == CellState::failed) {
        cell = {};
        ++status_.total;
      }
    }
  }
  thread_ = std::jthread([=, this](const std::stop_token& stop) { run(job, device, stop); });
}

void LabRunner::run(const LabJob& job, DeviceChoice device, const std::stop_token& stop) {
  Result<Processor> processor = Processor::create(device);
  if (!processor) {
    const std::lock_guard lock(mutex_);
    status_.error = processor.error().text;
    status_.running = false;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    status_.device = processor->name();
  }
  Lab lab(*processor, job);
  const std::vector<FilterSpec> rows = lab_filters();
  const std::vector<const Variant*> columns = lab_variants();
  for (std::size_t i = 0; i < rows.size() * columns.size() && !stop.stop_requested(); ++i) {
    {
      const std::lock_guard lock(mutex_);
      if (status_.cells[i].state != CellState::waiting) continue;
    }
    LabCell cell = lab.run(rows[i / columns.size()], *columns[i % columns.size()]);
    const std::lock_guard lock(mutex_);
    status_.cells[i] = std::move(cell);
    ++status_.done;
  }
  const std::lock_guard lock(mutex_);
  status_.running = false;
}

LabStatus LabRunner::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

}  // namespace conv
