// The kernel's source with the constants of this instance, the differences between A and B, and the compiler's output.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_internal.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "app/ui/panels/code_diff.h"
#include "app/ui/panels/code_edit.h"
#include "app/ui/panels/panels.h"
#include "app/ui/panels/thread_steps.h"
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

// Which file this is, and which constants its template has in this instance.
void draw_instance(const PanelContext& context, const KernelStep& step, const std::string& text, ImVec4 hue) {
  const std::vector<std::string> constants = constants_of(text, step);
  const auto radius =
      std::ranges::find_if(constants, [](const std::string& c) { return c.find("radius") < c.find(" = "); });
  const bool edited_here = context.status.code.edited_here.contains(std::string(step.kernel.file));
  const std::string file =
      fmt::format("{}, {}", step.kernel.file, edited_here ? "as edited here" : context.status.code.kernels_from);
  if (radius == constants.end()) {
    caption(file, context.look.colours.quiet);
  } else if (radius->ends_with(fmt::format("= {}", from_args))) {
    caption(step.templated ? "fallback: the radius is read at run time" : "the radius is read at run time", hue);
  } else {
    const Size2 size = context.status.lanes[context.ui.panels.block.lane].plan->tables[step.taps].radius;
    caption(fmt::format("templated {}×{}: the compiler knows the radius", 2 * size.width + 1, 2 * size.height + 1),
            hue);
  }
  std::string tip = file;
  for (const std::string& constant : constants) tip += "\n" + constant;
  tooltip(tip);
}

// What a line of the kernel does to memory, in the whole traced block.
struct LineCost {
  MemoryTotals totals;
  long long sectors() const { return totals.global_read.sectors + totals.global_write.sectors + totals.taps.sectors; }
  long long wavefronts() const { return totals.shared_read.wavefronts + totals.shared_write.wavefronts; }
};
std::map<int, LineCost> costs_of(const PanelContext& context, const KernelStep& step) {
  std::map<int, LineCost> costs;
  const auto& traced = context.status.trace;
  if (!traced || traced->question.step != &step) return costs;
  for (std::size_t i = 0; i < traced->recording.sites.size(); ++i) {
    const AccessSite& site = traced->recording.sites[i];
    if (is_in(site.line, step.kernel.file))
      part_of(costs[site.line.line].totals, site).add(traced->by(context.ui.panels.trace.generation).sites[i]);
  }
  return costs;
}

std::string text_of(const LineCost& cost) {
  std::string text;
  const auto add = [&](std::string_view what, const RequestTotals& t, long long pieces, std::string_view unit) {
    if (t.requests > 0)
      text += fmt::format("{}{}: {} requests, {:.2f} {} each", text.empty() ? "" : "\n", what, grouped(t.requests),
                          static_cast<double>(pieces) / static_cast<double>(t.requests), unit);
  };
  const MemoryTotals& t = cost.totals;
  add("global reads", t.global_read, t.global_read.sectors, "sectors");
  add("global writes", t.global_write, t.global_write.sectors, "sectors");
  add("shared reads", t.shared_read, t.shared_read.wavefronts, "wavefronts");
  add("shared writes", t.shared_write, t.shared_write.wavefronts, "wavefronts");
  add("taps", t.taps, t.taps.words, "different taps");
  return text;
}

float share_width() {
  return ImGui::CalcTextSize("0000000000 ").x;
}
// A number on a ground that is stronger, the larger its share is.
void draw_share(long long value, long long most, ImVec4 hue, const Palette& p) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (value > 0) {
    hue.w = 0.6f * static_cast<float>(value) / static_cast<float>(most);
    ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + share_width(), at.y + ImGui::GetTextLineHeight()},
                                              ImGui::GetColorU32(hue));
  }
  ImGui::TextColored(p.text, "%10s ", value > 0 ? std::to_string(value).c_str() : "");
  ImGui::SameLine(0, 0);
}

