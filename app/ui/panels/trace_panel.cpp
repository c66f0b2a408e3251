// The memory instructions of the warps of one block, one after the other: which lane accesses what, and what it costs.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/blocks.h"

namespace conv {

namespace {

using conv_cpu::Access;
using conv_cpu::Space;
using conv_cpu::Way;

constexpr int lanes = WarpRequest::lanes;
constexpr float least_cell = 22, most_cell = 40, label_width = 88, totals_width = 440;  // at scale 1
constexpr int most_lines = 8;  // of global memory that are drawn

std::string_view name_of(const AccessSite& site) {
  if (site.space == Space::taps) return "tap";
  if (site.space == Space::shared) return site.access == Access::read ? "shared read" : "shared write";
  return site.access == Access::read ? "global read" : "global write";
}

// "tile_linear.cu:35".
std::string short_text(conv_cpu::CallSite site) {
  const std::string text = to_text(site);
  return text.substr(text.rfind('/') + 1);
}

std::string_view way_text(Way way) {
  switch (way) {
    case Way::async_copy: return ", copied while the thread continues";
    case Way::bulk_copy: return ", rows by the copy engine";
    default: return "";
  }
}

ImU32 faded(ImVec4 colour, float alpha) {
  colour.w *= alpha;
  return ImGui::GetColorU32(colour);
}

// The request that is shown.
struct Shown {
  PanelContext& context;
  const TracedBlock& block;
  Generation generation;
  const WarpRequest& request;
  const AccessSite& site;
  const RequestTotals& cost;
  std::vector<LaneAccess> accesses;
  ImVec4 hue;

  const Palette& palette() const { return context.look.colours; }
};

// Rows of 32 cells behind a label. Where there is too little space for cells that can be read, 16 below it.
class Cells {
 public:
  explicit Cells(const Look& look) : look_(look) {
    const float scale = ImGui::GetStyle().FontScaleMain, room = ImGui::GetContentRegionAvail().x;
    columns_ = room < least_width(scale) ? lanes / 2 : lanes;
    label_ = columns_ == lanes ? label_width * scale : 0;
    size_ =
        std::clamp(std::floor((room - label_) / static_cast<float>(columns_)), least_cell * scale, most_cell * scale);
  }
  static float least_width(float scale) { return (lanes * least_cell + label_width) * scale; }

  // Reserves rows for so many cells; the next calls draw there.
  void begin(const std::string& label, std::string_view tip, int count) {
    const float height = size_ * static_cast<float>(ceil_div(count, columns_)), left = ImGui::GetCursorPosX();
    ImGui::PushID(label.c_str());
    ImGui::BeginGroup();
    if (label_ > 0) ImGui::SetCursorPosY(ImGui::GetCursorPosY() + size_ / 4);
    caption(label, look_.colours.quiet);
    ImGui::EndGroup();
    tooltip(tip);
    if (label_ > 0) ImGui::SameLine(left + label_, 0);
    origin_ = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("##cells", {size_ * static_cast<float>(columns_), height});
    ImGui::PopID();
    hovered_ = ImGui::IsItemHovered();
  }
  // fill: 0 for an empty cell.
  void draw(int index, ImU32 fill, ImVec4 ground, std::string_view text) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 from = corner(index), to{from.x + size_ - 1, from.y + size_ - 1};
    list->AddRectFilled(from, to, ImGui::GetColorU32(look_.colours.raised), 2);
    if (fill != 0) list->AddRectFilled(from, to, fill, 2);
    const float font = std::min(text_size::caption * ImGui::GetStyle().FontScaleMain, 0.6f * size_);
    const float width = width_of(look_.fonts.numbers, font, text);
    const ImVec2 at{std::floor((from.x + to.x - width) / 2), std::floor((from.y + to.y - 1.2f * font) / 2)};
    list->AddText(look_.fonts.numbers, font, at, fill != 0 ? ink_on(ground) : ImGui::GetColorU32(look_.colours.quiet),
                  text.data(), text.data() + text.size());
  }
  // Whether the mouse is over the cell.
  bool is_over(int index) const {
    const ImVec2 from = corner(index), mouse = ImGui::GetIO().MousePos;
    return hovered_ && mouse.x >= from.x && mouse.y >= from.y && mouse.x < from.x + size_ && mouse.y < from.y + size_;
  }
  // A line before a column.
  void divide(int index, ImVec4 colour, float width) const {
    const ImVec2 from = corner(index);
    ImGui::GetWindowDrawList()->AddLine({from.x - 1, from.y}, {from.x - 1, from.y + size_ - 1},
                                        ImGui::GetColorU32(colour), width);
  }
  // A line of text with each text where its column begins; the next cells are below.
  void begin_marks(std::initializer_list<std::pair<int, const char*>> marks) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushFont(look_.fonts.numbers, text_size::caption);
    for (const auto& [column, text] : marks)
      if (column < columns_)
        ImGui::GetWindowDrawList()->AddText({at.x + label_ + size_ * static_cast<float>(column), at.y},
                                            ImGui::GetColorU32(look_.colours.quiet), text);
    ImGui::Dummy({0, ImGui::GetTextLineHeight()});
    ImGui::PopFont();
  }

