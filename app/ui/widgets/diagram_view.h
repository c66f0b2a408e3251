// Draws the pictures of ideas.
#pragma once
#include "app/lessons/diagram.h"
#include "app/ui/window/style.h"

namespace conv {

// As large as the space that the window has left, within limits that keep its texts readable.
void draw_diagram(const Look& look, const Diagram& diagram);

}  // namespace conv
