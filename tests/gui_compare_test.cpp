// The window driven by mouse and keyboard: comparing many variants.
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_te_engine.h>

#include "gui_support.h"
#include "kernels/core/registry.h"
#include "kernels/cpu/reference.h"

namespace conv {

namespace {

using namespace std::chrono_literals;

constexpr auto refreshed = 500ms;  // twice the period in which the window renews its numbers

const RaceEntryStatus& racer(std::string_view id) {
  static const RaceEntryStatus none;
  const auto& entries = app->status().race.entries;
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.variant == id; });
  return found == entries.end() ? none : *found;
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
  IM_CHECK(racer("box_running").state == RaceState::refused);  // the filter is no box
  IM_CHECK_GT(racer("global").against_first.ratio, 1.0f);

  ctx->SetRef("Race");
  ctx->ItemCheck("Freeze");
  run_for(ctx, refreshed);
  const int rounds = race.rounds;
  run_for(ctx, refreshed);
  IM_CHECK_EQ(race.rounds, rounds);
  ctx->ItemUncheck("Freeze");
  ctx->ItemClick("Copy Markdown");
  ctx->Yield(2);
  IM_CHECK(std::string(ImGui::GetClipboardText()).find("| global | ") != std::string::npos);

  settings().filter.radius = 2;  // another job: everything starts again
  IM_CHECK(until(ctx, [&] { return race.rounds < rounds; }));
  settings().not_racing = {"global"};
  IM_CHECK(until(ctx, [] { return racer("global").variant.empty(); }));
  ctx->ItemClick("Stop");
  IM_CHECK(until(ctx, [&] { return !race.running; }));
  IM_CHECK(shows_reference(0) || (settle(ctx), shows_reference(0)));
}

// The length of the longest bar of this colour in this part of the screen. Lines across it do not end it.
float longest_bar(ImRect part, ImVec4 colour) {
  constexpr int line = 4;
  int longest = 0;
  for (int y = static_cast<int>(part.Min.y); y < static_cast<int>(part.Max.y); ++y)
    for (int x = static_cast<int>(part.Min.x), first = x, last = x - line; x < static_cast<int>(part.Max.x); ++x) {
      if (!screen_shows(colour, {x, y})) continue;
      if (x - last > line) first = x;
      last = x;
      longest = std::max(longest, last - first + 1);
    }
  return static_cast<float>(longest);
}

// The bar of a lane's variant. The whisker may cover its end.
float bar_of(ImGuiTestContext* ctx, int lane) {
  const ImRect header = ctx->ItemInfo("**/median and its 95 % interval").RectFull;
  const ImRect row = ctx->ItemInfo(fmt::format("**/{}/##races", settings().lanes[lane].variant).c_str()).RectFull;
  return longest_bar({header.Min.x, row.Min.y, header.Max.x, row.Max.y}, palette(Theme::dark).lane[lane]);
}

// A race as the pipeline would report it: measured times would be others each time.
GUI_TEST(the_bars_of_a_race_are_as_long_as_their_times) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_linear";
  settings().lanes[1].variant = "cpu_direct";
  static AppStatus told;
  told = app->status();
  const auto entry = [](std::string variant, float ms, int place) {
    return RaceEntryStatus{.variant = std::move(variant),
                           .state = RaceState::racing,
                           .ms = Summary{.median = ms, .p10 = 0.9f * ms, .p90 = 1.1f * ms, .count = 50},
                           .interval = {.low = 0.98f * ms, .median = ms, .high = 1.02f * ms},
                           .place = place,
                           .checked = true};
  };
  told.race = {.running = true, .rounds = 50, .entries = {entry("tile_linear", 2, 2), entry("cpu_direct", 0.5f, 1)}};
  static UiState ui;
  ui = {};
  ui.shown.race = true;
  ui.panels.race.runs = true;
  app->ui().shown.race = false;
  ctx->Test->GuiFunc = [](ImGuiTestContext*) {
    PanelContext context = panel_context(ui, told);
    draw_race(context);
  };
  ctx->Yield(3);
  ctx->WindowResize("//Race", {900, 600});
  ctx->SetRef("Race");
  ctx->MouseMove("//##status");
  ctx->Yield(3);
  const float longer = bar_of(ctx, 0), shorter = bar_of(ctx, 1);
  IM_CHECK_GT(longer, 100.0f);
  // Ratios of lengths are ratios of times, except for what a whisker covers.
  IM_CHECK_LE(std::fabs(shorter - longer * 0.5f / 2), 8.0f);
  ctx->ItemCheck("Log scale");
  ctx->MouseMove("//##status");
  ctx->Yield(3);
  // The bars begin at half the fastest time, 0.25 ms: one doubling and three.
  IM_CHECK_LE(std::fabs(bar_of(ctx, 1) - bar_of(ctx, 0) / 3), 8.0f);
}