 private:
  ImVec2 corner(int index) const {
    return {origin_.x + size_ * static_cast<float>(index % columns_),
            origin_.y + size_ * static_cast<float>(index / columns_)};
  }

  const Look& look_;
  int columns_;
  float label_, size_;
  ImVec2 origin_;
  bool hovered_ = false;
};

// A word of shared memory and when it is served.
struct ServedWord {
  int lane;    // the first that accesses it
  int column;  // its bank; the second half of a warp has its own on a G80
  int row;     // words of one row are served together
  bool late;   // another word of its bank is served before it
};

// Accesses of 8 and 16 bytes are served in parts of a warp, on a G80 in words. Lanes that access one word are served
// together.
std::vector<ServedWord> served_words(const Shown& s) {
  const int banks = rules_of(s.generation).banks;
  const bool today = s.generation == Generation::today;
  int most_bytes = 4;
  for (const LaneAccess& a : s.accesses) most_bytes = std::max(most_bytes, a.bytes);
  const int lanes_together = std::max(1, lanes / (most_bytes / 4));
  struct Part {
    std::array<std::vector<long long>, lanes> in_bank;
    std::vector<ServedWord> words;
    int depth = 0;
  };
  std::map<int, Part> parts;
  for (const LaneAccess& a : s.accesses)
    for (int k = 0; k < std::max(1, a.bytes / 4); ++k) {
      Part& part = parts[today ? a.lane / lanes_together : k];
      const long long word = a.address / 4 + k;
      const int column = static_cast<int>(word % banks) + (banks < lanes ? a.lane / banks * banks : 0);
      std::vector<long long>& there = part.in_bank[static_cast<std::size_t>(column)];
      if (std::ranges::find(there, word) != there.end()) continue;
      there.push_back(word);
      const int place = static_cast<int>(there.size()) - 1;
      part.words.push_back({a.lane, column, place, place > 0});
      part.depth = std::max(part.depth, place + 1);
    }
  std::vector<ServedWord> words;
  int first_row = 0;
  for (const auto& [number, part] : parts) {
    for (ServedWord word : part.words) {
      word.row += first_row;
      words.push_back(word);
    }
    first_row += part.depth;
  }
  return words;
}

// More than the data need.
bool has_conflicts(const Shown& s) {
  return s.site.space == Space::shared && s.cost.wavefronts > least_wavefronts(s.generation, s.accesses);
}

std::string lane_text(const Shown& s, const LaneAccess& a) {
  const int width = s.block.recording.threads.width, id = s.request.warp * lanes + a.lane;
  std::string text = fmt::format("lane {} · thread ({}, {})\n", a.lane, id % width, id / width);
  if (s.site.space == Space::taps) return text + fmt::format("tap {}", a.address / 4);
  text += fmt::format("{} bytes from byte {}", a.bytes, grouped(a.address));
  if (s.site.space == Space::shared)
    return text + fmt::format("\nword {}, bank {}", a.address / 4, a.address / 4 % rules_of(s.generation).banks);
  return text + fmt::format("\nsector {}", grouped(a.address / 32));
}

