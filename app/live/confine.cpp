#include "app/live/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "kernels/core/descriptor.h"

namespace conv {

namespace {

std::string last_error() {
  return std::error_code(errno, std::generic_category()).message();
}

constexpr std::uint64_t reading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t truncating = 1ull << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE, which older headers lack

// All rights over files that this system's Landlock knows; 0 if it has none.
std::uint64_t known_rights() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return 0;
  std::uint64_t rights = LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1;
  if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) rights |= truncating;
  return rights;
}

// A folder that does not exist needs no right.
Result<void> allow(const Descriptor& rules, const std::filesystem::path& below, std::uint64_t rights) {
  const Descriptor folder(::open(below.c_str(), O_PATH | O_CLOEXEC));
  if (!folder.is_open()) return {};
  landlock_path_beneath_attr rule{.allowed_access = rights, .parent_fd = folder.number()};
  if (::syscall(SYS_landlock_add_rule, rules.number(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  return failure(fmt::format("{}: {}", below.string(), last_error()));
}

Result<void> confine_files(const Confinement& limits) {
  const std::uint64_t all = known_rights();
  if (all == 0)
    return failure(
        "this system has no sandbox for kernels (Landlock, Linux 5.13 or later): a kernel could read and "
        "change your files");
  const landlock_ruleset_attr attributes{.handled_access_fs = all};
  const Descriptor rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0)));
  if (!rules.is_open()) return failure("Landlock: " + last_error());
  for (const char* folder : {"/usr", "/lib", "/lib64", "/bin"}) CONV_TRY(allow(rules, folder, reading));
  CONV_TRY(allow(rules, "/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE));
  CONV_TRY(allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE));
  for (const std::filesystem::path& folder : limits.readable) CONV_TRY(allow(rules, folder, reading));
  CONV_TRY(allow(rules, limits.scratch, all));
  if (::syscall(SYS_landlock_restrict_self, rules.number(), 0) != 0) return failure("Landlock: " + last_error());
  return {};
}

// What a process may ask of the system. Each call that is not allowed fails.
class CallFilter {
 public:
  explicit CallFilter(std::uint32_t others) : filter_(seccomp_init(others), &seccomp_release) {}
  void add(std::uint32_t action, const char* call, std::initializer_list<scmp_arg_cmp> where = {}) {
    const int number = seccomp_syscall_resolve_name(call);
    if (number == __NR_SCMP_ERROR) return;  // unknown to this library
    failed_ |= !filter_ || seccomp_rule_add_array(filter_.get(), action, number, static_cast<unsigned>(where.size()),
                                                  where.begin()) != 0;
  }
  // For all threads of the process.
  Result<void> apply() {
    if (failed_ || !filter_ || seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1) != 0 ||
        seccomp_load(filter_.get()) != 0)
      return failure("system calls cannot be restricted (seccomp)");
    return {};
  }

 private:
  std::unique_ptr<void, decltype(&seccomp_release)> filter_;
  bool failed_ = false;
};

constexpr std::uint32_t refused = SCMP_ACT_ERRNO(EPERM);

// A lower limit of the user stays.
Result<void> limit(decltype(RLIMIT_AS) what, rlim_t most) {
  rlimit value{};
  ::getrlimit(what, &value);
  value.rlim_cur = value.rlim_max = std::min(most, value.rlim_max);
  return ::setrlimit(what, &value) == 0 ? Result<void>{} : failure("limits: " + last_error());
}

// Can be raised again, up to the limit that the user has set.
Result<void> limit_processor(rlim_t seconds) {
  rlimit value{};
  ::getrlimit(RLIMIT_CPU, &value);
  value.rlim_cur = std::min(seconds, value.rlim_max);
  return ::setrlimit(RLIMIT_CPU, &value) == 0 ? Result<void>{} : failure("limits: " + last_error());
}

