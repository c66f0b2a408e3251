// Work on a thread of its own.
#pragma once
#include <future>
#include <thread>
#include <utility>

#include "kernels/core/error.h"

namespace conv {

// Starts work that returns a Result. Exceptions become its error. Nobody needs to wait for the answer: work must own
// what it uses.
template <class Work>
auto in_background(Work work) -> std::future<decltype(work())> {
  std::packaged_task<decltype(work())()> task([work = std::move(work)] { return in_words(work); });
  auto answer = task.get_future();
  std::thread(std::move(task)).detach();
  return answer;
}

}  // namespace conv