// The touched pieces of this many bytes, in order.
std::vector<long long> touched(const Shown& s, int bytes) {
  std::vector<long long> pieces;
  for (const LaneAccess& a : s.accesses)
    for (long long piece = a.address / bytes; piece <= (a.address + a.bytes - 1) / bytes; ++piece)
      pieces.push_back(piece);
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

// One cell per lane: its bank, sector or tap.
void draw_lanes(const Shown& s, Cells& cells) {
  const Palette& p = s.palette();
  const int banks = rules_of(s.generation).banks;
  std::array<bool, lanes> late{};
  if (has_conflicts(s))
    for (const ServedWord& word : served_words(s)) late[word.lane] = late[word.lane] || word.late;
  const std::vector<long long> sectors = touched(s, 32);
  if (s.site.space == Space::shared)
    cells.begin("Bank of lane", "The 32 lanes of the warp from left to right, each with the bank of its word.", lanes);
  else if (s.site.space == Space::global)
    cells.begin("Sector of lane",
                "The 32 lanes of the warp from left to right, each with its sector of 32 bytes. The "
                "sectors of this request are numbered from 1.",
                lanes);
  else
    cells.begin("Tap of lane", "The 32 lanes of the warp from left to right, each with the number of its tap.", lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    const auto a = std::ranges::find(s.accesses, lane, &LaneAccess::lane);
    if (a == s.accesses.end()) {
      cells.draw(lane, 0, p.raised, "–");
      if (cells.is_over(lane)) ImGui::SetTooltip("lane %d takes no part", lane);
      continue;
    }
    const ImVec4 colour = late[lane] ? p.fault : s.hue;
    const long long number = s.site.space == Space::shared ? a->address / 4 % banks
                             : s.site.space == Space::global
                                 ? std::ranges::lower_bound(sectors, a->address / 32) - sectors.begin() + 1
                                 : a->address / 4;
    cells.draw(lane, ImGui::GetColorU32(colour), colour, number < 1000 ? std::to_string(number) : "…");
    if (cells.is_over(lane)) ImGui::SetTooltip("%s", lane_text(s, *a).c_str());
  }
}

// One column per bank; each different word is a cell with the first lane that accesses it.
void draw_banks(const Shown& s, Cells& cells) {
  const Palette& p = s.palette();
  const std::vector<ServedWord> words = served_words(s);
  int rows = 1;
  for (const ServedWord& word : words) rows = std::max(rows, word.row + 1);
  rows = std::min(rows, most_lines);
  cells.begin(
      "Lane of bank",
      rules_of(s.generation).banks == lanes
          ? "The 32 banks from left to right. Each different word is a cell with its first lane; rows are served "
            "one after the other."
          : "16 banks for each half of the warp. Each different word is a cell with its first lane.",
      rows * lanes);
  std::vector<const ServedWord*> at(static_cast<std::size_t>(rows) * lanes);
  for (const ServedWord& word : words)
    if (word.row < rows) at[static_cast<std::size_t>(word.row * lanes + word.column)] = &word;
  const bool conflicts = has_conflicts(s);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const ServedWord* word = at[i];
    if (!word && i >= lanes) continue;
    const ImVec4 colour = word && word->late && conflicts ? p.fault : s.hue;
    cells.draw(static_cast<int>(i), word ? ImGui::GetColorU32(colour) : 0, colour,
               word ? std::to_string(word->lane) : "");
    if (word && cells.is_over(static_cast<int>(i)))
      ImGui::SetTooltip("%s", lane_text(s, *std::ranges::find(s.accesses, word->lane, &LaneAccess::lane)).c_str());
  }
}

// The 128-byte lines that are touched, word by word; sectors are divided by lines.
void draw_ruler(const Shown& s, Cells& cells) {
  const Palette& p = s.palette();
  std::vector<long long> lines = touched(s, 128);
  const std::size_t all = lines.size();
  lines.resize(std::min<std::size_t>(all, most_lines));
  cells.begin_marks({{0, "+0"}, {8, "+32"}, {16, "+64"}, {24, "+96 bytes"}});
  for (const long long line : lines) {
    std::array<int, lanes> lane_of;
    lane_of.fill(-1);
    std::array<bool, 4> moved{};
    for (const LaneAccess& a : s.accesses)
      for (long long word = std::max(a.address / 4, line * lanes);
           word <= std::min((a.address + a.bytes - 1) / 4, line * lanes + lanes - 1); ++word) {
        int& lane = lane_of[static_cast<std::size_t>(word - line * lanes)];
        if (lane < 0) lane = a.lane;
        // A G80 moves segments, not sectors.
        moved[static_cast<std::size_t>((word - line * lanes) / 8)] = s.generation == Generation::today;
      }
    cells.begin(grouped(line * 128),
                "A line of 128 bytes of global memory, beginning with this byte of the image: 4 sectors of 8 words. "
                "Each word has its lane; grey words are moved without being used.",
                lanes);
    for (int word = 0; word < lanes; ++word) {
      const bool used = lane_of[word] >= 0;
      cells.draw(word,
                 used              ? ImGui::GetColorU32(s.hue)
                 : moved[word / 8] ? faded(p.quiet, 0.5f)
                                   : 0,
                 s.hue, used ? std::to_string(lane_of[word]) : "");
      if (cells.is_over(word))
        ImGui::SetTooltip("byte %s, sector %s%s", grouped(line * 128 + 4 * word).c_str(),
                          grouped(line * 4 + word / 8).c_str(),
                          used              ? ""
                          : moved[word / 8] ? "\nmoved, but not used"
                                            : "\nnot moved");
    }
    for (int sector = 1; sector < 4; ++sector) cells.divide(8 * sector, p.text, sector == 2 ? 4.0f : 2.0f);
  }
  if (all > lines.size()) caption(fmt::format("and {} more lines", all - lines.size()), p.quiet);
}

