#define CONV_KERNEL_FILE "kernels/variants/exhibits/exhibit_blog_rows.cu"
#include "kernels/cpu/twins.h"
#include "kernels/variants/exhibits/exhibits.h"

namespace conv {

KernelInstance blog_rows_instance(const ConvSettings& settings) {
  const PixelType format = settings.format, scratch = scratch_type(format);
  return {.file = CONV_KERNEL_FILE,
          .exact = template_instance("blog_rows", format, settings.border, scratch),
          .general = template_instance("blog_rows", format, Border::any, scratch),
          .cpu = for_pixel(format, []<class Pixel> {
            return CONV_TWINS(blog_rows<SourceView<Pixel, Border::any>, TargetView<ScratchOf<Pixel>>>);
          })};
}

}  // namespace conv
