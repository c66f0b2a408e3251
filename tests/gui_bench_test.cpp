// Sweeps and published numbers in the window, driven by mouse and keyboard.
#include <imgui.h>

#include <algorithm>
#include <regex>

#include "app/measure/bench_json.h"
#include "app/measure/bench_tables.h"
#include "app/measure/presets.h"
#include "app/measure/published.h"
#include "app/measure/shipped.h"
#include "app/ui/window/actions.h"
#include "gui_support.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

BenchStatus bench() {
  return app->status().bench;
}

void wait_for_sweep(ImGuiTestContext* ctx) {
  until(ctx, [&] { return !bench().running; });
}

std::vector<BenchRow> rows_of(const std::string& preset) {
  std::vector<BenchRow> rows = bench().results->rows;
  std::erase_if(rows, [&](const BenchRow& row) { return row.preset != preset; });
  return rows;
}

// The ladder on the host: measured, stored, shown again; a click loads its setting.
GUI_TEST(a_sweep_is_measured_kept_and_loaded) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_B);
  ctx->Yield(4);
  ctx->SetRef("Bench");
  ctx->ItemClick("Quick");
  ctx->ItemClick("Run");
  ctx->Yield(3);
  IM_CHECK(bench().running);
  const LaneStatus before = lane(0);
  wait_for_sweep(ctx);
  IM_CHECK_STR_EQ(bench().error.c_str(), "");
  IM_CHECK_EQ(lane(0).times.history.size(), before.times.history.size());  // the live view was paused
  const std::vector<BenchRow> rows = rows_of("s1");
  IM_CHECK_EQ(rows.size(), std::size_t{6});  // three host variants with two paddings
  for (const BenchRow& row : rows) IM_CHECK(row.state == RowState::measured);
  std::filesystem::path kept;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(config_folder() / "results"))
    if (entry.path().filename() == "s1.json") kept = entry.path();
  const auto read = read_results(kept.string());
  IM_CHECK(read.has_value());
  IM_CHECK_EQ(read->rows.size(), rows.size());
  BenchRunner next_start(config_folder() / "results");
  next_start.load(bench().results->environment.processor);
  IM_CHECK_EQ(conv::rows_of(next_start.status().results->rows, "s1").size(), rows.size());

  ctx->ItemClick("Copy CSV");
  ctx->Yield(2);
  IM_CHECK(std::string(ImGui::GetClipboardText()).starts_with(csv_header()));

  settings().filter.radius = 7;
  ctx->ItemClick("NVIDIA H200");  // off: the rows of this machine alone
  ctx->Yield(2);
  ctx->ItemClick("**/Blog mirror");  // in the first row
  ctx->Yield(2);
  IM_CHECK(settings().filter.kind == FilterKind::gaussian_integer);
  IM_CHECK(settings().border == Border::blog_mirror);
  IM_CHECK_STR_EQ(settings().lanes[0].variant.c_str(), rows[0].point.lane.variant.c_str());
}

// The results of a killed run replace those of the run before; another processor's remain.
GUI_TEST(a_broken_off_sweep_takes_the_place_of_the_one_before) {
  const std::filesystem::path folder = config_folder() / "broken off" / "Some_GPU";
  std::filesystem::create_directories(folder);
  const auto keep = [&](const char* file, const char* processor, int radius) {
    BenchRow row{.preset = "sweep", .state = RowState::measured, .processor = processor};
    row.point.filter.radius = radius;
    row.ms = {1};
    IM_CHECK_SILENT(BenchFile::create((folder / file).string(), {.processor = processor}, {row}).has_value());
  };
  keep("sweep.json", "Some GPU", 1);
  keep("sweep.json.part", "Some GPU", 2);
  keep("s1.json", "Another GPU", 3);
  BenchRunner runner(folder.parent_path());
  runner.load("Some GPU");
  const auto rows = runner.status().results->rows;
  IM_CHECK_EQ(rows.size(), std::size_t{1});
  IM_CHECK_EQ(rows[0].point.filter.radius, 2);
}

