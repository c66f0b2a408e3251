// The curve that answers a question: drawn by the mouse or by the arrow keys.
#pragma once
#include "app/ui/panels/panels.h"

namespace conv {

// Once the answer is revealed, the right curve is drawn, too.
void draw_curve(const PanelContext& context, const LessonQuestion& question, LessonAnswer& answer);
// Left and right choose a radius, up and down change its value; with Shift by more.
void take_curve_keys(const LessonQuestion& question, LessonAnswer& answer);

}  // namespace conv
