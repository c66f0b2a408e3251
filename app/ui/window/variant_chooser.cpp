// The list of variants of one lane.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

std::string_view title_of(VariantGroup group) {
  switch (group) {
    case VariantGroup::cpu: return "CPU";
    case VariantGroup::global_memory: return "Global memory";
    case VariantGroup::shared_memory: return "Shared memory";
    case VariantGroup::separable: return "Separable";
    case VariantGroup::other: return "Other";
    case VariantGroup::mine: return "Yours";
  }
  return "";
}

// Whether a variant can be chosen with the current filter, and its tooltip.
struct Choice {
  bool enabled = true;
  std::string tip;
};

Choice choice_of(const PanelContext& context, const Variant& variant, bool sums_ranks) {
  const FilterStatus& filter = context.status.filter;
  const std::string& no_fft = context.status.device.limits.no_fft;
  if (variant.fuses_edges && context.settings.filter.kind != FilterKind::edges)
    return {false, "Runs only the filter \"Edges (Sobel magnitude)\"."};
  if (variant.needs_equal_taps && filter.taps && !filter.taps->equal())
    return {false, "Needs taps that are all equal: choose the filter Box."};
  if (variant.needs_fft && !no_fft.empty()) return {false, no_fft};
  if (variant.needs_rank_1 && filter.rank > 1 && !sums_ranks)  // it can be chosen, and then the switch can be turned on
    return {true, fmt::format("Needs a filter of rank 1; this matrix has rank {}. Switch on its \"Sum of rank r\".",
                              filter.rank)};
  return {true, fmt::format("{}. {}", variant.title, variant.idea)};
}

// All variants that match, each group in one piece, in teaching order.
std::vector<const Variant*> rows_of(const Search& search) {
  std::vector<VariantGroup> order;
  for (const Variant* variant : variants())
    if (std::ranges::find(order, variant->group) == order.end()) order.push_back(variant->group);
  std::vector<const Variant*> rows;
  for (const VariantGroup group : order)
    for (const Variant* variant : variants())
      if (variant->group == group &&
          matches(search, fmt::format("{} {} {}", variant->id, variant->title, title_of(group))))
        rows.push_back(variant);
  return rows;
}

// The newest time of each variant in these settings: of the race, or of a lane.
std::optional<float> last_ms(const AppStatus& status, const Settings& settings, const Variant& variant) {
  for (const RaceEntryStatus& entry : status.race.entries)
    if (entry.variant == variant.id && entry.ms) return entry.ms->median;
  for (int i = 0; i < 2; ++i)
    if (status.lanes[i].active && settings.lanes[i].variant == variant.id && status.lanes[i].times.kernel_ms)
      return status.lanes[i].times.kernel_ms->median;
  return std::nullopt;
}

std::string limits_of(const Variant& variant) {
  if (!variant.exhibit.empty()) return "exhibit";
  std::string text;
  const auto add = [&](std::string_view what) { text += fmt::format("{}{}", text.empty() ? "" : ", ", what); };
  if (variant.max_radius < max_radius) add(fmt::format("R ≤ {}", variant.max_radius));
  if (variant.needs_rank_1) add("rank 1");
  if (variant.needs_equal_taps) add("box");
  if (variant.fuses_edges) add("edges");
  return text;
}

class ChooserRows {
 public:
  ChooserRows(PanelContext& context, int lane, const std::vector<const Variant*>& rows)
      : context_(context), index_(lane), lane_(context.settings.lanes[lane]) {
    for (const Variant* variant : rows) {
      ms_.push_back(last_ms(context.status, context.settings, *variant));
      if (!ms_.back() || *ms_.back() <= 0) continue;
      least_ = std::min(least_, *ms_.back());
      most_ = std::max(most_, *ms_.back());
    }
  }