// Escape ends a sweep and keeps its rows.
GUI_TEST(a_cancelled_sweep_keeps_its_rows) {
  start_over(ctx);
  app->ui().shown.bench = true;
  ctx->Yield(4);
  ctx->SetRef("Bench");
  ctx->ItemClick("##preset");
  ctx->ItemClick("//$FOCUSED/A sweep of these settings");
  ctx->Yield(2);
  ctx->ItemClick("Run");
  until(ctx, [&] { return !bench().running || rows_of("sweep").size() >= 3; });
  IM_CHECK(bench().running);
  ctx->KeyPress(ImGuiKey_Escape);
  wait_for_sweep(ctx);
  IM_CHECK(!bench().running);
  IM_CHECK_GE(rows_of("sweep").size(), std::size_t{3});
  IM_CHECK_LT(rows_of("sweep").size(), std::size_t{48});
}

// A map fills from a few cells; Escape ends it, and a click loads the fastest there.
GUI_TEST(a_crossover_map_fills_is_kept_and_loads_settings) {
  start_over(ctx);
  ctx->SetRef("Viewport");
  ctx->MouseMove("picture A");
  ctx->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_M);
  ctx->Yield(4);
  ctx->SetRef("Crossover");
  ctx->ItemClick("Measure");
  const auto measured = [] {
    const CrossoverMap& map = app->ui().panels.crossover.map;
    return std::count_if(map.cells.begin(), map.cells.end(), [](const auto& cell) { return !cell.ranked.empty(); });
  };
  until(ctx, [&] { return measured() >= 2; });
  IM_CHECK_GE(measured(), 2);
  ctx->KeyPress(ImGuiKey_Escape);
  wait_for_sweep(ctx);
  ctx->Yield(2);
  const auto kept = measured();
  IM_CHECK_GE(kept, 2);
  IM_CHECK_LT(kept, 48);
  settings().filter.radius = 7;
  settings().lanes[0].variant = "global";
  ctx->Yield(2);
  ctx->ItemClick("**/radius 1 · 32×32");
  ctx->Yield(2);
  IM_CHECK_EQ(settings().filter.radius, 1);
  const CrossoverMap& map = app->ui().panels.crossover.map;
  const CrossoverCell& clicked = map.cells[map.cells.size() - map.radii.size()];  // the smallest image is at the bottom
  IM_CHECK_STR_EQ(settings().lanes[0].variant.c_str(), clicked.ranked[0]->point.lane.variant.c_str());
  // The other kind of map has its own rows.
  app->ui().panels.crossover.kind = crossover_kinds[1];
  ctx->Yield(2);
  IM_CHECK_EQ(measured(), 0);
  app->ui().panels.crossover.kind = crossover_kinds[0];
  settings().filter.kind = FilterKind::sobel_x;
  ctx->Yield(3);
  IM_CHECK(ctx->ItemInfo("Measure").ItemFlags & ImGuiItemFlags_Disabled);
  IM_CHECK_EQ(measured(), kept);
}

// Blocks are tuned on a GPU; the list of shapes shows earlier results.
GUI_TEST(a_tuned_block_is_told_in_its_list) {
  start_over(ctx);
  ctx->SetRef("Settings");
  IM_CHECK(ctx->ItemInfo("**/Tune").ItemFlags & ImGuiItemFlags_Disabled);
}

// "auto" uses what was measured for it, and says so.
GUI_TEST(auto_says_what_it_chose_and_why) {
  start_over(ctx);
  settings().source.pattern_size = {96, 64};
  settings().filter = {.radius = 2};
  settings().lanes[0].variant = "auto";
  settle(ctx);
  IM_CHECK_STR_EQ(app->status().lanes[0].plan->chosen.c_str(), "cpu_separable");
  IM_CHECK(app->status().lanes[0].plan->reason.find("Nothing similar was measured") != std::string::npos);
  IM_CHECK(app->status().lanes[0].shown.starts_with("auto: cpu_separable"));
  ctx->SetRef("Settings");
  ctx->ItemClick("**/Measure");
  ctx->Yield(2);
  wait_for_sweep(ctx);
  IM_CHECK_EQ(rows_of("auto").size(), std::size_t{3});  // two candidates, and the choice
  settle(ctx);
  IM_CHECK(app->status().lanes[0].plan->reason.find("The fastest of 2 measured here.") != std::string::npos);
  settings().filter.kind = FilterKind::edges;
  ctx->Yield(3);
  IM_CHECK(ctx->ItemInfo("**/Measure").ItemFlags & ImGuiItemFlags_Disabled);
}

