// Every panel: a function of settings and status that returns what it asks for. None opens files, compiles or launches.
#pragma once
#include <array>
#include <vector>

#include "app/model/commands.h"
#include "app/model/status.h"
#include "app/ui/frame/style.h"
#include "app/ui/frame/ui_state.h"

namespace conv {

// Pictures for panels, as OpenGL names the textures.
struct PanelTextures {
  std::array<unsigned, filters.size()> thumbnails{};  // of the filters: 96x64, in the order of the table; 0 is none yet
  unsigned colour_maps = 0;                           // the false colours, a row each
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
void draw_status_bar(PanelContext& context);
// The windows that dock; the viewport leaves the areas to draw the pictures in to ui.areas.
void draw_dockspace(PanelContext& context);
void draw_viewport(PanelContext& context);
// The pictures of the present view alone.
void draw_views(PanelContext& context, const ViewArea& whole);
void draw_presenter(PanelContext& context);
void draw_settings(PanelContext& context);
void draw_timing(PanelContext& context);
void draw_inspector(PanelContext& context);
// The lane that a view of one picture shows.
int lane_on_top(const Settings& settings, const UiState& ui);
// Plans over several streams or devices, and those that time the transfers, are shown by when each step ran.
bool has_timeline(const LaneStatus& lane);
void draw_timeline(PanelContext& context, int lane);
// One frame from its source to the screen, by the host's clock.
void draw_frame_timeline(PanelContext& context);
// Picks a pixel and brings it to the middle.
void go_to(UiState& ui, Point2 pixel, float zoom);
// Where the time of a frame went, a row for each of those who work at the same time.
void draw_frame_path(PanelContext& context);
void draw_log(PanelContext& context);
void draw_lab(PanelContext& context);
void draw_race(PanelContext& context);
void draw_bench(PanelContext& context);
// How far the running sweep is, and a button that ends it.
void draw_sweep_progress(PanelContext& context);
// The variants that race and that this processor has times of.
std::vector<std::string> sweep_variants(const PanelContext& context);
// Filter, padding, format, block and variant of a configuration, in lane A.
void load_point(PanelContext& context, const BenchPoint& point);
void draw_published(PanelContext& context);
void draw_roofline(PanelContext& context);
void draw_crossover(PanelContext& context);
void draw_block(PanelContext& context);
void draw_code(PanelContext& context);
void draw_occupancy(PanelContext& context);
void draw_idea(PanelContext& context);
// Which lane and which of its kernels block view and code are about; the next control goes on in the line. False where
// there is nothing to choose.
bool draw_lane_and_pass(PanelContext& context);
// The kernels of a lane's plan that blocks can be told of, and the one the block view is set to; null without any.
std::vector<const KernelStep*> kernel_steps(const LaneStatus& lane);
const KernelStep* chosen_step(const LaneStatus& lane, const BlockView& view);
// Whether the difference view shows levels: where both lanes have 8 bits. Otherwise 1 is full scale.
inline bool differ_by_levels(const ImagePart& a, const ImagePart& b) {
  return is_8_bit(a.image.type) && is_8_bit(b.image.type);
}
// Over the picture of a lane: lines between its pixels and their values; its blocks; the legend of the difference view.
void draw_pixels(PanelContext& context, int lane, const ViewArea& area);
void draw_block_overlay(PanelContext& context, int lane, const ViewArea& area);
void draw_difference_legend(PanelContext& context, const ViewArea& whole);
void draw_help(PanelContext& context);
void draw_palette(PanelContext& context);
void draw_toast(PanelContext& context);
void draw_question(PanelContext& context);
// Keys that act on the viewport or anywhere, as the help sheet lists them.
void handle_keys(PanelContext& context);

// Parts of the settings window.
void draw_source_section(PanelContext& context);
void draw_filter_section(PanelContext& context);
void draw_boundary_section(PanelContext& context);
void draw_launch_section(PanelContext& context);
void draw_compare_section(PanelContext& context);
void draw_display_section(PanelContext& context);

// Below the picture, of a source that moves or is being opened.
bool has_transport(const AppStatus& status);
void draw_transport(PanelContext& context);
// The rows of a list of cameras.
void draw_cameras(PanelContext& context);
// A button with that list.
void draw_camera_button(PanelContext& context);
std::string camera_title(const AppStatus& status, const std::string& device);

// A combo of all variants; those that cannot do what is asked are greyed with the reason.
void draw_variant_combo(PanelContext& context, int lane, const char* id);

}  // namespace conv