// What the request costs, in words.
void draw_verdict(const Shown& s) {
  const Palette& p = s.palette();
  const RequestTotals& c = s.cost;
  std::string text;
  bool costs_more = false;
  if (s.site.space == Space::shared) {
    const int least = least_wavefronts(s.generation, s.accesses);
    costs_more = has_conflicts(s);
    text = costs_more
               ? fmt::format("{} wavefronts instead of {}: lanes need different words of one bank", c.wavefronts, least)
               : fmt::format("{} wavefront{}: no bank conflict", c.wavefronts, c.wavefronts == 1 ? "" : "s");
  } else if (s.site.space == Space::global) {
    costs_more = c.used_bytes < c.moved_bytes;
    text = fmt::format("{} {}{}: {} bytes moved, {} used ({:.0f} %)", c.sectors,
                       s.generation == Generation::today ? "sector" : "transaction", c.sectors == 1 ? "" : "s",
                       grouped(c.moved_bytes), grouped(c.used_bytes),
                       100.0 * static_cast<double>(c.used_bytes) / static_cast<double>(c.moved_bytes));
  } else {
    text = c.words == 1 ? "the same tap for all lanes: it is broadcast" : fmt::format("{} different taps", c.words);
    text += c.sectors == 0
                ? ", from constant memory"
                : fmt::format(", from global memory: {} {}{}", c.sectors,
                              s.generation == Generation::today ? "sector" : "transaction", c.sectors == 1 ? "" : "s");
  }
  flow(ImGui::CalcTextSize(text.c_str()).x);
  ImGui::TextColored(costs_more ? p.fault : p.text, "%s", text.c_str());
  if (c.idle_lanes == 0) return;
  const std::string idle =
      c.idle_lanes == 1 ? "· 1 lane takes no part" : fmt::format("· {} lanes take no part", c.idle_lanes);
  flow(ImGui::CalcTextSize(idle.c_str()).x);
  ImGui::TextColored(p.quiet, "%s", idle.c_str());
}

void draw_request(const Shown& s) {
  const Palette& p = s.palette();
  const int index = s.context.ui.panels.trace.request;
  const std::string what =
      fmt::format("Request {} of {} · {} · {}{}", grouped(index + 1), grouped(s.block.requests_of(s.request.warp)),
                  name_of(s.site), short_text(s.site.line), way_text(s.site.way));
  ImGui::TextColored(p.quiet, "%s", what.c_str());
  draw_verdict(s);
  Cells cells(s.context.look);
  draw_lanes(s, cells);
  if (s.site.space == Space::shared) draw_banks(s, cells);
  if (s.site.space == Space::global) draw_ruler(s, cells);
}

