// What the bench panel shows of its rows: a table and a plot.
#pragma once
#include <imgui.h>

#include <span>
#include <string_view>

#include "app/measure/bench_rows.h"
#include "app/measure/chart.h"
#include "app/ui/panels/panels.h"

namespace conv {

// The rows of the chosen preset that were measured on this machine.
std::span<const BenchRow> own_rows(const PanelContext& context);
// Whether the shipped results are beside them.
bool shows_shipped(const PanelContext& context);
// The title of a preset, or of the sweep of the window's settings.
std::string_view title_of(const std::string& shown);
// Table and chart of the shown rows. Computed again when what they show changes, not in every frame.
const BenchFigures& figures_of(PanelContext& context);

void draw_bench_table(PanelContext& context, ImVec2 size);
void draw_bench_plot(PanelContext& context, ImVec2 size);

}  // namespace conv