GUI_TEST(published_numbers_stand_beside_ones_own) {
  start_over(ctx);
  app->ui().shown.published = true;
  ctx->Yield(4);
  ctx->SetRef("Published");
  const auto missing = [&] { return (ctx->ItemInfo("Run missing").ItemFlags & ImGuiItemFlags_Disabled) == 0; };
  IM_CHECK(missing());
  IM_CHECK(until(ctx, [] { return app->status().shipped != nullptr; }));  // the plot has them too
  const std::size_t tables = published().tables.size();
  for (std::size_t table = 0; table < tables + published().without_table.size(); ++table) {  // each can be drawn
    app->ui().panels.published.table = table;
    ctx->Yield(2);
  }
  ctx->Yield(20);
  IM_CHECK(!ctx->ItemExists("//Published/Run missing"));  // the last is a document without a table
  app->ui().panels.published.table = 0;
  ctx->Yield(2);
  ctx->ItemClick("Run missing");
  ctx->Yield(3);
  wait_for_sweep(ctx);
  IM_CHECK_GE(rows_of("s1").size(), std::size_t{6});
  ctx->Yield(2);
  IM_CHECK(!missing());
}

// Documents and their sweeps have titles on the screen. A short name such as "S1" means nothing to a stranger.
GUI_TEST(documents_are_named_by_their_titles) {
  start_over(ctx);
  app->ui().shown.published = app->ui().shown.bench = true;
  ctx->Yield(3);
  const auto short_name_in = [](const std::string& words) {  // with the words behind it; empty if there is none
    std::smatch name;
    return std::regex_search(words, name, std::regex(R"(\b[Ss][0-4]\b)")) ? words.substr(name.position(), 40) : "";
  };
  ctx->WindowFocus("//Bench");
  ctx->ItemClick("//Bench/##preset");
  ctx->Yield(2);
  std::string words = words_of_frame(ctx);
  IM_CHECK(words.find("Separable Gaussian at HD") != std::string::npos);  // the list is open
  IM_CHECK_STR_EQ(short_name_in(words).c_str(), "");
  ctx->KeyPress(ImGuiKey_Escape);
  ctx->WindowFocus("//Published");
  const std::size_t tables = published().tables.size();
  for (std::size_t table = 0; table < tables + published().without_table.size(); ++table) {
    app->ui().panels.published.table = table;
    ctx->Yield(2);
    const std::string_view source =
        table < tables ? published().tables[table].source : published().without_table[table - tables];
    words = words_of_frame(ctx);
    IM_CHECK_STR_EQ(short_name_in(words).c_str(), "");
    IM_CHECK(words.find(with_title(source)) != std::string::npos);
  }
  app->ui().panels.published.table = 0;
}

// Colours that mean "passed" or "failed" are no variant's, and those of A and B are no other variant's.
GUI_TEST(the_colours_of_a_chart_mean_nothing_else) {
  start_over(ctx);
  settings().lanes[0].variant = "cpu_sequential";
  settings().lanes[1].variant = "cpu_direct";
  const ShippedResults shipped = load_shipped_results();
  BenchRow row = conv::rows_of(shipped.results.rows, "s3").front();
  std::vector<BenchRow> rows;
  for (const char* variant : {"cpu_sequential", "cpu_separable", "global", "constant", "tile_linear"}) {
    row.point.lane.variant = variant;
    rows.push_back(row);
  }
  const std::string path = (folder / "colours.json").string();
  IM_CHECK(BenchFile::create(path, shipped.results.environment, rows).has_value());
  execute(ctx, command::OpenFile{path});
  IM_CHECK(until(ctx, [] { return app->ui().shown.bench && app->status().opened_results != nullptr; }));
  ctx->Yield(4);
  const Palette& p = palette(app->preferences().theme);
  const auto pixels_like = [&](ImVec4 colour) {
    const ImRect panel = ctx->WindowInfo("//Bench").Window->InnerRect;
    int count = 0;
    for (int y = static_cast<int>(panel.Min.y); y < static_cast<int>(panel.Max.y); ++y)
      for (int x = static_cast<int>(panel.Min.x); x < static_cast<int>(panel.Max.x); ++x)
        count += screen_shows(colour, {x, y});
    return count;
  };
  IM_CHECK_GT(pixels_like(p.lane[0]), 20);  // cpu_sequential, which A runs
  IM_CHECK_EQ(pixels_like(p.lane[1]), 0);   // cpu_direct is not in the file
  IM_CHECK_EQ(pixels_like(p.pass), 0);
  IM_CHECK_EQ(pixels_like(p.fault), 0);
}