// All requests of the warp from left to right, lanes from top to bottom. A click or a drag goes there.
void draw_overview(PanelContext& context, const TracedBlock& block, ImVec4 hue) {
  TraceView& view = context.ui.panels.trace;
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, width = ImGui::GetContentRegionAvail().x;
  const float row = std::max(1.0f, std::floor(scale)), height = row * lanes;
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton("##overview", {width, height});
  const int first = block.first_requests[view.warp], count = block.requests_of(view.warp);
  const float step = width / static_cast<float>(count);
  if (ImGui::IsItemActive()) {
    view.playing = false;
    view.request = std::clamp(static_cast<int>((ImGui::GetIO().MousePos.x - from.x) / step), 0, count - 1);
  }
  tooltip(
      "All requests of this warp from left to right, with its lanes from top to bottom. Click or drag. Thick lines "
      "are barriers; red ones have bank conflicts.");
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, {from.x + width, from.y + height}, ImGui::GetColorU32(p.raised));
  float drawn_to = -1;
  for (int i = 0; i < count; ++i) {
    const float left = from.x + step * static_cast<float>(i), right = from.x + step * static_cast<float>(i + 1);
    const WarpRequest& request = block.recording.requests[first + i];
    if (i > 0 && request.epoch != block.recording.requests[first + i - 1].epoch)
      list->AddLine({left, from.y}, {left, from.y + height}, ImGui::GetColorU32(p.text), 2 * scale);
    if (right - drawn_to < 1) continue;  // several requests share a pixel
    drawn_to = right;
    const AccessSite& site = block.recording.sites[request.site];
    const RequestTotals& cost = block.by(view.generation).requests[first + i];
    const bool conflicts =
        site.space == Space::shared && cost.wavefronts > least_wavefronts(view.generation, request.accesses());
    const float strength = site.space == Space::taps ? 0.25f : site.space == Space::shared ? 0.6f : 1.0f;
    const ImU32 colour = conflicts ? faded(p.fault, 0.8f) : faded(hue, strength);
    const float end = std::max(left + 1, right - (step > 4 ? 1.0f : 0.0f));
    for (int lane = 0; lane < lanes;) {
      int last = lane;
      while (last < lanes && request.address[last] >= 0) ++last;
      if (last > lane)
        list->AddRectFilled({left, from.y + row * static_cast<float>(lane)},
                            {end, from.y + row * static_cast<float>(last)}, colour);
      lane = last + 1;
    }
  }
  const float at = from.x + step * (static_cast<float>(view.request) + 0.5f), half = std::max(1.5f * scale, step / 2);
  list->AddRect({at - half, from.y - 1}, {at + half, from.y + height + 1}, ImGui::GetColorU32(p.text), 0, 0,
                1.5f * scale);
}

// What a kind of access adds up to in a phase, and in this warp so far.
void draw_row(PanelContext& context, std::string_view phase, std::string_view what, const RequestTotals& t,
              const RequestTotals& so_far, std::string_view unit, long long cost, long long cost_so_far) {
  if (t.requests == 0) return;
  const Palette& p = context.look.colours;
  ImGui::TableNextRow();
  const auto cell = [&](const std::string& text, ImVec4 colour) {
    ImGui::TableNextColumn();
    number(context.look.fonts, text, colour, text_size::caption);
  };
  ImGui::TableNextColumn();
  caption(phase, p.quiet);
  ImGui::TableNextColumn();
  caption(what, p.text);
  cell(grouped(t.requests), p.text);
  cell(fmt::format("{:.2f}", static_cast<double>(cost) / static_cast<double>(t.requests)), p.text);
  tooltip(unit);
  cell(t.moved_bytes > 0
           ? fmt::format("{:.0f} %", 100.0 * static_cast<double>(t.used_bytes) / static_cast<double>(t.moved_bytes))
           : "",
       p.text);
  cell(fmt::format("{:.0f} %", 100.0 * static_cast<double>(t.idle_lanes) /
                                   static_cast<double>(std::max(1ll, t.idle_lanes + t.accesses))),
       p.text);
  cell(so_far.requests > 0 ? fmt::format("{} / {}", grouped(so_far.requests), grouped(cost_so_far)) : "", p.quiet);
}

