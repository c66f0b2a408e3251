#include "app/pipeline/cpu_worker.h"

#include <algorithm>

namespace conv {

CpuWorker::CpuWorker() : thread_([this] { work(); }) {}

CpuWorker::~CpuWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (Lane& lane : lanes_) lane.stop.request_stop();
  }
  wake_.notify_all();
  thread_.join();
}

void CpuWorker::submit(int lane, CpuJob job) {
  {
    const std::lock_guard lock(mutex_);
    Lane& l = lanes_[lane];
    const bool replaces = l.running && (l.running->job.plan != job.job.plan || l.running->source != job.source);
    const auto may_end = [](const CpuJob& j) { return !j.job.repeats && (j.job.is_quick || j.is_preview); };
    if (replaces && !may_end(*l.running)) l.stop.request_stop();
    l.preview.reset();
    if (job.job.preview) l.preview = CpuJob{.job = job.job, .source = job.source, .trace = {}, .is_preview = true};
    l.waiting = std::move(job);
  }
  wake_.notify_one();
}

void CpuWorker::cancel(int lane) {
  const std::lock_guard lock(mutex_);
  lanes_[lane].preview.reset();
  lanes_[lane].waiting.reset();
  lanes_[lane].done.reset();
  lanes_[lane].stop.request_stop();
}

std::optional<CpuResult> CpuWorker::take(int lane) {
  const std::lock_guard lock(mutex_);
  return std::exchange(lanes_[lane].done, std::nullopt);
}

bool CpuWorker::busy(int lane) const {
  const std::lock_guard lock(mutex_);
  return lanes_[lane].has_work() || lanes_[lane].running;
}

void CpuWorker::work() {
  int turn = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] {
      return stopping_ || std::any_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.has_work(); });
    });
    if (stopping_) return;
    do turn = (turn + 1) % lanes;  // lanes take turns if several have work
    while (!lanes_[turn].has_work());
    Lane& lane = lanes_[turn];
    lane.running = std::exchange(lane.preview ? lane.preview : lane.waiting, std::nullopt);
    lane.stop = {};
    const CpuJob job = *lane.running;
    const std::stop_token stop = lane.stop.get_token();
    lock.unlock();
    HostImage image;
    const Result<std::vector<StepSpan>> spans = in_words([&]() -> Result<std::vector<StepSpan>> {
      image = HostImage(job.plan()->format, job.plan()->image);
      return executor_.run(*job.plan(), *job.source, image, stop);
    });
    const auto ended = std::chrono::steady_clock::now();
    lock.lock();
    lane.running.reset();
    if (stop.stop_requested()) continue;
    if (!spans) {
      lane.done = CpuResult{.job = job, .error = spans.error().text};
      continue;
    }
    const std::chrono::duration<float, std::milli> ran(spans->back().end_ms);
    const auto began = ended - std::chrono::duration_cast<std::chrono::steady_clock::duration>(ran);
    lane.done = CpuResult{.job = job, .image = std::move(image), .spans = *spans, .began = began};
  }
}

}  // namespace conv