// A kernel on a GPU, as the pipeline would report it; this test needs no GPU to see how it is drawn.
GUI_TEST(the_bars_of_occupancy_are_as_long_as_their_shares) {
  start_over(ctx);
  static AppStatus told;
  told = app->status();
  StepOccupancy step{.title = "convolve", .resources = {.registers = 40, .block = {16, 16}}, .counted_blocks = 6};
  step.occupancy = {.blocks = 6, .warps = 48, .most_warps = 64, .limiter = "registers"};
  step.curve = {{{8, 8}, 0.5}, {{16, 16}, 0.75}, {{64, 32}, std::nullopt}};
  told.device.no_gpu.clear();
  told.lanes[0].occupancy = {step};
  app->ui().shown.occupancy = false;
  ctx->Test->GuiFunc = [](ImGuiTestContext*) {
    static UiState ui;
    ui.shown.occupancy = true;
    PanelContext context = panel_context(ui, told);
    draw_occupancy(context);
  };
  ctx->Yield(3);
  ctx->WindowResize("//Occupancy", {600, 300});
  ctx->Yield(3);
  const ImGuiWindow* window = ctx->WindowInfo("//Occupancy").Window;
  IM_CHECK(window != nullptr);
  const Palette& p = palette(Theme::dark);
  const float chosen = longest_bar(window->Rect(), p.lane[0]), other = longest_bar(window->Rect(), p.disabled);
  IM_CHECK_GT(chosen, 100.0f);
  IM_CHECK_LE(std::fabs(other - chosen * 0.5f / 0.75f), 1.0f);
}

// A pixel, 0 to 765.
int brightness(const Picture& picture, Vec2 at) {
  const auto levels = levels_at(picture, {static_cast<int>(at.x), static_cast<int>(at.y)});
  return levels[0] + levels[1] + levels[2];
}

GUI_TEST(blocks_are_drawn_where_the_plan_has_them) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_linear";
  settings().source = {.pattern = PatternKind::gradient, .pattern_size = {160, 128}};
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
  const Picture before = screen();
  ctx->KeyPress(ImGuiKey_O);
  ctx->Yield(2);
  const Picture& after = screen();
  for (const float x : {16.0f, 32.0f, 64.0f}) {
    const Vec2 line = at(x, 24.5f), inside = at(x + 8, 24.5f);
    IM_CHECK_GT(brightness(after, line), brightness(before, line) + 30);
    IM_CHECK_EQ(brightness(after, inside), brightness(before, inside));
  }
  // Loads: the corner where four aprons overlap has the brightest colour, the middle of a tile a dark one.
  ctx->KeyPress(ImGuiKey_O, 2);
  IM_CHECK(app->ui().panels.block.overlay == BlockOverlay::loads);
  until(ctx, [] { return app->status().heat && (*app->status().heat)[0] != nullptr; });
  ctx->Yield(2);
  const MemoryHeat& heat = *(*app->status().heat)[0];
  IM_CHECK_EQ(heat.blocks, 9);
  IM_CHECK_EQ(*std::ranges::max_element(heat.loads), 4);
  IM_CHECK_GT(brightness(screen(), at(82.5f, 66.5f)), brightness(screen(), at(88.5f, 72.5f)) + 100);
  // Every lane of the grid has its own.
  settings().view = ViewMode::grid;
  for (LaneSettings& lane : settings().lanes) lane = settings().lanes[0];
  settle(ctx);
  IM_CHECK(until(ctx, [] {
    const auto& answers = *app->status().heat;
    return std::ranges::count_if(answers, [](const auto& answer) { return answer && answer->blocks == 9; }) ==
           shown_lanes(settings());
  }));
  settings().view = ViewMode::single;
  ctx->KeyPress(ImGuiKey_O, 2);  // sectors, then nothing
  IM_CHECK(app->ui().panels.block.overlay == BlockOverlay::none);
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
  const Point2 picked = *app->ui().probe.picked;
  until(ctx, [&] { return recorded() && recorded()->recording.block == (Point2{picked.x / 16, picked.y / 16}); });
  IM_CHECK(recorded() != nullptr);
  const std::vector<BlockPhase>& phases = recorded()->recording.phases;  // 26x26 pixels by 256 threads
  IM_CHECK_EQ(phases.size(), std::size_t{5});
  IM_CHECK_EQ(phases[2].count, 26 * 26 - 2 * 256);
  IM_CHECK(phases[3].kind == PhaseKind::compute && phases[3].epoch == 1);
  ctx->SetRef("Block");
  ctx->ItemClick("**/$$3/##phase");
  IM_CHECK_EQ(app->ui().panels.block.phase, 3);
  ctx->ItemClick("Play");
  until(ctx, [] { return app->ui().panels.block.phase == 4; });
  IM_CHECK_EQ(app->ui().panels.block.phase, 4);
  ctx->ItemClick("Pause");
  settings().lanes[0].variant = "cpu_separable";  // no blocks: a text instead
  settle(ctx);
  IM_CHECK(kernel_steps(lane(0)).empty());
  ctx->WindowClose("//Block");
}

