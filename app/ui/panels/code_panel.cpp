// The kernel's source with the constants of this instance, the differences between A and B, and the compiler's output.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

std::string text_of(const PanelContext& context, const KernelStep& step) {
  const auto& kernels = context.status.code.kernels;
  const auto found = kernels ? kernels->files.find(std::string(step.kernel.file)) : decltype(kernels->files.end()){};
  return kernels && found != kernels->files.end() ? found->second : "";
}

// Splits "a, b<c, d>, e" at the commas outside brackets.
std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || !parts.back().empty())
      parts.back() += c;
  }
  return parts;
}

// The text between the first of these brackets and its match.
std::string_view inside(std::string_view text) {
  const std::size_t from = text.find('<');
  if (from == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t i = from; i < text.size(); ++i) {
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (depth == 0) return text.substr(from + 1, i - from - 1);
  }
  return {};
}

// Template parameters of the kernel with the arguments of this instance: "fixed_radius_x = 5".
std::vector<std::string> constants_of(const std::string& text, const KernelStep& step) {
  const std::string instance = step.kernel.exact.text();
  const std::size_t kernel = text.find(fmt::format(" {}(", step.kernel.exact.function));
  const std::size_t start = kernel == std::string::npos ? kernel : text.rfind("template <", kernel);
  if (start == std::string::npos) return {};
  const std::vector<std::string> parameters = split(inside(std::string_view(text).substr(start)));
  const std::vector<std::string> arguments = split(inside(instance));
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < std::min(parameters.size(), arguments.size()); ++i) {
    const std::string& parameter = parameters[i];
    constants.push_back(fmt::format("{} = {}", parameter.substr(parameter.rfind(' ') + 1), arguments[i]));
  }
  return constants;
}

// The source lines of a phase in the block view: kernels access memory through few functions.
bool belongs_to(PhaseKind kind, const std::string& line) {
  const auto has = [&](const char* words) { return line.find(words) != std::string::npos; };
  switch (kind) {
    case PhaseKind::load: return has("source.load") || has("tile.store");
    case PhaseKind::stage: return has("store(") && !has("target.store") && !has("source.load");
    case PhaseKind::compute: return has("sum +=") || has("window_sum") || has("weighted(");
    case PhaseKind::store: return has("target.store");
  }
  return false;
}

// "tile_linear.cu:31: ..." for this file: the line, from 1, and the message.
std::map<int, std::string> errors_in(const std::string& log, std::string_view file) {
  std::map<int, std::string> errors;
  const std::string name(file.substr(file.rfind('/') + 1));
  for (const std::string& line : lines_of(log)) {
    const std::size_t at = line.find(name);
    if (at == std::string::npos) continue;
    int number = 0;
    if (std::sscanf(line.c_str() + at + name.size(), ":%d:", &number) == 1 ||
        std::sscanf(line.c_str() + at + name.size(), "(%d):", &number) == 1)
      errors.emplace(number, line);
  }
  return errors;
}

void draw_source(PanelContext& context, const KernelStep& step, int lane) {
  const Palette& p = context.look.colours;
  const std::string text = text_of(context, step);
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return caption("The source of this kernel is not available.", p.quiet);
  caption(fmt::format("{}, {}", step.kernel.file, context.status.code.kernels_from), p.quiet);
  std::string constants;
  for (const std::string& constant : constants_of(text, step))
    constants += (constants.empty() ? "here: " : ", ") + constant;
  caption(constants, p.lane[lane]);
  const std::map<int, std::string> errors = errors_in(context.status.lanes[lane].log, step.kernel.file);
  const auto& recorded = context.status.block;
  const BlockView& view = context.ui.panels.block;
  const bool marks = context.ui.shown.block && recorded && recorded->question.step == &step &&
                     view.phase < static_cast<int>(recorded->recording.phases.size());
  if (!ImGui::BeginChild("##source", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto error = errors.find(static_cast<int>(i) + 1);
    const bool marked = marks && belongs_to(recorded->recording.phases[view.phase].kind, lines[i]);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (marked || error != errors.end())
      ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + 4, at.y + ImGui::GetTextLineHeight()},
                                                ImGui::GetColorU32(marked ? p.lane[lane] : p.fault));
    const bool comment = lines[i].find("//") < lines[i].find_first_not_of(" /") + 1;
    ImGui::TextColored(p.disabled, " %4d ", static_cast<int>(i) + 1);
    ImGui::SameLine(0, 0);
    ImGui::TextColored(comment ? p.quiet : p.text, "%s", lines[i].c_str());
    if (error != errors.end()) ImGui::TextColored(p.fault, "      × %s", error->second.c_str());
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
}

