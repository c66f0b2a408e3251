// A process that this program starts and exchanges messages with.
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/core/descriptor.h"
#include "kernels/core/error.h"

namespace conv {

// One end of a connection between two processes. A message is a sequence of bytes, which arrives as a whole.
class MessageChannel {
 public:
  explicit MessageChannel(Descriptor end) : end_(std::move(end)) {}

  using Clock = std::chrono::steady_clock;
  // Fails if the other end is closed, or does not take the whole message until then.
  Result<void> send(std::string_view message, Clock::time_point until = Clock::time_point::max());
  // Waits for the next message. Nothing: none has begun until then, or until a stop is requested. Fails if the other
  // end is closed, sends more bytes than that, or does not send the whole message soon.
  Result<std::optional<std::string>> receive(std::size_t most_bytes, Clock::time_point until = Clock::time_point::max(),
                                             const std::stop_token& stop = {});

 private:
  Descriptor end_;
};

class ChildProcess {
 public:
  // arguments: the program's name first, with a slash. It has no standard streams.
  static Result<std::unique_ptr<ChildProcess>> start(const std::vector<std::string>& arguments);
  // Ends the process, and what it has started.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;  // owns the process
  ChildProcess& operator=(const ChildProcess&) = delete;

  MessageChannel& channel() { return channel_; }
  // In the process itself: its end of the channel. Programs that it starts do not get it.
  static MessageChannel channel_to_parent();

 private:
  ChildProcess(int process, std::jthread parent, Descriptor end)
      : process_(process), parent_(std::move(parent)), channel_(std::move(end)) {}

  int process_;
  std::jthread parent_;  // has started it, and stays: a process can ask to end with the thread that has started it
  MessageChannel channel_;
};

}  // namespace conv
