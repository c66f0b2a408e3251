// The steps of one thread beside the kernel's source.
#pragma once
#include "app/ui/panels/panels.h"

namespace conv {

// Whether an access was made by this file: "kernels/variants/global.cu".
bool is_in(conv_cpu::CallSite site, std::string_view file);

// The controls to walk through the thread of the picked pixel, and the present step in words; short: one line of them,
// with the others in its tooltip. A thread of another kernel is not shown.
void draw_thread_steps(PanelContext& context, const KernelStep& step, bool is_short);
// The line of the kernel's file that the present step belongs to; 0: none.
int line_of_step(const PanelContext& context, const KernelStep& step);
// The next step of this line; from the last one back to the first.
void go_to_line(PanelContext& context, const KernelStep& step, int line);

}  // namespace conv
