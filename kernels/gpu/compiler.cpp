#include "kernels/gpu/compiler.h"

#include <algorithm>

namespace conv {

Compiler::Compiler(std::shared_ptr<const KernelTexts> texts, CubinCache cache, std::string architecture)
    : texts_(std::move(texts)),
      cache_(std::move(cache)),
      architecture_(std::move(architecture)),
      thread_([this] { work(); }) {}

Compiler::~Compiler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

Compiler::Answer Compiler::look_up(const CompileJob& job) const {
  const std::lock_guard lock(mutex_);
  const auto found = answers_.find(job);
  return found == answers_.end() ? Answer{} : found->second;
}

void Compiler::request(CompilerClient client, std::vector<CompileJob> jobs) {
  {
    const std::lock_guard lock(mutex_);
    wanted_[client].assign(jobs.begin(), jobs.end());
  }
  wake_.notify_one();
}

void Compiler::prefetch(std::vector<CompileJob> jobs) {
  {
    const std::lock_guard lock(mutex_);
    prefetched_.assign(jobs.begin(), jobs.end());
  }
  wake_.notify_one();
}

std::map<CompileJob, std::shared_ptr<const CompiledKernel>> Compiler::set_texts(
    std::shared_ptr<const KernelTexts> texts) {
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> good;
  const std::lock_guard lock(mutex_);
  texts_ = std::move(texts);
  for (auto& [job, answer] : answers_)
    if (answer.state == State::ready) good[job] = std::move(answer.kernel);
  answers_.clear();
  return good;
}

bool Compiler::busy() const {
  const std::lock_guard lock(mutex_);
  return working_ || !prefetched_.empty() ||
         std::any_of(wanted_.begin(), wanted_.end(), [](const auto& client) { return !client.second.empty(); });
}

Compiler::Answer Compiler::compile(const KernelTexts& texts, const CompileJob& job) const {
  const std::string key = CubinCache::key_of(texts, job);
  if (auto cached = cache_.get(key)) return {State::ready, std::make_shared<CompiledKernel>(std::move(*cached)), {}};
  Result<CompiledKernel> compiled = nvrtc_compile(texts, job);
  if (!compiled) return {State::failed, nullptr, compiled.error().text};
  cache_.put(key, *compiled);
  return {State::ready, std::make_shared<CompiledKernel>(std::move(*compiled)), {}};
}

Compiler::Answer Compiler::compile_now(const CompileJob& job) {
  if (Answer answer = look_up(job); answer.state == State::ready) return answer;
  const std::shared_ptr<const KernelTexts> texts = [&] {
    const std::lock_guard lock(mutex_);
    return texts_;
  }();
  Answer answer = compile(*texts, job);
  const std::lock_guard lock(mutex_);
  return answers_[job] = std::move(answer);
}

void Compiler::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto wanted =
        std::find_if(wanted_.begin(), wanted_.end(), [](const auto& client) { return !client.second.empty(); });
    std::deque<CompileJob>* queue = wanted != wanted_.end() ? &wanted->second : &prefetched_;
    if (stopping_) return;
    if (queue->empty()) {
      wake_.wait(lock);
      continue;
    }
    const CompileJob job = std::move(queue->front());
    queue->pop_front();
    if (answers_.contains(job)) continue;
    answers_[job].state = State::pending;
    const std::shared_ptr<const KernelTexts> texts = texts_;
    working_ = true;
    lock.unlock();
    Answer answer = compile(*texts, job);
    lock.lock();
    working_ = false;
    if (texts == texts_) answers_[job] = std::move(answer);
  }
}

}  // namespace conv
