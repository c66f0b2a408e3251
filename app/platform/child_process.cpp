#include "app/platform/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <future>
#include <mutex>

#include "app/platform/spawn_settings.h"

namespace conv {

namespace {

constexpr int channel_number = 3;                           // of the file that is the channel, in the process
constexpr auto longest_message = std::chrono::seconds(60);  // from its first to its last byte

using Clock = MessageChannel::Clock;

constexpr auto longest_pause = std::chrono::seconds(1);  // within a message, once a stop is requested

// False: it was not ready until then, or until a stop was requested.
Result<bool> wait_until_ready(int end, short events, Clock::time_point until, const std::stop_token& stop = {}) {
  using namespace std::chrono_literals;
  const std::chrono::milliseconds longest = stop.stop_possible() ? 20ms : 1s;  // between two looks at the stop
  pollfd waiting{.fd = end, .events = events, .revents = 0};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::clamp<Clock::duration>(until - Clock::now(), Clock::duration::zero(), longest));
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return failure("the connection failed");
    if (Clock::now() >= until || stop.stop_requested()) return false;
  }
}

tl::unexpected<Error> closed() {
  return failure("the other process has ended");
}

}  // namespace

Result<void> MessageChannel::send(std::string_view message, Clock::time_point until) {
  const std::uint64_t size = message.size();
  const auto send_all = [&](const char* bytes, std::size_t count) -> Result<void> {
    while (count > 0) {
      if (!CONV_TRY(wait_until_ready(end_.number(), POLLOUT, until)))
        return failure("the other process does not take a message");
      const ssize_t sent = ::send(end_.number(), bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent < 0) return closed();
      bytes += sent;
      count -= static_cast<std::size_t>(sent);
    }
    return {};
  };
  CONV_TRY(send_all(reinterpret_cast<const char*>(&size), sizeof size));
  return send_all(message.data(), message.size());
}

Result<std::optional<std::string>> MessageChannel::receive(std::size_t most_bytes, Clock::time_point until,
                                                           const std::stop_token& stop) {
  if (!CONV_TRY(wait_until_ready(end_.number(), POLLIN, until, stop))) return std::nullopt;
  const Clock::time_point end = Clock::now() + longest_message;
  const auto receive_all = [&](char* bytes, std::size_t count) -> Result<bool> {
    for (std::size_t have = 0; have < count;) {
      if (!CONV_TRY(wait_until_ready(end_.number(), POLLIN, end, stop)) &&
          !CONV_TRY(wait_until_ready(end_.number(), POLLIN, std::min(end, Clock::now() + longest_pause))))
        return false;
      const ssize_t got = ::recv(end_.number(), bytes + have, count - have, MSG_DONTWAIT);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return closed();
      have += static_cast<std::size_t>(got);
    }
    return true;
  };
  std::uint64_t size = 0;
  if (!CONV_TRY(receive_all(reinterpret_cast<char*>(&size), sizeof size))) return failure("a message was cut off");
  if (size > most_bytes) return failure("the other process sent too long a message");
  std::string message(size, '\0');
  if (!CONV_TRY(receive_all(message.data(), message.size()))) return failure("a message was cut off");
  return message;
}

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failure("a process cannot be started");
  Descriptor mine(ends[0]);
  const Descriptor its(ends[1]);
  SpawnSettings settings;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&settings.files, stream, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&settings.files, its.number(), channel_number);
  posix_spawn_file_actions_addclosefrom_np(&settings.files, channel_number + 1);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETPGROUP);  // a group of its own number
  std::promise<Result<pid_t>> spawned;
  std::future<Result<pid_t>> started = spawned.get_future();
  std::jthread parent([spawned = std::move(spawned), &arguments, &settings](const std::stop_token& stop) mutable {
    spawned.set_value(spawn(arguments, settings));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
  });
  const pid_t process = CONV_TRY(started.get());
  return std::unique_ptr<ChildProcess>(new ChildProcess(process, std::move(parent), std::move(mine)));
}

ChildProcess::~ChildProcess() {
  ::kill(-process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

MessageChannel ChildProcess::channel_to_parent() {
  ::fcntl(channel_number, F_SETFD, FD_CLOEXEC);
  return MessageChannel(Descriptor(channel_number));
}

}  // namespace conv
