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

}  // namespace
