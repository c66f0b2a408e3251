#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "app/cli/commands.h"
#include "app/live/edited_compile.h"
#include "app/live/kernel_worker.h"
#include "app/shell/app.h"

namespace conv {

namespace {

int run(const Options& options) {
  switch (options.verb) {
    case Verb::bench: return run_bench(options);
    case Verb::check: return run_check(options);
    case Verb::convolve: return run_convolve(options);
    case Verb::lesson: return run_lesson(options);
    case Verb::list: return run_list(options);
    case Verb::new_variant: return run_new_variant(options);
    case Verb::puzzle: return run_puzzle(options);
    case Verb::selftest: return run_selftest(options);
    case Verb::trace: return run_trace(options);
    case Verb::window: return run_window(options);
  }
  return 0;
}

}  // namespace

}  // namespace conv

using namespace conv;

int main(int argc, char** argv) {
  try {
    if (are_worker_arguments(argc, argv)) return run_kernel_worker(argv);
    compile_edited_kernels_in_a_process();
    std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the user's limit is an error in words
    const auto options = parse_options(argc, argv);
    const int status = options ? run(*options) : options.error().status;
    // Printed text may still be in a buffer: only now does a full disk show.
    if (std::fflush(stdout) != 0) return complain(std::string("standard output: ") + std::strerror(errno));
    return status;
  } catch (const std::bad_alloc&) {
    return complain("not enough memory. Use a smaller picture, or close other programs");
  } catch (const std::exception& error) {
    return complain(error.what());
  }
}
