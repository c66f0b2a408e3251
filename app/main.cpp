#include "app/app.h"
#include "app/cli/commands.h"

int main(int argc, char** argv) {
  const auto options = parse_options(argc, argv);
  if (!options) return options.error().status;
  switch (options->verb) {
    case Verb::bench: return run_bench(*options);
    case Verb::convolve: return run_convolve(*options);
    case Verb::list: return run_list(*options);
    case Verb::selftest: return run_selftest(*options);
    case Verb::window: return run_window(*options);
  }
  return 0;
}