// How wide the longest line is that only this lane's code has.
float longest_difference(ImGuiTestContext* ctx, int lane) {
  const Palette& p = palette(Theme::dark);
  const ImGuiWindow* window = ctx->WindowInfo("//Code").Window;
  return longest_bar(window->Rect(), ImLerp(p.panel, p.lane[lane], 0.3f));
}

// Two sources, then the machine code of one kernel with and without const __restrict__.
GUI_TEST(the_codes_of_two_lanes_are_compared) {
  start_over(ctx);
  settings().lanes[0].variant = "tile_linear";
  settings().lanes[1].variant = "tile_nested";
  settings().view = ViewMode::side;
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  ctx->SetRef("Code");
  ctx->ItemClick("##code/A against B");
  const ImRect panel = ctx->WindowInfo("//Code").Window->Rect();
  ctx->MouseMoveToPos({panel.GetCenter().x, panel.Max.y - 40});
  ctx->MouseWheelY(-3);
  ctx->Yield(3);
  for (int lane = 0; lane < 2; ++lane) IM_CHECK_GT(longest_difference(ctx, lane), 100.0f);

  settings().lanes[1] = settings().lanes[0];
  settle(ctx);
  ctx->Yield(3);
  IM_CHECK_LT(longest_difference(ctx, 0), 100.0f);
#if defined(CONV_WITH_CUDA)
  ctx->ItemClick("##code/A against B/PTX##compared");
  settings().lanes[1].switches.set("restrict", 1);
  settle(ctx);
  const auto ptx = [](int lane) -> const std::string& { return app->status().code.answers[lane]->ptx.text; };
  until(ctx, [&] { return app->status().code.answers[1] && ptx(1).find("ld.global.nc") != std::string::npos; });
  IM_CHECK_EQ(ptx(0).find("ld.global.nc"), std::string::npos);
#endif
}

// Shows f32 by tile_linear with 16x16 threads and 5x5 taps, and picks the pixel under the mouse.
Point2 pick_in_small_tiles(ImGuiTestContext* ctx) {
  start_over(ctx);
  settings().filter.radius = 2;
  settings().lanes[0].block = {16, 16};
  settings().lanes[0].format = PixelType::f32;
  choose_variant(ctx, 'A', "tile_linear");
  settle(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->MouseClick();
  return *app->ui().probe.picked;
}

}  // namespace

// The warps of the picked block, instruction by instruction, by keyboard and by mouse.
GUI_TEST(a_trace_is_walked_request_by_request) {
  const Point2 picked = pick_in_small_tiles(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_T);
  const auto trace = [] { return app->status().trace; };
  const auto is_of = [&](Point2 block) { return trace() && trace()->recording.block == block; };
  IM_CHECK(until(ctx, [&] { return is_of({picked.x / 16, picked.y / 16}); }));
  TraceView& view = app->ui().panels.trace;
  // 20x20 pixels by 256 threads: 400 loads, so a second round for 144 threads. Then 25 taps and the pixel itself.
  IM_CHECK_EQ(trace()->requests_of(0), 2 + 2 + 25 + 25 + 1 + 1);
  IM_CHECK_EQ(trace()->requests_of(7), 1 + 1 + 25 + 25 + 1 + 1);
  ctx->KeyPress(ImGuiKey_PageDown, 3);
  IM_CHECK_EQ(view.request, 3);
  ctx->KeyPress(ImGuiKey_PageUp);
  IM_CHECK_EQ(view.request, 2);
  ctx->KeyPress(ImGuiKey_PageUp, 5);
  IM_CHECK_EQ(view.request, 0);
  ctx->KeyPress(ImGuiMod_Shift | ImGuiKey_PageDown, 9);
  IM_CHECK_EQ(view.warp, 7);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Space);
  IM_CHECK(until(ctx, [&] { return view.request >= 2; }));
  ctx->SetRef("Trace");
  ctx->ItemClick("**/###play");
  IM_CHECK(!view.playing);
  ctx->MouseMove("**/##overview");
  ctx->MouseClick();
  IM_CHECK(view.request > 20 && view.request < 34);  // its middle
  ctx->ItemClick("**/Then");
  IM_CHECK(view.generation == Generation::g80);
  ctx->ItemClick("**/Now");
  ctx->ItemInputValue("##block/$$0", 3);
  ctx->ItemInputValue("##block/$$1", 1);
  IM_CHECK(until(ctx, [&] { return is_of({3, 1}); }));
  IM_CHECK_EQ(app->ui().probe.picked->x / 16, 3);
  settings().lanes[0].variant = "cpu_separable";  // no warps: a text instead
  settle(ctx);
  ctx->WindowClose("//Trace");
}

