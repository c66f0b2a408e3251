// Threads that share the indices of a loop. The caller works too.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace conv {

class ThreadPool {
 public:
  // threads: how many work at the same time, including the caller; 0 means one per core.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;  // owns its threads
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls work(i) once for each i in [0, count), in any order and on any thread, and returns when all are done.
  // If one throws, no further one begins, and the first exception is thrown again here.
  void for_each(int count, const std::function<void(int)>& work);

 private:
  void work_loop();
  void take_indices();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable started_, finished_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> next_ = 0;
  int count_ = 0, busy_ = 0;
  std::exception_ptr thrown_;
  long long generation_ = 0;
  bool stopping_ = false;
};

}  // namespace conv