void draw_source(PanelContext& context, const KernelStep& step, int lane) {
  const Palette& p = context.look.colours;
  const std::string text = text_of(context, step);
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return caption("The source of this kernel is not available.", p.quiet);
  draw_instance(context, step, text, p.lane[lane]);
  const std::map<int, std::string> errors = errors_in(context.status.lanes[lane].log, step.kernel.file);
  const auto& recorded = context.status.block;
  const BlockView& view = context.ui.panels.block;
  const bool marks = context.ui.shown.block && recorded && recorded->question.step == &step &&
                     view.phase < static_cast<int>(recorded->recording.phases.size());
  const std::map<int, LineCost> costs = costs_of(context, step);
  long long most_sectors = 1, most_wavefronts = 1;
  for (const auto& [line, cost] : costs) {
    most_sectors = std::max(most_sectors, cost.sectors());
    most_wavefronts = std::max(most_wavefronts, cost.wavefronts());
  }
  const int current = line_of_step(context, step);
  if (!ImGui::BeginChild("##source", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 1);
  ImGui::TextColored(p.quiet, "   sectors wavefronts line");
  tooltip(
      "Of the block of the picked pixel: sectors of global memory and wavefronts of shared memory that each line "
      "takes. "
      "Click a line to go to its next step.");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    const auto error = errors.find(number);
    const auto cost = costs.find(number);
    const bool marked = marks && belongs_to(recorded->recording.phases[view.phase].kind, lines[i]);
    const ImVec2 at = ImGui::GetCursorScreenPos(), size{ImGui::GetContentRegionAvail().x, ImGui::GetTextLineHeight()};
    if (number == current && std::exchange(context.ui.panels.thread.scrolled_to, current) != current)
      ImGui::SetScrollHereY();
    if (ImGui::InvisibleButton(fmt::format("line {}", number).c_str(), size)) go_to_line(context, step, number);
    if (cost != costs.end()) tooltip(text_of(cost->second));
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (number == current) {
      ImVec4 ground = p.lane[lane];
      ground.w = 0.3f;
      list->AddRectFilled({at.x + 2 * share_width(), at.y}, {at.x + size.x, at.y + size.y}, ImGui::GetColorU32(ground));
    }
    ImGui::SetCursorScreenPos(at);
    draw_share(cost == costs.end() ? 0 : cost->second.sectors(), most_sectors, p.lane[lane], p);
    draw_share(cost == costs.end() ? 0 : cost->second.wavefronts(), most_wavefronts, p.lane[lane], p);
    if (marked || error != errors.end()) {
      const ImVec2 from = ImGui::GetCursorScreenPos();
      list->AddRectFilled(from, {from.x + 4, from.y + size.y}, ImGui::GetColorU32(marked ? p.lane[lane] : p.fault));
    }
    const bool comment = lines[i].find("//") < lines[i].find_first_not_of(" /") + 1;
    ImGui::TextColored(p.disabled, " %4d ", number);
    ImGui::SameLine(0, 0);
    ImGui::TextColored(comment ? p.quiet : p.text, "%s", lines[i].c_str());
    if (error != errors.end()) ImGui::TextColored(p.fault, "      × %s", error->second.c_str());
  }
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ImGui::EndChild();
}

// Asks for the thread of the picked pixel, and for what its block does to memory.
void ask_for_thread(PanelContext& context, const KernelStep& step) {
  const std::shared_ptr<const LaunchPlan>& plan = context.status.lanes[context.ui.panels.block.lane].plan;
  const BlockQuestion block{plan, &step, chosen_block(context, *plan, step)};
  context.ui.panels.trace.wanted = block;
  context.ui.panels.thread.wanted = ThreadQuestion{block, context.ui.probe.picked};
}

