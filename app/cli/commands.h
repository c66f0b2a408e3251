// The commands that need no window. Each returns the program's exit status.
#pragma once
#include "app/cli/options.h"

int run_bench(const Options& options);
int run_convolve(const Options& options);
int run_list(const Options& options);
int run_selftest(const Options& options);
