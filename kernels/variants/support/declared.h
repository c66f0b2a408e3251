// Plans for a kernel file that belongs to no variant: who wrote it says which of these it suits.
#pragma once
#include <span>

#include "kernels/core/variant.h"

namespace conv {

// "direct": convolve<Source, Target>, one thread per pixel, without shared memory.
// "tiled": the same, with shared memory for the block's pixels and an apron of the radius around them.
// "two-pass": convolve_rows and convolve_columns, each with a tile like that along its axis.
// They have no CPU twins: those are compiled from the file.
std::span<const Variant> declared_plans();
// Where kernels of these plans are said to be; relative like "kernels/variants/global.cu".
inline constexpr std::string_view declared_kernel_file = "kernels/mine.cu";
// An instance of name<Source, Target> from that file.
KernelInstance declared_instance(std::string_view name, const ConvSettings& settings, PixelType from, PixelType to);

}  // namespace conv