  // Returns whether it was clicked.
  bool draw(const Variant& variant, int row) {
    const Search& search = context_.ui.chooser.search;
    const Palette& p = context_.look.colours;
    const Choice choice = choice_of(context_, variant, lane_.switches["rank_sum"] != 0);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::BeginDisabled(!choice.enabled);
    if (variant.id == lane_.variant) ImGui::PushStyleColor(ImGuiCol_Text, p.of_lane(index_));
    const bool clicked = ImGui::Selectable(fmt::format("{}###{}", variant.title, variant.id).c_str(),
                                           row == search.chosen, ImGuiSelectableFlags_SpanAllColumns);
    if (variant.id == lane_.variant) ImGui::PopStyleColor();
    ImGui::EndDisabled();
    tooltip(choice.tip);
    if (search.moved && row == search.chosen) ImGui::SetScrollHereY(0.5f);
    ImGui::TableNextColumn();
    number(context_.look.fonts, variant.id, p.quiet, text_size::caption);
    ImGui::TableNextColumn();
    if (ms_[static_cast<std::size_t>(row)]) draw_time(*ms_[static_cast<std::size_t>(row)]);
    ImGui::TableNextColumn();
    caption(limits_of(variant), variant.exhibit.empty() ? p.quiet : p.fault);
    return clicked;
  }

 private:
  // A logarithmic bar: the variants differ by more than a hundred times.
  void draw_time(float ms) const {
    const float scale = ImGui::GetStyle().FontScaleMain, height = ImGui::GetTextLineHeight(), longest = 56 * scale;
    const double share = most_ > least_ ? std::log(ms / least_) / std::log(most_ / least_) : 1;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y + height * 0.3f}, {at.x + longest * static_cast<float>(0.08 + 0.92 * share), at.y + height * 0.7f},
        ImGui::GetColorU32(context_.look.colours.quiet), 2 * scale);
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + longest + 6 * scale);
    number(context_.look.fonts, three_digits(ms), context_.look.colours.text, text_size::caption);
  }

  PanelContext& context_;
  int index_;
  LaneSettings& lane_;
  std::vector<std::optional<float>> ms_;
  float least_ = FLT_MAX, most_ = 0;
};

// Returns the variant that is taken, or null.
const Variant* draw_rows(PanelContext& context, int lane, const std::vector<const Variant*>& list) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  const Variant* taken = nullptr;
  ChooserRows rows(context, lane, list);
  if (!ImGui::BeginTable("rows", 4, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_PadOuterX)) return nullptr;
  ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("id", ImGuiTableColumnFlags_WidthFixed, 144 * scale);
  ImGui::TableSetupColumn("ms", ImGuiTableColumnFlags_WidthFixed, 104 * scale);
  ImGui::TableSetupColumn("limits", ImGuiTableColumnFlags_WidthFixed, 96 * scale);
  for (int i = 0; i < static_cast<int>(list.size()); ++i) {
    if (i == 0 || list[i]->group != list[i - 1]->group) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      caption(title_of(list[i]->group), context.look.colours.quiet);
      ImGui::TableNextColumn();
      ImGui::TableNextColumn();
      if (i == 0) caption("last ms", context.look.colours.quiet);
    }
    if (rows.draw(*list[i], i)) taken = list[i];
  }
  ImGui::EndTable();
  return taken;
}

}  // namespace

void draw_variant_chooser(PanelContext& context, int lane, const char* id) {
  LaneSettings& chosen = context.settings.lanes[lane];
  Search& search = context.ui.chooser.search;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float width = std::min(640 * scale, viewport->WorkSize.x - 16 * scale);
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, FLT_MAX});
  if (!begin_combo(id, chosen.variant)) {
    tooltip(find_variant(chosen.variant)->idea);
    return;
  }
  if (ImGui::IsWindowAppearing()) search.clear();
  search_field(search, "type a part of a name");
  const std::vector<const Variant*> list = rows_of(search);
  const bool enter = search_keys(search, static_cast<int>(list.size()));
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, std::min(720 * scale, viewport->WorkSize.y - 160 * scale)});
  if (ImGui::BeginChild("list", {}, ImGuiChildFlags_AutoResizeY)) {
    const Variant* taken = draw_rows(context, lane, list);
    if (list.empty()) caption("No variant matches.", context.look.colours.quiet);
    if (enter && choice_of(context, *list[search.chosen], chosen.switches["rank_sum"] != 0).enabled)
      taken = list[search.chosen];
    if (taken) chosen.variant = taken->id;
    if (taken) ImGui::CloseCurrentPopup();
  }
  ImGui::EndChild();
  ImGui::EndCombo();
}

}  // namespace conv