// Calls that neither a compiler nor the programs that it starts need. chmod is not among them: they make files that can
// be run.
Result<void> refuse_calls() {
  CallFilter filter(SCMP_ACT_ALLOW);
  for (const char* call : {"socket",
                           "socketpair",
                           "ptrace",
                           "process_vm_readv",
                           "process_vm_writev",
                           "tkill",
                           "rt_sigqueueinfo",
                           "rt_tgsigqueueinfo",
                           "pidfd_open",
                           "pidfd_getfd",
                           "pidfd_send_signal",
                           "setsid",
                           "setpgid",
                           "mount",
                           "umount2",
                           "move_mount",
                           "open_tree",
                           "fsopen",
                           "pivot_root",
                           "chroot",
                           "unshare",
                           "setns",
                           "bpf",
                           "perf_event_open",
                           "io_uring_setup",
                           "keyctl",
                           "add_key",
                           "request_key",
                           "userfaultfd",
                           "chown",
                           "fchown",
                           "lchown",
                           "fchownat",
                           "setxattr",
                           "lsetxattr",
                           "fsetxattr",
                           "utime",
                           "utimes",
                           "futimesat",
                           "utimensat",
                           "shmget",
                           "msgget",
                           "semget",
                           "mq_open"})
    filter.add(refused, call);
  filter.add(refused, "kill", {SCMP_A0(SCMP_CMP_NE, 0)});  // 0: the own group
  return filter.apply();
}

// Rights that the administrator has beyond those of a user. Programs that are started do not get them back.
Result<void> drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const __user_cap_data_struct none[2]{};
  return ::syscall(SYS_capset, &header, none) == 0 ? Result<void>{} : failure("capabilities: " + last_error());
}

// The compilers are in the group of this process.
void end_group(int) {
  ::kill(0, SIGKILL);
}

}  // namespace

Result<void> confine(const Confinement& limits) {
  CONV_TRY(limit(RLIMIT_AS, limits.memory_bytes));
  CONV_TRY(limit_processor(static_cast<rlim_t>(limits.processor_s)));
  CONV_TRY(limit(RLIMIT_FSIZE, limits.most_file_bytes));
  CONV_TRY(limit(RLIMIT_CORE, 0));
  CONV_TRY(limit(RLIMIT_NOFILE, 64));
  std::signal(SIGTERM, end_group);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
    return failure("rights cannot be given up: " + last_error());
  CONV_TRY(drop_capabilities());
  if (limits.hides_files) CONV_TRY(confine_files(limits));
  return refuse_calls();
}

bool can_confine() {
  return known_rights() != 0;
}

Result<void> confine_kernel() {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failure("limits: " + last_error());
  CONV_TRY(limit_processor(RLIM_INFINITY));
  CONV_TRY(limit(RLIMIT_FSIZE, 0));  // pipes have no size
  CallFilter filter(refused);
  // Memory, clocks and timers of this process, its channel, and reading files as far as that is allowed.
  for (const char* call : {"brk",
                           "mmap",
                           "munmap",
                           "mremap",
                           "mprotect",
                           "madvise",
                           "futex",
                           "rseq",
                           "gettid",
                           "getpid",
                           "sched_yield",
                           "exit",
                           "exit_group",
                           "sched_getaffinity",
                           "clock_gettime",
                           "clock_nanosleep",
                           "nanosleep",
                           "timer_create",
                           "timer_settime",
                           "timer_delete",
                           "sigaltstack",
                           "rt_sigaction",
                           "rt_sigprocmask",
                           "rt_sigreturn",
                           "getrandom",
                           "poll",
                           "ppoll",
                           "sendto",
                           "recvfrom",
                           "read",
                           "write",
                           "close",
                           "lseek",
                           "fstat",
                           "newfstatat",
                           "statx",
                           "readlink"})
    filter.add(SCMP_ACT_ALLOW, call);
  filter.add(SCMP_ACT_ALLOW, "openat", {SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY)});
  filter.add(SCMP_ACT_ALLOW, "tgkill", {SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()))});  // of itself
  return filter.apply();
}

}  // namespace conv