// Line by line, by the longest common subsequence: '-' only in A, '+' only in B.
std::vector<std::pair<char, std::string>> changes(const std::vector<std::string>& a,
                                                  const std::vector<std::string>& b) {
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<std::pair<char, std::string>> list;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      list.emplace_back(' ', a[i++]);
      ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      list.emplace_back('-', a[i++]);
    } else {
      list.emplace_back('+', b[j++]);
    }
  }
  return list;
}

void draw_changes(PanelContext& context) {
  const Palette& p = context.look.colours;
  const KernelStep* a = chosen_step(context.status.lanes[0], context.ui.panels.block);
  const KernelStep* b = chosen_step(context.status.lanes[1], context.ui.panels.block);
  if (!context.status.lanes[1].active || !a || !b)
    return caption("Show two lanes whose variants have kernels: their sources are compared line by line.", p.quiet);
  if (a->kernel.file == b->kernel.file)
    return caption(fmt::format("Both are {}: they differ only in their constants.", a->kernel.file), p.quiet);
  if (!ImGui::BeginChild("##changes", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  for (const auto& [kind, line] : changes(lines_of(text_of(context, *a)), lines_of(text_of(context, *b))))
    ImGui::TextColored(kind == '-'   ? p.lane[0]
                       : kind == '+' ? p.lane[1]
                                     : p.quiet,
                       "%c %s",
                       kind == '-'   ? 'A'
                       : kind == '+' ? 'B'
                                     : ' ',
                       line.c_str());
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
}

void draw_compiled(PanelContext& context, const KernelStep& step, bool machine) {
  const Palette& p = context.look.colours;
  context.ui.wants.code =
      CodeQuestion{context.status.code.kernels, exact_job(step.kernel, context.status.device.architecture)};
  const auto& answer = context.status.code.answer;
  if (!answer || answer->question != *context.ui.wants.code) return caption("compiling", p.quiet);
  const CompiledText& code = machine ? answer->sass : answer->ptx;
  if (code.text.empty()) return caption(code.why_not, p.quiet);
  caption(fmt::format("{} · {}", context.status.device.architecture, code.counts), p.quiet);
  if (!ImGui::BeginChild("##compiled", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImGui::TextUnformatted(code.text.data(), code.text.data() + code.text.size());
  ImGui::PopFont();
  ImGui::EndChild();
}

}  // namespace

bool draw_lane_and_pass(PanelContext& context) {
  BlockView& view = context.ui.panels.block;
  if (!context.status.lanes[1].active) view.lane = 0;
  const std::vector<const KernelStep*> steps = kernel_steps(context.status.lanes[view.lane]);
  if (context.status.lanes[1].active) {
    for (int i = 0; i < 2; ++i) {
      ImGui::PushStyleColor(ImGuiCol_Text, context.look.colours.lane[i]);
      ImGui::RadioButton(i == 0 ? "A" : "B", &view.lane, i);
      ImGui::PopStyleColor();
      ImGui::SameLine();
    }
  }
  if (steps.size() < 2) return context.status.lanes[1].active;
  view.step = std::clamp(view.step, 0, static_cast<int>(steps.size()) - 1);
  ImGui::SetNextItemWidth(160 * ImGui::GetStyle().FontScaleMain);
  if (begin_combo("##pass", steps[view.step]->title)) {
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (ImGui::Selectable(fmt::format("{}##{}", steps[i]->title, i).c_str(), static_cast<int>(i) == view.step))
        view.step = static_cast<int>(i);
    ImGui::EndCombo();
  }
  tooltip("The pass of the plan.");
  ImGui::SameLine();
  return true;
}

void draw_code(PanelContext& context) {
  if (!context.ui.shown.code) return;
  if (ImGui::Begin("Code", &context.ui.shown.code)) {
    if (draw_lane_and_pass(context)) ImGui::NewLine();
    const KernelStep* step = chosen_step(context.status.lanes[context.ui.panels.block.lane], context.ui.panels.block);
    if (!step) {
      caption("Computed on the host, or the plan was refused: there is no kernel.", context.look.colours.quiet);
    } else if (ImGui::BeginTabBar("##code")) {
      const auto tab = [&](const char* title, auto draw) {
        if (!ImGui::BeginTabItem(title)) return;
        draw();
        ImGui::EndTabItem();
      };
      tab("Source", [&] { draw_source(context, *step, context.ui.panels.block.lane); });
      tab("A against B", [&] { draw_changes(context); });
      tab("PTX", [&] { draw_compiled(context, *step, false); });
      tab("SASS", [&] { draw_compiled(context, *step, true); });
      ImGui::EndTabBar();
    }
  }
  ImGui::End();
}

}  // namespace conv
