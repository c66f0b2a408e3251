// How the variants of both lanes work: the idea in words, and what moves between the levels of memory.
#include <fmt/format.h>

#include <cmath>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/cost.h"
#include "kernels/core/registry.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

// Bytes that a step moves per pixel it writes, by its plan.
struct Traffic {
  double from_global = 0, from_shared = 0, to_global = 0;
  double loads = 0, multiply_adds = 0;
};

Traffic traffic_of(const LaunchPlan& plan, const KernelStep& step, const Cost& cost) {
  const auto pixels = static_cast<double>(plan.written_by(step).area());
  const double bytes = info(plan.type_of(step.reads)).bytes;
  Traffic t{.to_global = static_cast<double>(info(plan.type_of(step.writes)).bytes),
            .loads = cost.loads_per_pixel * static_cast<double>(plan.image.area()) / pixels,
            .multiply_adds = static_cast<double>(cost.multiply_adds) / pixels};
  t.from_global = t.loads * bytes;
  if (step.shared_bytes == 0) return t;
  t.from_shared =
      bytes * (step.tile_loads > 0 ? step.tile_loads : static_cast<double>(plan.tables[step.taps].values.size()));
  return t;
}

std::string per_pixel(double bytes) {
  return fmt::format("{} B", three_digits(bytes));
}

// Three bars, from memory at the top to threads at the bottom. The arrows between them are wider if more data moves.
class Levels {
 public:
  Levels(const PanelContext& context, int lane) : look_(context.look), lane_(lane) {
    scale_ = ImGui::GetStyle().FontScaleMain;
    width_ = std::min(most_width * scale_, ImGui::GetContentRegionAvail().x);
  }

  static constexpr float most_width = 270;  // at scale 1

  void draw(const KernelStep& step, const Traffic& t, Size2 written) {
    const ImVec2 top = ImGui::GetCursorScreenPos();
    const float bar = 22 * scale_, gap = 34 * scale_;
    const bool shared = step.shared_bytes > 0;
    ImGui::Dummy({width_, 3 * bar + 2 * gap});
    const auto row = [&](int i) { return top.y + static_cast<float>(i) * (bar + gap); };
    box({top.x, row(0)}, {top.x + width_, row(0) + bar}, "Global memory", fmt::format("{} px", size_text(written)));
    const float load = top.x + 0.15f * width_, store = top.x + 0.9f * width_;
    if (shared) {
      box({top.x, row(1)}, {top.x + 0.7f * width_, row(1) + bar}, "Shared",
          fmt::format("{} a block", bytes_text(step.shared_bytes)));
      arrow({load, row(0) + bar}, {load, row(1)}, t.from_global, fmt::format("{:.2f} loads", t.loads), false);
      arrow({load, row(1) + bar}, {load, row(2)}, t.from_shared, "", false);
    } else {
      arrow({load, row(0) + bar}, {load, row(2)}, t.from_global, fmt::format("{} loads", three_digits(t.loads)), false);
    }
    arrow({store, row(2)}, {store, row(0) + bar}, t.to_global, "", true);
    box({top.x, row(2)}, {top.x + width_, row(2) + bar}, fmt::format("{} threads a block", step.block.area()),
        fmt::format("{} multiply-adds", three_digits(t.multiply_adds)));
  }

 private:
  void box(ImVec2 from, ImVec2 to, const std::string& left, const std::string& right) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(from, to, ImGui::GetColorU32(look_.colours.raised), 3 * scale_);
    ImGui::PushFont(look_.fonts.words, text_size::caption);
    const float y = (from.y + to.y - ImGui::GetTextLineHeight()) / 2, margin = 6 * scale_;
    list->AddText({from.x + margin, y}, ImGui::GetColorU32(look_.colours.text), left.c_str());
    list->AddText({to.x - margin - ImGui::CalcTextSize(right.c_str()).x, y}, ImGui::GetColorU32(look_.colours.quiet),
                  right.c_str());
    ImGui::PopFont();
  }

  // Its numbers are on its right, or on the left if there is no space.
  void arrow(ImVec2 from, ImVec2 to, double bytes, const std::string& words, bool on_left) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 colour = ImGui::GetColorU32(look_.colours.lane[lane_]);
    const float half = scale_ * static_cast<float>(std::clamp(0.5 + 0.75 * std::log2(1 + bytes), 1.0, 7.0));
    const float down = to.y > from.y ? 1 : -1, head = 1.5f * half + 3 * scale_, rim = 2 * scale_;
    const float begin = from.y + down * rim, end = to.y - down * rim;
    list->AddRectFilled({from.x - half, std::min(begin, end - down * head)},
                        {from.x + half, std::max(begin, end - down * head)}, colour);
    list->AddTriangleFilled({from.x - head, end - down * head}, {from.x + head, end - down * head}, {from.x, end},
                            colour);
    ImGui::PushFont(look_.fonts.numbers, text_size::caption);
    const float line = ImGui::GetTextLineHeight(), middle = (from.y + to.y) / 2;
    const std::string figure = per_pixel(bytes);
    const float aside = head + 4 * scale_;
    const float x = on_left ? from.x - aside - ImGui::CalcTextSize(figure.c_str()).x : from.x + aside;
    list->AddText({x, middle - (words.empty() ? line / 2 : line)}, ImGui::GetColorU32(look_.colours.text),
                  figure.c_str());
    list->AddText({x, middle}, ImGui::GetColorU32(look_.colours.quiet), words.c_str());
    ImGui::PopFont();
  }

  const Look& look_;
  int lane_;
  float scale_ = 1, width_ = 0;
};

