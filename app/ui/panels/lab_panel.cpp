// The correctness lab as a matrix: one filter per row, one variant per column, a tick or a cross in each cell.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/model/value_text.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/registry.h"

namespace conv {

namespace {

struct Mark {
  const char* text;
  ImVec4 colour;
};
Mark mark_of(const LabCell& cell, const Palette& p) {
  switch (cell.state) {
    case CellState::passed: return {"✓", p.pass};
    case CellState::failed: return {"×", p.fault};
    case CellState::refused: return {"–", p.quiet};
    case CellState::waiting: break;
  }
  return {"·", p.disabled};
}

std::string explain(ValueUnit unit, const LabCell& cell, const FilterSpec& filter, const Variant& variant) {
  std::string text = fmt::format("{} by {}. ", lab_title(filter), variant.id);
  switch (cell.state) {
    case CellState::waiting: return text + "Not run yet.";
    case CellState::refused: return text + cell.text;
    case CellState::failed: text += cell.text + ". "; break;
    case CellState::passed: break;
  }
  text += fmt::format("Largest error {}{} at ({}, {})", difference_text(cell.max_error, unit), info(unit).name,
                      cell.where.x, cell.where.y);
  if (cell.max_ulp > 0) text += fmt::format("; {} ulp", cell.max_ulp);
  return text + ".";
}

void draw_choices(PanelContext& context) {
  LabJob& job = context.ui.panels.lab;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const LabStatus& lab = context.status.lab;
  ImGui::SetNextItemWidth(200 * scale);
  if (combo("##lab matrix", lab_matrices, job.matrix, [](const LabMatrixInfo& row) { return row.matrix; }) &&
      job.matrix == LabMatrix::s4)
    job = {.matrix = LabMatrix::s4, .image = 0, .border = Border::zero};
  tooltip(
      "All filters with all variants, or the seven filters of the report's table 5.4 with its three kernels, on its "
      "checkerboard: it states an error of 0 for each.");
  flow(200 * scale);
  ImGui::SetNextItemWidth(200 * scale);
  if (begin_combo("##lab image", lab_images[job.image].title)) {
    for (std::size_t i = 0; i < lab_images.size(); ++i)
      if (ImGui::Selectable(std::string(lab_images[i].title).c_str(), i == job.image)) job.image = i;
    ImGui::EndCombo();
  }
  tooltip("The image that the filters run on. Noise shows errors that a checkerboard of 0 and 1 hides.");
  flow(140 * scale);
  ImGui::SetNextItemWidth(140 * scale);
  combo("##lab format", pixel_types, job.format, [](const PixelTypeInfo& row) { return row.type; });
  flow(140 * scale);
  ImGui::SetNextItemWidth(140 * scale);
  combo("##lab padding", borders, job.border, [](const BorderInfo& row) { return row.border; });
  flow("FMA", true);
  ImGui::BeginDisabled(!context.status.device.no_gpu.empty());
  ImGui::Checkbox("FMA", &job.fma);
  flow("Half accumulator", true);
  ImGui::BeginDisabled(!is_half(job.format));
  ImGui::Checkbox("Half accumulator", &job.half_sums);
  ImGui::EndDisabled();
  tooltip("Adds products in 16 bits, for 16-bit float formats and the variants that support it.");
  ImGui::EndDisabled();
  tooltip(context.status.device.no_gpu.empty()
              ? "Off: two roundings per product. Compare the ulps on noise and on the checkerboard."
              : "This is an option of the GPU compiler; here the kernels run on the CPU.");
  if (lab.running) {
    flow("Cancel");
    if (ImGui::Button("Cancel")) context.commands.push_back(command::CancelLab{});
    flow(140 * scale);
    ImGui::ProgressBar(lab.total > 0 ? static_cast<float>(lab.done) / static_cast<float>(lab.total) : 0,
                       {140 * scale, 0}, fmt::format("{} of {}", lab.done, lab.total).c_str());
  } else {
    flow("Run all");
    if (ImGui::Button("Run all")) context.commands.push_back(command::RunLab{job, false});
    flow("Only failing");
    const auto failed = std::count_if(lab.cells.begin(), lab.cells.end(),
                                      [](const LabCell& cell) { return cell.state == CellState::failed; });
    ImGui::BeginDisabled(failed == 0 || job != lab.job);
    if (ImGui::Button("Only failing")) context.commands.push_back(command::RunLab{job, true});
    ImGui::EndDisabled();
  }
}

void draw_matrix(PanelContext& context) {
  const Palette& p = context.look.colours;
  const LabStatus& lab = context.status.lab;
  const LabMatrix matrix = lab.cells.empty() ? context.ui.panels.lab.matrix : lab.job.matrix;
  const std::vector<FilterSpec> rows = lab_filters(matrix);
  const std::vector<const Variant*> columns = lab_variants(matrix);
  constexpr ImGuiTableFlags flags = ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                                    ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                                    ImGuiTableFlags_HighlightHoveredColumn;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::PushFont(nullptr, text_size::caption);
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, ImVec2(4, 1) * scale);
  ImGui::PushStyleColor(ImGuiCol_TableHeaderBg, p.panel);
  // In a low panel the panel itself scrolls, and the table has its whole height: the slanted names alone take half of
  // the panel. So there is one scrollbar.
  const char* name = matrix == LabMatrix::s4 ? "lab of S4" : "lab";
  const ImGuiTable* before = ImGui::TableFindByID(ImGui::GetID(name));
  const float names = before ? before->AngledHeadersHeight : 0;
  const float whole = names + static_cast<float>(rows.size()) * (ImGui::GetTextLineHeight() + 2 * scale) +
                      ImGui::GetStyle().ScrollbarSize + 2 * scale;
  const float room = ImGui::GetContentRegionAvail().y;
  const float height = room < 240 * scale ? whole : std::min(room, whole);
  if (ImGui::BeginTable(name, static_cast<int>(columns.size()) + 1, flags, {0, height})) {
    ImGui::TableSetupScrollFreeze(1, 1);
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_NoHide);
    for (const Variant* variant : columns)
      ImGui::TableSetupColumn(std::string(variant->id).c_str(), ImGuiTableColumnFlags_AngledHeader);
    ImGui::TableAngledHeadersRow();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(lab_title(rows[r]).c_str());
      for (std::size_t c = 0; c < columns.size(); ++c) {
        ImGui::TableNextColumn();
        const LabCell cell = lab.cells.empty() ? LabCell{} : lab.cells[r * columns.size() + c];
        const Mark mark = mark_of(cell, p);
        ImGui::TextColored(mark.colour, "%s", mark.text);
        if (ImGui::IsItemHovered()) tooltip(explain(context.settings.display.unit, cell, rows[r], *columns[c]));
      }
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace

void draw_lab(PanelContext& context) {
  if (!context.ui.shown.lab) return;
  if (ImGui::Begin("Lab", &context.ui.shown.lab)) {
    draw_choices(context);
    const LabStatus& lab = context.status.lab;
    if (!lab.error.empty()) complaint(context.look.colours, lab.error);
    if (!lab.cells.empty()) {
      long long passed = 0, failed = 0, refused = 0;
      for (const LabCell& cell : lab.cells) {
        passed += cell.state == CellState::passed;
        failed += cell.state == CellState::failed;
        refused += cell.state == CellState::refused;
      }
      caption(fmt::format("{} · {} · {} · {} passed, {} failed, {} refused{}", lab.device,
                          lab_images[lab.job.image].title, info(lab.job.format).title, passed, failed, refused,
                          lab.running ? " · the live view is not measured meanwhile" : ""),
              failed > 0 ? context.look.colours.fault : context.look.colours.quiet);
    }
    draw_matrix(context);
  }
  ImGui::End();
}

}  // namespace conv
