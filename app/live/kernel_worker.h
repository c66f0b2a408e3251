// The process in which an edited kernel is compiled, checked and run: this program, started again.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace conv {

struct KernelJob {
  std::string task;                 // id of a check_task, or compile_task
  std::set<std::string> instances;  // of kernels that are needed, besides those of the check
  bool keeps_running = false;       // after its report it answers requests about a kernel that has passed
};

// The arguments with which this program becomes the process. scratch: an empty folder, in which it compiles.
std::vector<std::string> worker_arguments(const std::filesystem::path& scratch, const KernelJob& job);
// Whether these are a program's arguments.
bool are_worker_arguments(int count, char** arguments);
// The process. Its parent sends the text of the kernel file and gets the report of the check, in JSON, and then an
// answer to each request of kernel_messages.h.
int run_kernel_worker(char** arguments);

// The process gives up what a kernel does not need: reading the user's files, writing files, other processes, the
// network. Where the system cannot keep it from reading files, it runs no kernel, unless the user has agreed: from now
// on it does.
void allow_kernels_without_sandbox();
bool are_kernels_refused();

// Which program it is, if not this one: for tests.
void set_kernel_worker(const std::filesystem::path& program);

}  // namespace conv
