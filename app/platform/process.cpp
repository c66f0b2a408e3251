#include "app/platform/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "app/platform/spawn_settings.h"
#include "kernels/core/descriptor.h"

namespace conv {

using Clock = std::chrono::steady_clock;

namespace {

// Not open if there is no memory for it.
Descriptor file_in_memory(std::string_view bytes) {
  Descriptor file(memfd_create("input", MFD_CLOEXEC));
  while (file.is_open() && !bytes.empty()) {
    const ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
    if (count < 0) return {};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  ::lseek(file.number(), 0, SEEK_SET);
  return file;
}

tl::unexpected<Error> cannot_be_started(const std::string& program, int code) {
  return failure(
      fmt::format("{}: cannot be started: {}", program, std::error_code(code, std::generic_category()).message()));
}

int milliseconds_until(Clock::time_point end) {
  return static_cast<int>(
      std::max<long long>(0, std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count()));
}

// Reads to the end; false if that takes too long or is too much.
bool read_all(int pipe, Clock::time_point end, std::size_t most_bytes, std::string& output) {
  char part[65536];
  pollfd ready{.fd = pipe, .events = POLLIN, .revents = 0};
  while (true) {
    const int polled = ::poll(&ready, 1, milliseconds_until(end));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return false;
    const ssize_t count = ::read(pipe, part, sizeof part);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;  // another reader took it
    if (count < 0) return false;
    if (count == 0) return true;
    output.append(part, static_cast<std::size_t>(count));
    if (output.size() > most_bytes) return false;
  }
}

// The exit status; -1 if the process did not end in time. It is still to be reaped.
int wait_for(pid_t child, Clock::time_point end) {
  while (true) {
    siginfo_t ended{};
    const int code = ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (code == 0 && ended.si_pid == child) return ended.si_code == CLD_EXITED ? ended.si_status : 128;
    if ((code < 0 && errno != EINTR) || Clock::now() > end) return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

Result<pid_t> spawn(const std::vector<std::string>& arguments, const SpawnSettings& settings) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t child = 0;
  const int code = posix_spawnp(&child, words.front(), &settings.files, &settings.attributes, words.data(), environ);
  if (code != 0) return cannot_be_started(arguments.front(), code);
  return child;
}

Result<std::string> run_process(const ProcessRequest& request) {
  const std::string& name = request.arguments.front();
  const Descriptor input = file_in_memory(request.input);
  int ends[2];
  if (!input.is_open() || ::pipe2(ends, O_CLOEXEC) != 0) return cannot_be_started(name, errno);
  const Descriptor from(ends[0]);
  ::fcntl(from.number(), F_SETFL, O_NONBLOCK);  // the process could read from its end, too
  Descriptor to(ends[1]);
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, input.number(), STDIN_FILENO);
  if (request.captures_output)
    posix_spawn_file_actions_adddup2(&settings.files, to.number(), STDOUT_FILENO);
  else
    posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&settings.files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&settings.files, STDERR_FILENO + 1);
  const pid_t child = CONV_TRY(spawn(request.arguments, settings));
  to.close();
  const Clock::time_point end = Clock::now() + request.limit;
  std::string output;
  const bool whole = !request.captures_output || read_all(from.number(), end, request.most_output_bytes, output);
  const int status = whole ? wait_for(child, end) : -1;
  if (status < 0) ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  if (status < 0) {
    return failure(fmt::format("{}: did not answer in {} ms", name, request.limit.count()));
  }
  if (status != 0) return failure(fmt::format("{}: ended with status {}", name, status));
  return output;
}

}  // namespace conv