// A results file of another computer is opened like a picture, and its rows are beside those of this machine.
GUI_TEST(an_opened_results_file_is_shown_in_bench) {
  start_over(ctx);
  const std::string other = (folder / "other.json").string(), empty = (folder / "empty.json").string();
  const ShippedResults shipped = load_shipped_results();
  const auto ladder = conv::rows_of(shipped.results.rows, "s3");
  IM_CHECK(BenchFile::create(other, shipped.results.environment, {ladder.begin(), ladder.end()}).has_value());
  IM_CHECK(BenchFile::create(empty, shipped.results.environment, {}).has_value());
  const Settings before = settings();
  execute(ctx, command::OpenFile{other});
  IM_CHECK(until(ctx, [] { return app->status().opened_results != nullptr; }));
  ctx->Yield(4);
  IM_CHECK(settings() == before);
  IM_CHECK(app->ui().shown.bench);
  IM_CHECK_STR_EQ(app->ui().panels.bench.shown.c_str(), "s3");  // s1 is not in the file
  const BenchFigures& figures = app->ui().panels.bench.figures;
  const auto opened = [&] {
    return std::ranges::count_if(
        figures.rows, [](const BenchRow& row) { return row.elsewhere.starts_with("other.json: NVIDIA H200, 2026-"); });
  };
  IM_CHECK_EQ(opened(), static_cast<std::ptrdiff_t>(ladder.size()));
  // Over a point of the plot, all of its samples.
  const ImRect panel = ctx->WindowInfo("//Bench").Window->InnerRect;
  const auto explained = [&] {
    const ImGuiWindow* tooltip = ctx->WindowInfo("//##Tooltip_00", ImGuiTestOpFlags_NoError).Window;
    return tooltip && tooltip->Active && tooltip->Size.y > 4 * ImGui::GetTextLineHeight();
  };
  for (float x = panel.GetCenter().x + 40; x < panel.Max.x && !explained(); x += 20)
    for (float y = panel.Min.y + 60; y < panel.Max.y && !explained(); y += 14) ctx->MouseMoveToPos({x, y});
  IM_CHECK(explained());
  ctx->ItemUncheck("//Bench/Opened file");
  ctx->Yield(2);
  IM_CHECK_EQ(opened(), 0);
  ctx->ItemCheck("//Bench/Opened file");
  execute(ctx, command::OpenFile{empty});
  IM_CHECK(until(ctx, [] { return app->ui().toast.text.find("empty.json: has no results") != std::string::npos; }));
  IM_CHECK_EQ(opened(), static_cast<std::ptrdiff_t>(ladder.size()));  // what was there stays
  app->ui().panels.bench.with_opened = false;
  app->ui().panels.bench.shown = "s1";
}