GUI_TEST(a_thread_is_followed_through_the_source) {
  const Point2 picked = pick_in_small_tiles(ctx);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_E);
  const auto thread = [] { return app->status().thread; };
  const Point2 place{picked.x % 16, picked.y % 16};
  IM_CHECK(until(ctx, [&] { return thread() && thread()->recording.thread == place; }));
  IM_CHECK(
      until(ctx, [&] { return app->status().trace && app->status().trace->question == thread()->question.block; }));
  ThreadView& view = app->ui().panels.thread;
  view.step = 0;
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_PageDown, 3);
  IM_CHECK_EQ(view.step, 3);
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiKey_PageUp);
  IM_CHECK_EQ(view.step, 2);
  ctx->SetRef("Code");
  // A click on the line of the sum goes to its first tap, another one to the next.
  const auto& steps = thread()->recording.steps;
  const auto tap = std::ranges::find_if(steps, [](const ThreadStep& s) { return s.tap == 0; });
  view.step = static_cast<int>(tap - steps.begin()) + 24;  // the last tap; brings the line into view
  ctx->Yield(5);
  const std::string line = fmt::format("**/line {}", tap->line.line);
  ctx->ItemClick(line.c_str());
  IM_CHECK_EQ(view.step, static_cast<int>(tap - steps.begin()));
  IM_CHECK_EQ(view.scrolled_to, tap->line.line);
  ctx->ItemClick(line.c_str());
  IM_CHECK_EQ(steps[static_cast<std::size_t>(view.step)].tap, 1);
  ctx->ItemClick("**/###play");
  const int before = view.step;
  IM_CHECK(until(ctx, [&] { return view.step >= before + 2; }));
  ctx->ItemClick("**/###play");
  IM_CHECK(!view.playing);
  choose_variant(ctx, 'A', "cpu_separable");  // no thread: the panel has a text instead
  settle(ctx);
  ctx->WindowClose("//Code");
}

GUI_TEST(the_histogram_counts_every_value) {
  start_over(ctx);
  ctx->ItemCheck("//##view bar/Histogram");
  for (const PixelType format : {PixelType::rgba8, PixelType::f32}) {
    settings().lanes[0].format = format;
    settings().display.exposure = format == PixelType::f32 ? 0.5f : 0;
    settle(ctx);
    run_for(ctx, 700ms);  // it pauses between two counts
    IM_CHECK(app->status().picture.histogram.has_value());
    const Histogram& h = *app->status().picture.histogram;
    const HostImage& shown = *result(0);
    IM_CHECK_EQ(h.channels, format == PixelType::f32 ? 1 : 3);
    Histogram counted{.low = 0, .high = 1 / std::exp2(settings().display.exposure)};
    for (int i = 0; i < shown.size.area(); ++i)
      for (int c = 0; c < h.channels; ++c) {
        const float value = shown.channel(static_cast<std::size_t>(i), c) / info(format).one;
        if (value > counted.high)
          ++counted.above[c];
        else
          ++counted.bins[c][std::min<std::size_t>(static_cast<std::size_t>(value / counted.high * 256), 255)];
      }
    long long apart = 0, total = 0;
    for (int c = 0; c < h.channels; ++c) {
      IM_CHECK_EQ(h.above[c], counted.above[c]);
      IM_CHECK_EQ(h.below[c], 0);
      for (std::size_t i = 0; i < Histogram::bin_count; ++i) {
        apart += std::abs(h.bins[c][i] - counted.bins[c][i]);
        total += h.bins[c][i] + (i == 0 ? h.above[c] : 0);
      }
    }
    IM_CHECK_EQ(total, shown.size.area() * h.channels);
    IM_CHECK_LE(apart, format == PixelType::rgba8 ? 0 : 4);  // a float at the edge of a bin may fall on either side
  }
  // White computed from float sums may exceed 1 by a last bit; it counts as white.
  settings().display.exposure = 0;
  settings().source = {.pattern = PatternKind::checkerboard, .pattern_size = {256, 256}};
  settings().filter.sigma = 2;
  settle(ctx);
  int beyond = 0;
  for (int i = 0; i < result(0)->size.area(); ++i) beyond += result(0)->channel(static_cast<std::size_t>(i), 0) > 1;
  IM_CHECK_GT(beyond, 0);
  until(ctx,
        [] { return app->status().picture.histogram->high == 1 && app->status().picture.histogram->bins[0][255] > 0; });
  IM_CHECK_EQ(app->status().picture.histogram->above[0], 0);
}

}  // namespace conv
