// A chart of measured numbers, as the panels draw it.
#pragma once
#include <imgui.h>

#include <functional>

#include "app/measure/chart.h"
#include "app/ui/window/style.h"

namespace conv {

// Series of a lane's variant have that lane's colour. inside: draws more while the plot is open.
void draw_chart(const char* id, const Chart& chart, const Look& look, const Settings& settings, ImVec2 size,
                const std::function<void()>& inside = {});

}  // namespace conv
