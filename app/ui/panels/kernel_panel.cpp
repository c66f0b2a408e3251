// The filter's matrix as numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// Positive weights in the colour of A, negative ones in that of B; the largest is the strongest.
ImVec4 colour_of(const Palette& p, float weight, float largest) {
  ImVec4 colour = weight < 0 ? p.lane[1] : p.lane[0];
  const float share = largest > 0 ? std::fabs(weight) / largest : 0;
  const auto mixed = [share](float from, float to) { return from + (to - from) * share; };
  return {mixed(p.background.x, colour.x), mixed(p.background.y, colour.y), mixed(p.background.z, colour.z), 1};
}

std::string words_of(const Taps& taps, bool correlates) {
  const float sum = std::accumulate(taps.values.begin(), taps.values.end(), 0.0f);
  const std::string rank = taps.separable() ? "separable: a row times a column" : fmt::format("rank {}", taps.rank);
  // Taps are in the order of the sum.
  const bool turned = !correlates && !std::equal(taps.values.begin(), taps.values.end(), taps.values.rbegin());
  return fmt::format("{}×{} · {} · sum of all taps {:.4g}{}", taps.size.width, taps.size.height, rank, sum,
                     turned ? " · as it is applied: a convolution rotates the matrix by 180°" : "");
}

void draw_matrix(PanelContext& context, const Taps& taps) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), from = ImGui::GetCursorScreenPos();
  const auto columns = static_cast<float>(taps.size.width), lines = static_cast<float>(taps.size.height);
  const float cell = std::floor(std::max(2.0f, std::min(room.x / columns, std::max(room.y, 96.0f) / lines)));
  ImGui::Dummy({cell * columns, cell * lines});
  const bool hovered = ImGui::IsItemHovered();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float largest = 0;
  for (const float weight : taps.values) largest = std::max(largest, std::fabs(weight));
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const ImVec2 widest = ImGui::CalcTextSize("-.0000");
  const bool numbers = cell > widest.x && cell > widest.y;
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < taps.values.size(); ++i) {
    const float weight = taps.values[i];
    const auto x = static_cast<float>(static_cast<int>(i) % taps.size.width),
               y = static_cast<float>(static_cast<int>(i) / taps.size.width);
    const ImVec2 min{from.x + cell * x, from.y + cell * y}, max{min.x + cell - 1, min.y + cell - 1};
    const ImVec4 colour = colour_of(context.look.colours, weight, largest);
    list->AddRectFilled(min, max, ImGui::GetColorU32(colour));
    if (numbers) {
      const std::string text = weight_text(weight);
      const ImVec2 size = ImGui::CalcTextSize(text.c_str());
      list->AddText({min.x + (cell - size.x) / 2, min.y + (cell - size.y) / 2}, ink_on(colour), text.c_str());
    }
    if (hovered && mouse.x >= min.x && mouse.x < min.x + cell && mouse.y >= min.y && mouse.y < min.y + cell)
      ImGui::SetTooltip("%s", fmt::format("{:+}, {:+}: {:.6g}", static_cast<int>(x) - taps.size.width / 2,
                                          static_cast<int>(y) - taps.size.height / 2, weight)
                                  .c_str());
  }
  ImGui::PopFont();
}

}  // namespace

void draw_kernel_contents(PanelContext& context) {
  const auto& taps = context.status.filter.taps;
  if (!taps) return caption(context.status.filter.error, context.look.colours.quiet);
  caption(fmt::format("{} · {}", info(context.settings.filter.kind).title,
                      words_of(*taps, context.settings.filter.mode == FilterMode::correlation)),
          context.look.colours.quiet);
  draw_matrix(context, *taps);
}

void draw_kernel(PanelContext& context) {
  if (!context.ui.shown.kernel) return;
  if (ImGui::Begin("Kernel", &context.ui.shown.kernel)) draw_kernel_contents(context);
  ImGui::End();
}

}  // namespace conv
