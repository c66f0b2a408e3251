// The window driven by mouse and keyboard: what compares many variants.
#include <imgui.h>

#include "gui_support.h"

namespace {

const RaceEntryStatus& racer(std::string_view id) {
  static const RaceEntryStatus none;
  const auto& entries = app->status().race.entries;
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.variant == id; });
  return found == entries.end() ? none : *found;
}

template <class Done>
void until(ImGuiTestContext* ctx, Done done) {
  for (int i = 0; i < 3000 && !done(); ++i) ctx->Yield();
}

GUI_TEST(a_race_times_checks_and_ranks_every_variant) {
  start_over(ctx);
  settings().source.pattern_size = {48, 32};
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiKey_R);
  const RaceStatus& race = app->status().race;
  until(ctx, [&] { return race.rounds > 20; });
  IM_CHECK_GT(race.entries.size(), std::size_t{15});
  int first = 0;
  for (const RaceEntryStatus& entry : race.entries) {
    if (entry.state == RaceState::refused) {
      IM_CHECK(!entry.text.empty());
      continue;
    }
    IM_CHECK(entry.state == RaceState::racing);
    IM_CHECK(entry.checked);
    IM_CHECK(entry.ms.has_value());
    IM_CHECK_EQ(entry.place > 0, !entry.transfers);
    first += entry.place == 1;
  }
  IM_CHECK_GT(first, 0);
  IM_CHECK(racer("fft").state == RaceState::refused);  // no such library on the CPU
  IM_CHECK_GT(racer("global").against_first.ratio, 1.0f);

  ctx->SetRef("Race");
  ctx->ItemCheck("Freeze");
  const int rounds = race.rounds;
  ctx->Yield(60);
  IM_CHECK_EQ(race.rounds, rounds);
  ctx->ItemUncheck("Freeze");
  ctx->ItemClick("Copy Markdown");
  ctx->Yield(2);
  IM_CHECK(std::string(ImGui::GetClipboardText()).find("| global | ") != std::string::npos);

  settings().filter.radius = 2;  // another job: everything anew
  ctx->Yield(3);
  IM_CHECK_LT(race.rounds, rounds);
  settings().not_racing = {"global"};
  ctx->Yield(30);
  IM_CHECK_EQ(racer("global").variant, std::string());
  ctx->ItemClick("Stop");
  ctx->Yield(30);
  IM_CHECK(!race.running);
  IM_CHECK(shows_reference(0) || (settle(ctx), shows_reference(0)));
}

// A screen pixel, 0 to 765.
int brightness(float x, float y) {
  const std::size_t at = (static_cast<std::size_t>(y) * screen.size.width + static_cast<std::size_t>(x)) * 3;
  return screen.levels[at] + screen.levels[at + 1] + screen.levels[at + 2];
}

GUI_TEST(blocks_are_drawn_where_the_plan_has_them) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_linear";
  settings().source = {.pattern = PatternKind::gradient, .pattern_size = {96, 64}};
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->MouseMove("//##status");  // away from the picture: no block is marked
  ctx->Yield(2);
  const ViewArea area = app->ui().areas[0].view;
  const auto at = [&](float x, float y) {
    const Vec2 p = app->ui().view.screen_at_image({x, y}, {area.left + area.width / 2, area.top + area.height / 2});
    return Vec2{std::round(p.x), std::round(p.y)};
  };
  Picture before = screen;
  ctx->KeyPress(ImGuiKey_O);
  ctx->Yield(2);
  for (const float x : {16.0f, 32.0f, 64.0f}) {
    const Vec2 line = at(x, 24.5f), inside = at(x + 8, 24.5f);
    const int lit = brightness(line.x, line.y), unlit = brightness(inside.x, inside.y);
    std::swap(screen.levels, before.levels);
    const int lit_before = brightness(line.x, line.y), unlit_before = brightness(inside.x, inside.y);
    std::swap(screen.levels, before.levels);
    IM_CHECK_GT(lit, lit_before + 30);
    IM_CHECK_EQ(unlit, unlit_before);
  }
  ctx->KeyPress(ImGuiKey_O, 2);  // overlap, nothing
  IM_CHECK(app->ui().block.overlay == BlockOverlay::none);
}

GUI_TEST(a_block_is_taken_apart_phase_by_phase) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_linear";
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->MouseClick();
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B);
  const auto recorded = [] { return app->status().block; };
  const Point2 picked = *app->ui().picked;
  until(ctx, [&] { return recorded() && recorded()->recording.block == (Point2{picked.x / 16, picked.y / 16}); });
  IM_CHECK(recorded() != nullptr);
  const std::vector<BlockPhase>& phases = recorded()->recording.phases;  // 26x26 pixels by 256 threads
  IM_CHECK_EQ(phases.size(), std::size_t{5});
  IM_CHECK_EQ(phases[2].count, 26 * 26 - 2 * 256);
  IM_CHECK(phases[3].kind == PhaseKind::compute && phases[3].epoch == 1);
  ctx->SetRef("Block");
  ctx->ItemClick("**/$$3/##phase");
  IM_CHECK_EQ(app->ui().block.phase, 3);
  ctx->ItemClick("Play");
  until(ctx, [] { return app->ui().block.phase == 4; });
  IM_CHECK_EQ(app->ui().block.phase, 4);
  ctx->ItemClick("Pause");
  settings().lanes[0].variant = "cpu_separable";  // no blocks: words instead
  settle(ctx);
  IM_CHECK(kernel_steps(lane(0)).empty());
  ctx->WindowClose("//Block");
}

}  // namespace