constexpr float most_words = 520;  // of a line, at scale 1

void draw_wrapped(std::string_view text, ImVec4 colour) {
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() +
                         std::min(ImGui::GetContentRegionAvail().x, most_words * ImGui::GetStyle().FontScaleMain));
  ImGui::TextColored(colour, "%s", std::string(text).c_str());
  ImGui::PopTextWrapPos();
}

void draw_pictures(PanelContext& context, const LaneStatus& lane, int index) {
  if (!lane.plan) return draw_wrapped(lane.refusal, context.look.colours.quiet);
  const std::vector<const KernelStep*> kernels = kernel_steps(lane);
  if (kernels.empty()) return caption("Computed on the host: nothing moves on the GPU.", context.look.colours.quiet);
  const std::vector<Cost> costs = step_costs(*lane.plan);
  caption("Per pixel it writes:", context.look.colours.quiet);
  for (std::size_t i = 0; i < lane.plan->steps.size(); ++i) {
    const auto* step = std::get_if<KernelStep>(&lane.plan->steps[i]);
    if (!step) {
      caption(fmt::format("{}: by a library, or by the copy engines", lane.plan->title_of(i)),
              context.look.colours.quiet);
      continue;
    }
    if (kernels.size() > 1) caption(lane.plan->title_of(i), context.look.colours.text);
    Levels(context, index).draw(*step, traffic_of(*lane.plan, *step, costs[i]), lane.plan->written_by(*step));
  }
}

void draw_idea_of(PanelContext& context, int index, const Variant& variant) {
  const Palette& p = context.look.colours;
  ImGui::TextColored(p.lane[index], "%c  %s", 'A' + index, std::string(variant.id).c_str());
  ImGui::PushFont(nullptr, text_size::title);
  ImGui::TextWrapped("%s", std::string(variant.title).c_str());
  ImGui::PopFont();
  draw_wrapped(variant.idea, p.text);
}

void draw_notice_of(PanelContext& context, const Variant& variant) {
  if (variant.notice.empty()) return;
  ImGui::Spacing();
  draw_wrapped(variant.notice, context.look.colours.quiet);
}

}  // namespace

static void draw_lane_idea(PanelContext& context, int lane, bool beside) {
  // A variant that chooses another is explained by the one that runs.
  const auto& plan = context.status.lanes[lane].plan;
  const Variant& variant =
      *find_variant(plan && !plan->chosen.empty() ? plan->chosen : context.settings.lanes[lane].variant);
  ImGui::PushID(lane);
  ImGui::TableNextColumn();
  draw_idea_of(context, lane, variant);
  if (beside) {
    draw_notice_of(context, variant);
    ImGui::TableNextColumn();
  }
  draw_pictures(context, context.status.lanes[lane], lane);
  if (!beside) draw_notice_of(context, variant);
  ImGui::PopID();
}

void draw_idea_contents(PanelContext& context) {
  const int lanes = context.status.lanes[1].active ? 2 : 1;
  const float scale = ImGui::GetStyle().FontScaleMain, picture = Levels::most_width * scale;
  const float share = ImGui::GetContentRegionAvail().x / static_cast<float>(lanes);
  // The picture is beside the text where that leaves the text as much space, otherwise below it.
  const bool beside = share > 2.2f * picture;
  const float words = std::min(most_words * scale, share - picture - 4 * ImGui::GetStyle().CellPadding.x);
  if (ImGui::BeginTable("lanes", lanes * (beside ? 2 : 1), ImGuiTableFlags_NoSavedSettings)) {
    for (int i = 0; i < lanes; ++i) {
      ImGui::TableSetupColumn("words", beside ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                              beside ? words : 0);
      if (beside) ImGui::TableSetupColumn("picture", ImGuiTableColumnFlags_WidthFixed, picture);
    }
    for (int i = 0; i < lanes; ++i) draw_lane_idea(context, i, beside);
    ImGui::EndTable();
  }
}

void draw_idea(PanelContext& context) {
  if (!context.ui.shown.idea) return;
  if (ImGui::Begin("How it works", &context.ui.shown.idea)) draw_idea_contents(context);
  ImGui::End();
}

}  // namespace conv
