// All panels: functions of settings and status that return commands. None opens files, compiles or launches.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "app/lessons/lesson_facts.h"
#include "app/model/commands.h"
#include "app/model/status.h"
#include "app/ui/window/style.h"
#include "app/ui/window/ui_state.h"

namespace conv {

// Pictures for panels, as OpenGL names.
struct PanelTextures {
  std::array<unsigned, filters.size()> thumbnails{};  // of the filters: 96x64, in the order of the table; 0: none yet
  unsigned colour_maps = 0;                           // the false colours, one row per map
};

struct PanelContext {
  Settings& settings;
  Preferences& preferences;
  UiState& ui;
  const AppStatus& status;
  Look look;
  std::vector<Command>& commands;
  PanelTextures textures;
};

void draw_menu_bar(PanelContext& context);
void draw_toolbar(PanelContext& context);
// The times of A and B and the verdict, under the toolbar.
void draw_comparison_strip(PanelContext& context);
void draw_status_bar(PanelContext& context);
// The docking windows; the viewport sets the areas for the pictures in ui.areas.
void draw_dockspace(PanelContext& context);
void draw_viewport(PanelContext& context);
// Only the pictures of the current view.
void draw_views(PanelContext& context, const ViewArea& whole);
void draw_presenter(PanelContext& context);
void draw_settings(PanelContext& context);
void draw_timing(PanelContext& context);
void draw_inspector(PanelContext& context);
// The lane shown by a view of one picture.
int lane_on_top(const Settings& settings, const UiState& ui);
// Plans over several streams or devices, and plans that time the transfers, as a timeline of their steps.
bool has_timeline(const LaneStatus& lane);
void draw_timeline(PanelContext& context, int lane);
// One frame from its source to the screen, on the host's clock.
void draw_frame_timeline(PanelContext& context);
// Picks a pixel and brings it to the centre.
void go_to(UiState& ui, Point2 pixel, float zoom);
// Where the time of a frame went, with one row for everything that works in parallel.
void draw_frame_path(PanelContext& context);
void draw_log(PanelContext& context);
void draw_lab(PanelContext& context);
void draw_race(PanelContext& context);
// Where there is no GPU: the shipped times of a GPU at the setting nearest to the window's. No rows until they are
// read.
NearestShipped shipped_times(PanelContext& context);
void draw_bench(PanelContext& context);
// The progress of the running sweep, and a button that stops it.
void draw_sweep_progress(PanelContext& context);
// The variants in the race that have times on this processor.
std::vector<std::string> sweep_variants(const PanelContext& context);
// The filter, padding, format, block and variant of a configuration, in lane A.
void load_point(PanelContext& context, const BenchPoint& point);
void draw_published(PanelContext& context);
void draw_roofline(PanelContext& context);
void draw_crossover(PanelContext& context);
void draw_block(PanelContext& context);
void draw_trace(PanelContext& context);
void draw_code(PanelContext& context);
void draw_occupancy(PanelContext& context);
void draw_idea(PanelContext& context);
// Why the times of A and B are what they are.
void draw_explanation(PanelContext& context);
// Exercises in writing kernels.
void draw_puzzle(PanelContext& context);
// Values along a line through the pictures, and statistics of a region.
void draw_profile(PanelContext& context);
void draw_profile_contents(PanelContext& context);
// Ideas behind the variants, and bugs.
void draw_concepts(PanelContext& context);
void draw_concepts_contents(PanelContext& context);
// Lessons: text, questions, the controls that stay.
void draw_lesson(PanelContext& context);
// A lesson that the user writes, in place of one that is taught.
void draw_lesson_editor(PanelContext& context);
void new_lesson(PanelContext& context);
void edit_lesson(PanelContext& context, const std::string& file, Lesson lesson);
// "lesson-2026-11-28-16-50-12.md": a name that no other file has, because it says when it was made.
std::string dated_file(std::string_view stem, std::string_view ending);
void begin_lesson(PanelContext& context, std::shared_ptr<const Lesson> own, int step);
void leave_lesson(PanelContext& context);
// As somebody else reads it from its file.
std::shared_ptr<const Lesson> as_read(const Lesson& lesson);
void draw_language(PanelContext& context);  // the choice of the lessons' language
// The numbers that the texts of a step name, of what is on the screen.
LessonFacts lesson_facts(PanelContext& context, const LessonStep& step);
bool lesson_is_open(const PanelContext& context);  // at one of its steps
// Presenter mode: the step's text or question, large. smallest: the size of its smallest text.
void draw_lesson_band(PanelContext& context, const ViewArea& area, float smallest);
// The question that waits for its answer, null if none does. Meanwhile it has the keys A to D, Enter and Space.
const LessonQuestion* asked_question(const PanelContext& context);
void take_lesson_keys(PanelContext& context);
std::optional<PixelRect> place_of_answer(const PanelContext& context);  // of a question that has been answered
// An open lesson has Page up and Page down, also while a number is typed for it.
void take_page_keys(PanelContext& context);
void turn_lesson(PanelContext& context, int steps);  // to the next step, or back
// The filter's matrix as numbers.
void draw_kernel(PanelContext& context);
// What is in the windows of these panels; presenter mode shows it in place of the pictures.
void draw_race_contents(PanelContext& context);
void draw_block_contents(PanelContext& context);
void draw_trace_contents(PanelContext& context);
void draw_idea_contents(PanelContext& context);
void draw_inspector_contents(PanelContext& context);
void draw_kernel_contents(PanelContext& context);
void draw_puzzle_contents(PanelContext& context);
// Chooses the lane and the kernel for the block view and the code panel; the next control is on the same line. False if
// there is nothing to choose.
bool draw_lane_and_pass(PanelContext& context);
// The kernels of a lane's plan that have blocks, and the one chosen in the block view; null if there are none.
std::vector<const KernelStep*> kernel_steps(const LaneStatus& lane);
const KernelStep* chosen_step(const LaneStatus& lane, const BlockView& view);
// What a lane runs, as a benchmark's configuration.
BenchPoint point_of(const PanelContext& context, int lane);
// The block of the picked pixel; otherwise of the one under the pointer; otherwise the middle one.
Point2 chosen_block(const PanelContext& context, const LaunchPlan& plan, const KernelStep& step);
// Over the pictures: the controls of the view and of the display.
void draw_view_bar(PanelContext& context, const ViewArea& whole);
// The legend of the difference and the histogram, this high over the lower edge.
void draw_view_figures(PanelContext& context, const ViewArea& whole, float height);
void draw_difference_legend(PanelContext& context);  // in that bar
// Over the picture of a lane: lines between its pixels, and their values; its blocks.
void draw_pixels(PanelContext& context, int lane, const ViewArea& area);
void draw_block_overlay(PanelContext& context, int lane, const ViewArea& area);
// A list of what can be drawn over the picture.
void draw_overlay_choice(BlockView& view);
void draw_help(PanelContext& context);
void draw_palette(PanelContext& context);
// The chooser for files inside the window, where the desktop has none.
void draw_file_chooser(PanelContext& context);
void draw_toast(PanelContext& context);
void draw_question(PanelContext& context);
// Keys for the viewport or everywhere, as the list of keys shows them.
void handle_keys(PanelContext& context);

// Parts of the settings window.
void draw_source_section(PanelContext& context);
void draw_filter_section(PanelContext& context);
void draw_padding_rows(PanelContext& context);  // within a table of properties
void draw_corner_row(PanelContext& context);    // the same
void draw_launch_section(PanelContext& context);
// Single rows of them, for lessons; within a table of properties. Rows that the filter does not have are left out.
void draw_filter_row(PanelContext& context);
void draw_sigma_row(PanelContext& context);
void draw_radius_row(PanelContext& context);
void draw_iterations_row(PanelContext& context);
// The controls of a lesson's step.
void draw_controls(PanelContext& context, std::span<const Control> rows);
// A table with those of block, format and layout that are named.
void draw_launch_rows(PanelContext& context, std::span<const Control> rows);
// Whether the lane's variant has this switch.
bool has_switch(const LaneSettings& lane, const Switch& which);

// Below the picture of a source that moves or is being opened.
bool has_transport(const AppStatus& status);
void draw_transport(PanelContext& context);
// The rows of a list of cameras.
void draw_cameras(PanelContext& context);
// A button with that list.
void draw_camera_button(PanelContext& context);
std::string camera_title(const AppStatus& status, const std::string& device);

// A list of all variants; those that cannot run are disabled, with the reason.
void draw_variant_chooser(PanelContext& context, int lane, const char* id);

}  // namespace conv
