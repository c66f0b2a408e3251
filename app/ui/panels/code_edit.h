// The editor of the code panel.
#pragma once
#include "app/ui/panels/panels.h"

namespace conv {

// For the kernel file of the variant in the chosen lane: in a tab of the panel, or in a window above it.
void draw_edit_tab(PanelContext& context);
void draw_large_edit(PanelContext& context);

}  // namespace conv