// Without a GPU, the results of one that come with the program are beside those of this machine.
GUI_TEST(shipped_results_are_shown_without_a_gpu) {
  start_over(ctx);
  settings().view = ViewMode::side;
  choose_variant(ctx, 'A', "separable_tiles");
  const auto open = [&](const char* panel) {
    PanelContext context = panel_context(app->ui(), app->status());
    action(panel).run(context);
    ctx->Yield(3);
  };
  open("bench_panel");
  IM_CHECK(until(ctx, [] { return app->status().shipped != nullptr; }));
  ctx->Yield(2);
  const BenchFigures& figures = app->ui().panels.bench.figures;
  IM_CHECK_EQ(figures.rows.size(), std::size_t{8});  // the ladder with two paddings
  IM_CHECK(figures.rows.front().elsewhere.starts_with("NVIDIA H200, 2026-"));
  IM_CHECK(ctx->ItemInfo("//Bench/Copy CSV").ItemFlags & ImGuiItemFlags_Disabled);  // none of this machine
  ctx->ItemClick("//Bench/NVIDIA H200");
  ctx->Yield(2);
  IM_CHECK_EQ(figures.rows.size(), std::size_t{0});
  open("bench_panel");

  open("roofline_panel");
  IM_CHECK(app->ui().panels.roofline.shipped &&
           app->ui().panels.roofline.shipped->elsewhere.starts_with("NVIDIA H200"));
  for (const int radius : {3, 4, 5}) {  // 4 was not measured
    settings().filter.radius = radius;
    ctx->Yield(2);
    IM_CHECK_EQ(app->ui().panels.roofline.shipped->point.filter.radius, radius == 5 ? 5 : 3);
    IM_CHECK_EQ(app->ui().panels.roofline.shipped_costs.size(), std::size_t{21});
  }
  open("roofline_panel");

  open("occupancy_panel");
  const auto answered = [] {
    const auto& answer = app->status().what_if;
    return answer && answer->question.lanes[0] && answer->question.lanes[0]->lane.variant == "separable_tiles";
  };
  IM_CHECK(until(ctx, answered));
#ifdef CONV_WITH_CUDA
  const auto& passes = app->status().what_if->lanes[0];
  IM_CHECK_EQ(passes.size(), std::size_t{2});
  for (const StepOccupancy& pass : passes) {
    IM_CHECK_GT(pass.resources.registers, 8);
    IM_CHECK_GT(pass.resources.shared_bytes, 0);
    IM_CHECK_GT(pass.occupancy.share(), 0.2);
    IM_CHECK_GT(pass.waves, 0);
  }
#else
  IM_CHECK(!app->status().what_if->why_none[0].empty());
#endif
  IM_CHECK(app->status().what_if->least[0] && app->status().what_if->least[0]->ms() > 0);
  // The same for a GPU with other limits.
  ctx->SetRef("Occupancy");
  ctx->ComboClick("##gpu/NVIDIA GeForce RTX 4090");
  IM_CHECK(until(ctx, [&] { return answered() && app->status().what_if->question.gpu->compute_capability == 89; }));
#ifdef CONV_WITH_CUDA
  IM_CHECK_EQ(app->status().what_if->lanes[0][0].occupancy.most_warps, 48);
#endif
  ctx->ComboClick("##gpu/NVIDIA H200");
  // Two passes for each block shape that both can have.
  IM_CHECK(until(ctx, [] { return app->status().shapes && !app->status().shapes->lanes[0].empty(); }));
  IM_CHECK_EQ(app->status().shapes->lanes[0].size() % 2, std::size_t{0});
  open("occupancy_panel");

  open("explain_panel");
  const auto counted = [] {
    const auto& answer = app->status().explained[0];
    return answer && answer->question.point.lane.variant == "separable_tiles";
  };
  IM_CHECK(until(ctx, counted));
  const ExplainAnswer& explained = *app->status().explained[0];
  IM_CHECK_EQ(explained.steps.size(), std::size_t{2});
#ifdef CONV_WITH_CUDA
  for (const StepCounts& step : explained.steps) {
    IM_CHECK(step.issued);
    IM_CHECK_GT(step.waves, 0);
  }
#endif
  // Two passes with six parts each are on the screen.
  ctx->Yield(2);
  const ImGuiWindow* panel = ctx->GetWindowByRef("//Explain");
  IM_CHECK(panel);
  IM_CHECK_GT(panel->ContentSize.y, 12 * ImGui::GetTextLineHeight());
  open("explain_panel");
}

}  // namespace

}  // namespace conv