// The source, and the steps of a thread beside it or above it.
void draw_source_and_steps(PanelContext& context, const KernelStep& step) {
  const int lane = context.ui.panels.block.lane;
  const float scale = ImGui::GetStyle().FontScaleMain, beside = 400 * scale;
  if (ImGui::GetContentRegionAvail().x < 2.2f * beside) {
    draw_thread_steps(context, step, true);
    return draw_source(context, step, lane);
  }
  if (!ImGui::BeginTable("source", 2, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("source", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("steps", ImGuiTableColumnFlags_WidthFixed, beside);
  ImGui::TableNextColumn();
  draw_source(context, step, lane);
  ImGui::TableNextColumn();
  if (ImGui::BeginChild("##steps")) draw_thread_steps(context, step, false);
  ImGui::EndChild();
  ImGui::EndTable();
}

// The constants that differ between two instances of one kernel: "fixed_radius_x = 5 in A, 3 in B".
std::string different_constants(const PanelContext& context, const KernelStep& a, const KernelStep& b) {
  const std::vector<std::string> of_a = constants_of(text_of(context, a), a),
                                 of_b = constants_of(text_of(context, b), b);
  std::vector<std::string> list;
  for (std::size_t i = 0; i < std::min(of_a.size(), of_b.size()); ++i)
    if (of_a[i] != of_b[i])
      list.push_back(fmt::format("{} in A, {} in B", of_a[i], of_b[i].substr(of_b[i].find(" = ") + 3)));
  return fmt::format("{}", fmt::join(list, "; "));
}

void draw_source_changes(PanelContext& context, const KernelStep& a, const KernelStep& b) {
  const Palette& p = context.look.colours;
  const std::string of_a = text_of(context, a), of_b = text_of(context, b);
  if (of_a.empty() || of_b.empty()) return caption("The source of a kernel is not available.", p.quiet);
  if (a.kernel.file != b.kernel.file) return context.ui.panels.code.diff->draw(context.look, of_a, of_b);
  caption(fmt::format("Both are {}.", a.kernel.file), p.quiet);
  const std::string constants = different_constants(context, a, b);
  caption(constants.empty() ? "The compiler gets the same constants." : constants, p.text);
}

// The compiler's answer for the lane's kernel; null while it is compiled.
const CodeAnswer* compiled(PanelContext& context, const KernelStep& step, int lane) {
  const CodeQuestion question{context.status.code.kernels, exact_job(step.kernel, context.status.device.architecture)};
  context.ui.wants.code[lane] = question;
  const auto& answer = context.status.code.answers[lane];
  return answer && answer->question == question ? answer.get() : nullptr;
}

// Without the addresses of instructions, which move behind every change.
std::string without_addresses(const std::string& machine_code) {
  std::string text;
  for (const std::string& line : lines_of(machine_code)) {
    const std::size_t from = line.find("/*"), to = line.find("*/");
    const bool has_one = from != std::string::npos && to != std::string::npos && line.find_first_not_of(' ') == from;
    text += (has_one ? "  " + line.substr(line.find_first_not_of(' ', to + 2)) : line) + "\n";
  }
  return text;
}

void draw_compiled_changes(PanelContext& context, const KernelStep& a, const KernelStep& b, bool machine) {
  const Palette& p = context.look.colours;
  const CodeAnswer *of_a = compiled(context, a, 0), *of_b = compiled(context, b, 1);
  if (!of_a || !of_b) return caption("compiling", p.quiet);
  const CompiledText &code_a = machine ? of_a->sass : of_a->ptx, &code_b = machine ? of_b->sass : of_b->ptx;
  for (const CompiledText* code : {&code_a, &code_b})
    if (code->text.empty()) return caption(code->why_not, p.quiet);
  for (int lane = 0; lane < 2; ++lane) {
    const std::string& counts = (lane == 0 ? code_a : code_b).counts;
    const std::string text = fmt::format("{}: {}", lane == 0 ? "A" : "B", counts.substr(0, counts.find(" · ")));
    flow(ImGui::CalcTextSize(text.c_str()).x);
    caption(text, p.lane[lane]);
    tooltip(counts);
  }
  if (code_a.text == code_b.text) return caption("Both are the same.", p.text);
  context.ui.panels.code.diff->draw(context.look, code_a.text, code_b.text, machine ? without_addresses : nullptr);
}

void draw_changes(PanelContext& context) {
  const Palette& p = context.look.colours;
  const KernelStep* a = chosen_step(context.status.lanes[0], context.ui.panels.block);
  const KernelStep* b = chosen_step(context.status.lanes[1], context.ui.panels.block);
  if (!context.status.lanes[1].active || !a || !b)
    return caption("Show two lanes whose variants have kernels: they are compared line by line.", p.quiet);
  CodeView& view = context.ui.panels.code;
  if (!view.diff) view.diff = std::make_shared<CodeDiff>();
  constexpr std::array titles{"Source##compared", "PTX##compared", "SASS##compared"};
  for (std::size_t i = 0; i < titles.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    ImGui::RadioButton(titles[i], &view.compared, static_cast<int>(i));
  }
  if (view.compared == 0) return draw_source_changes(context, *a, *b);
  draw_compiled_changes(context, *a, *b, view.compared == 2);
}

// The lines of this lane's kernel whose instructions are marked: that of the present step. In another kernel than the
// one that is walked through, the sums stand for the sum.
std::set<int> lines_to_mark(const PanelContext& context, const KernelStep& step, int lane) {
  const BlockView& view = context.ui.panels.block;
  const KernelStep* walked = chosen_step(context.status.lanes[view.lane], view);
  const int line = walked ? line_of_step(context, *walked) : 0;
  if (line == 0) return {};
  if (lane == view.lane || walked->kernel.file == step.kernel.file) return {line};
  const auto is_sum = [](const std::string& text) { return text.find("weighted(") != std::string::npos; };
  const std::vector<std::string> own = lines_of(text_of(context, *walked)), others = lines_of(text_of(context, step));
  std::set<int> marked;
  if (line > static_cast<int>(own.size()) || !is_sum(own[static_cast<std::size_t>(line) - 1])) return marked;
  for (std::size_t i = 0; i < others.size(); ++i)
    if (is_sum(others[i])) marked.insert(static_cast<int>(i) + 1);
  return marked;
}

void draw_compiled_text(PanelContext& context, const CompiledText& code, const std::set<int>& marked, int lane,
                        bool machine) {
  if (!ImGui::BeginChild("##compiled", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar)) return ImGui::EndChild();
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  ImVec4 ground = context.look.colours.lane[lane];
  ground.w = 0.3f;
  int& scrolled_to = context.ui.panels.thread.compiled_scrolled_to[machine ? 1 : 0][static_cast<std::size_t>(lane)];
  const int wanted = marked.empty() ? 0 : *marked.begin();
  for (std::size_t i = 0; i < code.lines.size(); ++i) {
    if (!marked.contains(code.lines[i])) continue;
    const float top = height * static_cast<float>(i);
    if (std::exchange(scrolled_to, wanted) != wanted) ImGui::SetScrollY(top - 2 * height);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x, at.y + top}, {at.x + ImGui::GetContentRegionAvail().x, at.y + top + height}, ImGui::GetColorU32(ground));
  }
  ImGui::TextUnformatted(code.text.data(), code.text.data() + code.text.size());
  ImGui::PopFont();
  ImGui::EndChild();
}

void draw_compiled(PanelContext& context, int lane, bool machine) {
  const Palette& p = context.look.colours;
  const KernelStep* step = chosen_step(context.status.lanes[lane], context.ui.panels.block);
  if (!step) return caption("Computed on the host, or the plan was refused: there is no kernel.", p.quiet);
  const CodeAnswer* answer = compiled(context, *step, lane);
  if (!answer) return caption("compiling", p.quiet);
  const CompiledText& code = machine ? answer->sass : answer->ptx;
  if (code.text.empty()) return caption(code.why_not, p.quiet);
  caption(fmt::format("{} · {}", context.status.device.architecture, code.counts), p.quiet);
  const std::set<int> marked = lines_to_mark(context, *step, lane);
  if (!marked.empty())
    caption(fmt::format("{} {}: {}", marked.size() == 1 ? "line" : "lines", fmt::join(marked, ", "),
                        instruction_counts(code, marked)),
            p.lane[lane]);
  ImGui::PushID(lane);
  draw_compiled_text(context, code, marked, lane, machine);
  ImGui::PopID();
}

// The code of both lanes side by side, or of the one that is shown.
void draw_compiled_lanes(PanelContext& context, bool machine) {
  if (!context.status.lanes[1].active) return draw_compiled(context, 0, machine);
  if (!ImGui::BeginTable("lanes", 2, ImGuiTableFlags_NoSavedSettings)) return;
  for (int lane = 0; lane < 2; ++lane) {
    ImGui::TableNextColumn();
    draw_compiled(context, lane, machine);
  }
  ImGui::EndTable();
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
    const LaneStatus& lane = context.status.lanes[context.ui.panels.block.lane];
    draw_lane_and_pass(context);
    const KernelStep* step = chosen_step(lane, context.ui.panels.block);
    if (ImGui::BeginTabBar("##code")) {
      const auto tab = [&](const char* title, auto draw, bool rises = false) {
        if (!ImGui::BeginTabItem(title, nullptr, rises ? ImGuiTabItemFlags_SetSelected : 0)) return;
        draw();
        ImGui::EndTabItem();
      };
      const auto of_a_kernel = [&](const char* title, auto draw) {
        tab(title, [&] {
          if (!step)
            return caption("Computed on the host, or the plan was refused: there is no kernel.",
                           context.look.colours.quiet);
          if (!lane.outdated.empty()) caption(lane.outdated, context.look.colours.fault);
          ask_for_thread(context, *step);
          draw();
        });
      };
      of_a_kernel("Source", [&] { draw_source_and_steps(context, *step); });
      tab(
          "Edit", [&] { draw_edit_tab(context); }, std::exchange(context.ui.panels.code.shows_edit, false));
      of_a_kernel("A against B", [&] { draw_changes(context); });
      of_a_kernel("PTX", [&] { draw_compiled_lanes(context, false); });
      of_a_kernel("SASS", [&] { draw_compiled_lanes(context, true); });
      ImGui::EndTabBar();
    }
  }
  ImGui::End();
  draw_large_edit(context);
}

}  // namespace conv
