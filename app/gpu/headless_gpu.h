// The executor behind a HeadlessGpu, for code of this room.
#pragma once
#include "app/headless/headless_gpu.h"
#include "kernels/gpu/gpu_executor.h"

GpuExecutor& executor_of(HeadlessGpu& gpu);