void draw_totals(PanelContext& context, const TracedBlock& block) {
  const TraceView& view = context.ui.panels.trace;
  const bool today = view.generation == Generation::today;
  if (!ImGui::BeginTable("totals", 7, ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_SizingFixedFit)) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  for (const auto& [title, width] :
       {std::pair{"phase", 112}, {"access", 84}, {"requests", 0}, {"each", 0}, {"used", 0}, {"idle", 0}, {"so far", 0}})
    ImGui::TableSetupColumn(title, ImGuiTableColumnFlags_WidthFixed, static_cast<float>(width) * scale);
  constexpr std::string_view tips[] = {
      "Between two barriers. Several intervals of the same kind are added up.",
      "",
      "Memory instructions of all warps of this block.",
      "What one request costs on average: wavefronts of shared memory, sectors of global memory, different taps.",
      "The part of the moved bytes that some lane asked for.",
      "Threads that take no part in a request of their warp.",
      "Of this warp up to the request shown: requests, and what they cost."};
  header_row(tips);
  MemoryTotals so_far = totals_until(block, view.warp, view.request + 1, view.generation);
  for (const TracedPhase& phase : block.by(view.generation).phases) {
    const MemoryTotals& t = phase.totals;
    std::string_view title = phase.title;
    const auto row = [&](std::string_view what, RequestTotals MemoryTotals::*kind, long long RequestTotals::*cost,
                         std::string_view unit) {
      draw_row(context, title, what, t.*kind, so_far.*kind, unit, t.*kind.*cost, so_far.*kind.*cost);
      if ((t.*kind).requests == 0) return;
      title = "";
      so_far.*kind = {};  // of all phases, so it is shown once
    };
    const std::string_view pieces = today ? "sectors of 32 bytes" : "transactions";
    row("global read", &MemoryTotals::global_read, &RequestTotals::sectors, pieces);
    row("shared write", &MemoryTotals::shared_write, &RequestTotals::wavefronts, "wavefronts");
    row("shared read", &MemoryTotals::shared_read, &RequestTotals::wavefronts, "wavefronts");
    row("tap", &MemoryTotals::taps, &RequestTotals::words, "different taps");
    row("global write", &MemoryTotals::global_write, &RequestTotals::sectors, pieces);
  }
  ImGui::EndTable();
  const WarpRecording& recording = block.recording;
  if (recording.shuffles + recording.matrix_products == 0) return;
  caption(fmt::format("and without memory: {} shuffles, {} matrix products", grouped(recording.shuffles),
                      grouped(recording.matrix_products)),
          context.look.colours.quiet);
  tooltip("Instructions of all warps. A shuffle moves 4 bytes from lane to lane, a matrix product uses tensor cores.");
}

// Block, warp, play and rules. A block is chosen by its middle pixel, which the other panels show, too.
void draw_controls(PanelContext& context, const LaunchPlan& plan, const KernelStep& step, Point2 block, int warps) {
  TraceView& view = context.ui.panels.trace;
  const float scale = ImGui::GetStyle().FontScaleMain;
  int at[2] = {block.x, block.y};
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Block");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(110 * scale);
  if (ImGui::InputInt2("##block", at) && (at[0] != block.x || at[1] != block.y)) {
    const Point2 inside{std::clamp(at[0], 0, step.grid.width - 1), std::clamp(at[1], 0, step.grid.height - 1)};
    const PixelRect tile = tile_of(plan, step, inside);
    context.ui.probe.picked = Point2{tile.left + tile.width / 2, tile.top + tile.height / 2};
  }
  tooltip(fmt::format("Column and row of the block in the grid of {}×{}. Or click a pixel of the picture.",
                      step.grid.width, step.grid.height));
  flow(130 * scale);
  ImGui::SetNextItemWidth(130 * scale);
  int warp = view.warp + 1;
  if (ImGui::SliderInt("##warp", &warp, 1, std::max(1, warps), fmt::format("Warp %d of {}", warps).c_str(),
                       ImGuiSliderFlags_AlwaysClamp))
    view.warp = warp - 1;
  tooltip(fmt::format("1 to {}: 32 threads each, counted row by row. Shift+Page up, Shift+Page down", warps));
  flow("<");
  ImGui::PushItemFlag(ImGuiItemFlags_ButtonRepeat, true);
  if (ImGui::Button("<")) --view.request;
  const bool has_keys = !lesson_is_open(context);  // it turns its steps by them
  tooltip(has_keys ? "The request before. Page up" : "The request before");
  flow(">");
  if (ImGui::Button(">")) ++view.request;
  tooltip(has_keys ? "The next request. Page down" : "The next request");
  ImGui::PopItemFlag();
  flow("Pause");
  if (ImGui::Button(view.playing ? "Pause###play" : "Play###play")) view.playing = !view.playing;
  tooltip("Show one request after the other. Ctrl+Space");
  flow(110 * scale);
  ImGui::SetNextItemWidth(110 * scale);
  const auto text_of = [](int per_second) { return fmt::format("{} a second", per_second); };
  if (begin_combo("##speed", text_of(view.per_second))) {
    for (const int per_second : {1, 4, 15, 60})
      if (ImGui::Selectable(text_of(per_second).c_str(), per_second == view.per_second)) view.per_second = per_second;
    ImGui::EndCombo();
  }
  tooltip("How many requests are played a second.");
  flow("Now", true);
  for (const MemoryRules& rules : memory_rules) {
    const bool today = rules.generation == Generation::today;
    if (!today) flow("Then", true);
    if (ImGui::RadioButton(today ? "Now" : "Then", view.generation == rules.generation))
      view.generation = rules.generation;
    tooltip(fmt::format("{}\n{}", rules.title, rules.source));
  }
  draw_overlay_choice(context.ui.panels.block);
}

