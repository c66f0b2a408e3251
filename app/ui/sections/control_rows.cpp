// The controls that a step of a lesson keeps.
#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

void draw_controls(PanelContext& context, std::span<const Control> rows) {
  const auto has = [&](Control row) { return std::ranges::find(rows, row) != rows.end(); };
  const bool shows_b = context.settings.view != ViewMode::single;
  if (begin_properties("controls")) {
    for (const int lane : {0, 1}) {
      if (!has(lane == 0 ? Control::variant_a : Control::variant_b) || (lane == 1 && !shows_b)) continue;
      property(lane == 0 ? "Variant A" : "Variant B", "The kernel of this lane.");
      draw_variant_chooser(context, lane, lane == 0 ? "##variant a" : "##variant b");
    }
    if (has(Control::filter)) draw_filter_row(context);
    if (has(Control::sigma)) draw_sigma_row(context);
    if (has(Control::radius)) draw_radius_row(context);
    if (has(Control::padding)) draw_padding_rows(context);
    if (has(Control::iterations)) draw_iterations_row(context);
    end_properties();
  }
  if (has(Control::block) || has(Control::format) || has(Control::layout)) draw_launch_rows(context, rows);
}

}  // namespace conv
