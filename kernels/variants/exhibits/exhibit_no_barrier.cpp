#define CONV_KERNEL_FILE "kernels/variants/exhibits/exhibit_no_barrier.cu"
#include "kernels/cpu/twins.h"
#include "kernels/variants/exhibits/exhibits.h"

namespace conv {

KernelInstance no_barrier_instance(const ConvSettings& settings) {
  return instance_of(CONV_KERNEL_FILE, "no_barrier", settings, CONV_TWINS_OF(settings.format, no_barrier));
}

}  // namespace conv