// Keeps the view within the recording, and plays.
void walk(TraceView& view, const TracedBlock& block) {
  view.warp = std::clamp(view.warp, 0, block.recording.warps() - 1);
  const int count = block.requests_of(view.warp);
  if (view.playing && ImGui::GetTime() > view.next_request) {
    view.request = view.request + 1 < count ? view.request + 1 : 0;
    view.next_request = ImGui::GetTime() + 1.0 / view.per_second;
  }
  view.request = std::clamp(view.request, 0, std::max(0, count - 1));
}

// The request, and the totals beside it or below it.
void draw_parts(const Shown& s) {
  const float scale = ImGui::GetStyle().FontScaleMain, room = ImGui::GetContentRegionAvail().x;
  const bool beside = room > Cells::least_width(scale) + totals_width * scale;
  if (!beside) {
    draw_request(s);
    return draw_totals(s.context, s.block);
  }
  if (!ImGui::BeginTable("halves", 2, ImGuiTableFlags_NoSavedSettings)) return;
  ImGui::TableSetupColumn("request", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("totals", ImGuiTableColumnFlags_WidthFixed, totals_width * scale);
  ImGui::TableNextColumn();
  draw_request(s);
  ImGui::TableNextColumn();
  draw_totals(s.context, s.block);
  ImGui::EndTable();
}

void draw_recorded(PanelContext& context, const TracedBlock& block) {
  TraceView& view = context.ui.panels.trace;
  const Palette& p = context.look.colours;
  walk(view, block);
  if (!block.recording.complete)
    caption(fmt::format("Only the first {} requests are recorded.", grouped(WarpRecording::most_requests)), p.fault);
  if (block.requests_of(view.warp) == 0)
    return caption(block.recording.complete ? "This warp accesses no memory." : "This warp is not recorded.", p.quiet);
  const ImVec4 hue = p.lane[context.ui.panels.block.lane];
  const WarpRequest& request = block.recording.requests[block.first_requests[view.warp] + view.request];
  const Shown shown{context,
                    block,
                    view.generation,
                    request,
                    block.recording.sites[request.site],
                    block.by(view.generation).requests[block.first_requests[view.warp] + view.request],
                    request.accesses(),
                    hue};
  ImGui::PushStyleVarY(ImGuiStyleVar_ItemSpacing, 3 * ImGui::GetStyle().FontScaleMain);
  draw_overview(context, block, hue);
  draw_parts(shown);
  ImGui::PopStyleVar();
}

}  // namespace

void draw_trace_contents(PanelContext& context) {
  const LaneStatus& lane = context.status.lanes[context.ui.panels.block.lane];
  const Palette& p = context.look.colours;
  draw_lane_and_pass(context);
  if (!lane.outdated.empty()) caption(lane.outdated, p.fault);
  const KernelStep* step = chosen_step(lane, context.ui.panels.block);
  if (!step) return caption("No warps: computed on the host, or the plan was refused.", p.quiet);
  const Point2 block = chosen_block(context, *lane.plan, *step);
  context.ui.panels.trace.wanted = BlockQuestion{lane.plan, step, block};
  draw_controls(context, *lane.plan, *step, block, ceil_div(static_cast<int>(step->block.area()), WarpRequest::lanes));
  const std::shared_ptr<const TracedBlock>& traced = context.status.trace;
  if (traced && traced->question.step == step)
    draw_recorded(context, *traced);
  else
    caption("recording", p.quiet);
}

void draw_trace(PanelContext& context) {
  if (!context.ui.shown.trace) return;
  if (ImGui::Begin("Trace", &context.ui.shown.trace)) draw_trace_contents(context);
  ImGui::End();
}

}  // namespace conv
