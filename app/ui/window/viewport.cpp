#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

namespace {

// How the drawing differs from the values; empty if it does not.
std::string drawn_text(const PanelContext& context, const LaneStatus& lane) {
  const DisplaySettings& s = context.settings.display;
  std::string text = lane.centred ? " · grey is 0" : "";
  if (s.exposure != 0) text += fmt::format(" · {:+.2g} stops", s.exposure);
  if (s.offset != 0) text += fmt::format(" · {:+.3g}", s.offset * info(s.unit).full_scale);
  if (s.gamma != 1) text += fmt::format(" · gamma {:.2g}", s.gamma);
  if (s.channels != DisplaySettings{}.channels)
    text += fmt::format(" · {}{}{}{}", s.channels[0] ? "R" : "", s.channels[1] ? "G" : "", s.channels[2] ? "B" : "",
                        s.channels == std::array{false, false, false} ? "no channel" : "");
  return text;
}

std::string pill_title(const PanelContext& context, int index) {
  const LaneStatus& lane = context.status.lanes[index];
  const PictureStatus& picture = context.status.picture;
  if (context.ui.compare.shows_original(index))
    return (picture.has_original ? "original" : "converting the original") + drawn_text(context, lane);
  if (context.ui.compare.holds_reference)
    return picture.has_reference ? "reference, in double precision" + drawn_text(context, lane)
                                 : fmt::format("reference {:.0f} %", 100 * picture.reference_progress);
  if (!lane.has_picture) return "no picture yet";
  std::string text = lane.shown;
  if (const auto& ms = index < 2 ? context.status.best.ms[index] : lane.times.kernel_ms)
    text += fmt::format(" · {}\u2009ms{}", three_digits(ms->median), lane.on_cpu ? " CPU" : "");
  return text + drawn_text(context, lane);
}

// Why the picture is not what was requested.
std::string pill_note(const PanelContext& context, int index) {
  const LaneStatus& lane = context.status.lanes[index];
  if (context.status.bench.running) return "Benchmark running: live view paused for clean timing. Esc cancels it";
  if (context.ui.compare.holds_reference || context.ui.compare.shows_original(index)) return "";
  if (!lane.refusal.empty()) return "× " + lane.refusal;
  if (!lane.exhibit.empty()) return fmt::format("exhibit: {}", lane.exhibit);
  return lane.note.empty() ? lane.outdated : lane.note;
}

// A small label: stripe in the lane's colour, what is shown, its time; below it the note. Returns where it ends.
float draw_pill(PanelContext& context, int index, const ViewArea& area) {
  const LaneStatus& lane = context.status.lanes[index];
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain;
  const bool original = context.ui.compare.shows_original(index);
  const bool reference = context.ui.compare.holds_reference && !original;
  const std::string title = pill_title(context, index), below = pill_note(context, index);

  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at{area.left + 12 * scale, area.top + 12 * scale};
  const float pad = 8 * scale, wrap = std::max(80.0f, area.width - 24 * scale - 4 * pad);
  ImGui::PushFont(context.look.fonts.numbers, context.look.caption);
  const std::string letter = original ? "" : fmt::format("{} ", reference ? 'R' : static_cast<char>('A' + index));
  const ImU32 hue = ImGui::GetColorU32(original ? p.quiet : reference ? p.pass : p.of_lane(index));
  const ImVec2 letter_size = ImGui::CalcTextSize(letter.c_str()),
               title_size = ImGui::CalcTextSize(title.c_str(), nullptr, false, wrap - letter_size.x);
  const ImVec2 below_size = below.empty() ? ImVec2() : ImGui::CalcTextSize(below.c_str(), nullptr, false, wrap);
  const float line = std::max(ImGui::GetTextLineHeight(), title_size.y);
  const ImVec2 size{std::max(letter_size.x + title_size.x, below_size.x) + 3 * pad,
                    line + (below.empty() ? 0 : below_size.y + 4 * scale) + 1.2f * pad};
  ImVec4 ground = p.panel;
  ground.w = 0.88f;
  list->AddRectFilled(at, at + size, ImGui::GetColorU32(ground), 4 * scale);
  list->AddRectFilled(at, {at.x + 4 * scale, at.y + size.y}, hue, 4 * scale, ImDrawFlags_RoundCornersLeft);
  const ImVec2 text{at.x + 1.5f * pad, at.y + 0.6f * pad};
  list->AddText(text, hue, letter.c_str());
  list->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {text.x + letter_size.x, text.y}, ImGui::GetColorU32(p.text),
                title.c_str(), nullptr, wrap - letter_size.x);
  const bool harmless = lane.refusal.empty() && lane.log.empty() && lane.exhibit.empty();
  list->AddText(ImGui::GetFont(), ImGui::GetFontSize(), {text.x, text.y + line + 4 * scale},
                ImGui::GetColorU32(harmless ? p.quiet : p.fault), below.c_str(), nullptr, wrap);
  ImGui::PopFont();
  return at.y + size.y;
}

// At the pointer, over the last item.
void zoom_by_wheel(UiState& ui, const ViewArea& area) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!ImGui::IsItemHovered() || io.MouseWheel == 0) return;
  ui.view.zoom_at({io.MousePos.x, io.MousePos.y}, {area.left + area.width / 2, area.top + area.height / 2},
                  std::pow(io.KeyCtrl ? 1.03f : 1.25f, io.MouseWheel));
}

// Both lanes share the view, so each moves the other, unless they were unlocked: then B's distance from A changes.
void pan(UiState& ui, int index) {
  const ImVec2 delta = ImGui::GetIO().MouseDelta;
  const bool apart = ui.compare.side_by_side && ui.compare.unlocked;
  if (!apart || index == 0) ui.view.pan({delta.x, delta.y});
  if (!apart) return;
  const float sign = index == 0 ? 1.0f : -1.0f;
  ui.compare.apart = {ui.compare.apart.x + sign * delta.x / ui.view.zoom,
                      ui.compare.apart.y + sign * delta.y / ui.view.zoom};
}

// Shift and a drag over the picture of the last item. Returns whether the mouse selects.
bool select_region(PanelContext& context, Vec2 at) {
  Probe& probe = context.ui.probe;
  const Size2 size = context.status.source.size;
  const Point2 pixel{std::clamp(static_cast<int>(std::floor(at.x)), 0, std::max(0, size.width - 1)),
                     std::clamp(static_cast<int>(std::floor(at.y)), 0, std::max(0, size.height - 1))};
  if (ImGui::IsItemActivated() && ImGui::GetIO().KeyShift) {
    probe.region_from = pixel;
    probe.region.reset();
  }
  if (!probe.region_from) return false;
  if (!ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2)) return true;
  const Point2 from = *probe.region_from;
  probe.region = PixelRect{std::min(from.x, pixel.x), std::min(from.y, pixel.y), std::abs(from.x - pixel.x) + 1,
                           std::abs(from.y - pixel.y) + 1};
  return true;
}

// The profile opens only now: a panel that opens during the drag would move the picture.
void end_region(UiState& ui) {
  if (std::exchange(ui.probe.region_from, std::nullopt) && ui.probe.region && !ui.presenter.on) ui.shown.profile = true;
}

// Pan, zoom, pick and select.
void handle_mouse(PanelContext& context, int index, const ViewArea& area) {
  UiState& ui = context.ui;
  const ImGuiIO& io = ImGui::GetIO();
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  const Vec2 at = ui.view_of(index).image_at_screen({io.MousePos.x, io.MousePos.y}, middle);
  const bool drags = ImGui::IsMouseDragging(ImGuiMouseButton_Left, 2) || ImGui::IsMouseDown(ImGuiMouseButton_Middle);
  if (ImGui::IsItemDeactivated()) end_region(ui);
  const bool selects = ImGui::IsItemActive() && select_region(context, at);
  if (ImGui::IsItemActive() && drags && !selects) pan(ui, index);
  zoom_by_wheel(ui, area);
  if (!ImGui::IsItemHovered()) return;
  const Size2 size = context.status.source.size;
  ui.probe.hovered =
      at.x >= 0 && at.y >= 0 && at.x < static_cast<float>(size.width) && at.y < static_cast<float>(size.height);
  if (ui.probe.hovered) ui.probe.pixel = {static_cast<int>(at.x), static_cast<int>(at.y)};
  if (ui.probe.hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Left) && !io.MouseDragMaxDistanceSqr[0] &&
      !io.KeyShift)
    ui.probe.picked = ui.probe.pixel;
  ui.probe.hovered_lane = index;
}

// A frame around a pixel, with a visible minimum size. Returns its upper right corner.
ImVec2 draw_frame(const ViewTransform& view, Vec2 middle, Point2 pixel, ImVec4 colour) {
  const Vec2 at = view.screen_at_image({static_cast<float>(pixel.x), static_cast<float>(pixel.y)}, middle);
  const float scale = ImGui::GetStyle().FontScaleMain, grow = std::max(2 * scale, (12 * scale - view.zoom) / 2);
  const ImVec2 from{at.x - grow, at.y - grow}, to{at.x + view.zoom + grow, at.y + view.zoom + grow};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3 * scale);
  list->AddRect(from, to, ImGui::GetColorU32(colour), 0, 0, 1.5f * scale);
  return {to.x, from.y};
}

// White with a black rim: seen on every picture.
void draw_rect(const ViewTransform& view, Vec2 middle, const PixelRect& rect) {
  const auto corner = [&](int x, int y) {
    const Vec2 at = view.screen_at_image({static_cast<float>(x), static_cast<float>(y)}, middle);
    return ImVec2(at.x, at.y);
  };
  const float scale = ImGui::GetStyle().FontScaleMain;
  const ImVec2 from = corner(rect.left, rect.top), to = corner(rect.left + rect.width, rect.top + rect.height);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect(from, to, IM_COL32(0, 0, 0, 200), 0, 0, 3.5f * scale);
  list->AddRect(from, to, IM_COL32(255, 255, 255, 255), 0, 0, 1.5f * scale);
}

// What the profile is of: the region, or the line through a pixel.
void draw_region(PanelContext& context, const ViewTransform& view, Vec2 middle) {
  if (!context.ui.shows(&ShownPanels::profile) && !context.ui.probe.region_from) return;
  const PixelRect rect = context.ui.probe.region.value_or(context.status.probe.region.rect);
  if (rect.width > 0) draw_rect(view, middle, rect);
}

// The picked pixel, those pinned with their numbers, and the region.
void draw_marks(PanelContext& context, int index, const ViewArea& area) {
  const UiState& ui = context.ui;
  const Palette& p = context.look.colours;
  const ViewTransform view = ui.view_of(index);
  const Vec2 middle{area.left + area.width / 2, area.top + area.height / 2};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({area.left, area.top}, {area.left + area.width, area.top + area.height}, true);
  draw_region(context, view, middle);
  if (const auto place = place_of_answer(context)) draw_rect(view, middle, *place);
  if (ui.probe.picked) draw_frame(view, middle, *ui.probe.picked, p.of_lane(index));
  ImGui::PushFont(context.look.fonts.numbers, text_size::caption);
  for (std::size_t i = 0; i < ui.probe.pins.size(); ++i) {
    const ImVec2 corner = draw_frame(view, middle, ui.probe.pins[i], p.pass);
    const std::string text = std::to_string(i + 1);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    list->AddRectFilled(corner, corner + size + ImVec2(4, 0), ImGui::GetColorU32(p.panel));
    list->AddText(corner + ImVec2(2, 0), ImGui::GetColorU32(p.pass), text.c_str());
  }
  ImGui::PopFont();
  list->PopClipRect();
}

// Typed centre and zoom, also as text to copy.
void draw_go_to(PanelContext& context) {
  UiState& ui = context.ui;
  const Size2 size = context.status.source.size;
  if (std::exchange(ui.go_to.open, false)) {
    ui.go_to.pixel =
        ui.probe.picked.value_or(Point2{static_cast<int>(ui.view.centre.x), static_cast<int>(ui.view.centre.y)});
    ui.go_to.zoom = ui.view.zoom * 100;
    ImGui::OpenPopup("Go to");
  }
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  if (!ImGui::BeginPopup("Go to")) return;
  close_on_escape();
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(180 * ImGui::GetStyle().FontScaleMain);
  ImGui::InputInt2("x, y", &ui.go_to.pixel.x);
  ImGui::SetNextItemWidth(180 * ImGui::GetStyle().FontScaleMain);
  ImGui::InputFloat("zoom", &ui.go_to.zoom, 0, 0, "%.6g %%");
  const bool enter = ImGui::IsKeyPressed(ImGuiKey_Enter) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter);
  if (ImGui::Button("Go") || enter) {
    go_to(ui,
          {std::clamp(ui.go_to.pixel.x, 0, std::max(0, size.width - 1)),
           std::clamp(ui.go_to.pixel.y, 0, std::max(0, size.height - 1))},
          ui.go_to.zoom / 100);
    ImGui::CloseCurrentPopup();
  }
  ImGui::SameLine();
  if (ImGui::Button("Copy"))
    context.commands.push_back(
        command::CopyText{fmt::format("x {} y {} zoom {:.6g} %", ui.go_to.pixel.x, ui.go_to.pixel.y, ui.go_to.zoom)});
  ImGui::EndPopup();
}

// The first steps. Disappears when the user has done anything.
void draw_welcome(PanelContext& context, ImVec2 origin, ImVec2 space) {
  UiState& ui = context.ui;
  if (!context.status.undo.empty()) ui.shown.welcome = false;
  if (!ui.shown.welcome) return;
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos({origin.x + space.x / 2, origin.y + space.y - 72 * scale}, ImGuiCond_Always, {0.5f, 1});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.colours.panel);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                     ImGuiWindowFlags_NoFocusOnAppearing;
  if (ImGui::Begin("##welcome", nullptr, flags)) {
    ImGui::TextUnformatted("Drop an image here, pick a camera, or press K to try filters");
    if (ImGui::Button("Open…")) context.commands.push_back(command::ChooseFile{});
    ImGui::SameLine();
    draw_camera_button(context);
    ImGui::SameLine();
    if (ImGui::Button("Compare two variants")) context.settings.view = ViewMode::side;
    ImGui::SameLine();
    if (ImGui::Button("Lessons")) ui.shown.lesson = true;
    ImGui::SameLine();
    if (ImGui::Button("Puzzles")) ui.shown.puzzle = true;
    ImGui::SameLine();
    if (ImGui::Button("Keys")) ui.shown.help = true;
    ImGui::SameLine();
    if (ImGui::Button("Got it")) ui.shown.welcome = false;
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

// A picture's area takes the mouse and shows the frame of the picked pixel; labels are drawn on top.
void begin_picture(PanelContext& context, int index, const ViewArea& view) {
  ImGui::SetCursorScreenPos({view.left, view.top});
  ImGui::SetNextItemAllowOverlap();
  ImGui::InvisibleButton(fmt::format("picture {}", static_cast<char>('A' + index)).c_str(), {view.width, view.height},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
  handle_mouse(context, index, view);
  draw_pixels(context, index, view);
  draw_block_overlay(context, index, view);
  draw_marks(context, index, view);
}

float draw_clipped_pill(PanelContext& context, int index, const ViewArea& area) {
  ImGui::GetWindowDrawList()->PushClipRect({area.left, area.top}, {area.left + area.width, area.top + area.height},
                                           true);
  const float end = draw_pill(context, index, area);
  ImGui::GetWindowDrawList()->PopClipRect();
  return end;
}

void draw_one(PanelContext& context, int index, const ViewArea& whole) {
  UiState& ui = context.ui;
  if (ui.view.fitted) ui.view.fit(context.status.source.size, {whole.width, whole.height});
  ui.areas[index] = {whole, whole};
  begin_picture(context, index, whole);
  draw_clipped_pill(context, index, whole);
}

void draw_side(PanelContext& context, const ViewArea& whole) {
  UiState& ui = context.ui;
  const float gap = std::max(1.0f, std::round(2 * ImGui::GetStyle().FontScaleMain));
  const Vec2 beside{std::floor((whole.width - gap) / 2), whole.height};
  const Vec2 above{whole.width, std::floor((whole.height - gap) / 2)};
  // Two wide pictures are larger one above the other.
  const bool stacked =
      fitting_zoom(context.status.source.size, above) > 1.1f * fitting_zoom(context.status.source.size, beside);
  const Vec2 room = stacked ? above : beside;
  if (room.x < 1 || room.y < 1) return;
  if (ui.view.fitted) ui.view.fit(context.status.source.size, room);
  for (int i = 0; i < 2; ++i) {
    const auto n = static_cast<float>(i);
    const ViewArea area{whole.left + (stacked ? 0 : n * (room.x + gap)), whole.top + (stacked ? n * (room.y + gap) : 0),
                        room.x, room.y};
    ui.areas[i] = {area, area};
    begin_picture(context, i, area);
    draw_clipped_pill(context, i, area);
  }
}

// The number of columns that makes the pictures largest.
void draw_grid(PanelContext& context, const ViewArea& whole) {
  UiState& ui = context.ui;
  const int count = 2 + static_cast<int>(context.settings.grid.size());
  const float gap = std::max(1.0f, std::round(2 * ImGui::GetStyle().FontScaleMain));
  const auto room_in = [&](int columns) {
    const auto across = static_cast<float>(columns), down = static_cast<float>(ceil_div(count, columns));
    return Vec2{std::floor((whole.width - (across - 1) * gap) / across),
                std::floor((whole.height - (down - 1) * gap) / down)};
  };
  int columns = 1;
  for (int c = 2; c <= count; ++c)
    if (fitting_zoom(context.status.source.size, room_in(c)) >
        1.02f * fitting_zoom(context.status.source.size, room_in(columns)))
      columns = c;
  const Vec2 room = room_in(columns);
  if (room.x < 1 || room.y < 1) return;
  if (ui.view.fitted) ui.view.fit(context.status.source.size, room);
  for (int i = 0; i < count; ++i) {
    const ViewArea area{whole.left + static_cast<float>(i % columns) * (room.x + gap),
                        whole.top + static_cast<float>(i / columns) * (room.y + gap), room.x, room.y};
    ui.areas[i] = {area, area};
    begin_picture(context, i, area);
    draw_clipped_pill(context, i, area);
  }
}

// Drag, or double-click for one end, the middle and the other end in turn.
void move_wipe_bar(WipeBar& wipe, const ViewArea& whole) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    wipe.at = wipe.at < 0.25f ? 0.5f : wipe.at < 0.75f ? 1.0f : 0.0f;
  else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 0))
    wipe.at = std::clamp(wipe.level ? (mouse.y - whole.top) / whole.height : (mouse.x - whole.left) / whole.width, 0.0f,
                         1.0f);
}

void draw_line(ImVec2 from, ImVec2 to, bool bright) {
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine(from, to, IM_COL32(0, 0, 0, 160), 4 * scale);
  list->AddLine(from, to, IM_COL32(255, 255, 255, bright ? 255 : 200), 2 * scale);
}

// A handle in the middle of the divider, and a tag of each lane on its side.
void draw_grip(PanelContext& context, ImVec2 at, bool level, bool bright) {
  const Palette& p = context.look.colours;
  const float scale = ImGui::GetStyle().FontScaleMain, radius = 9 * scale;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddCircleFilled(at, radius + 2 * scale, IM_COL32(0, 0, 0, 160));
  list->AddCircleFilled(at, radius, IM_COL32(255, 255, 255, bright ? 255 : 220));
  ImGui::PushFont(nullptr, std::max(text_size::base, context.look.caption));  // large in presenter mode
  const ImVec2 along = level ? ImVec2(0, 1) : ImVec2(1, 0), across{along.y, along.x};
  for (const float side : {-1.0f, 1.0f}) {
    const ImVec2 tip = at + along * (side * 6 * scale), foot = at + along * (side * 2 * scale);
    list->AddTriangleFilled(tip, foot + across * 4 * scale, foot - across * 4 * scale, IM_COL32(0, 0, 0, 255));
    const int lane = side < 0 ? 0 : 1;
    const char tag[] = {context.status.picture.letters[lane], '\0'};
    const ImVec2 size = ImGui::CalcTextSize(tag), middle = at + along * (side * (radius + ImGui::GetFontSize()));
    list->AddRectFilled(middle - size / 2 - ImVec2(4, 1) * scale, middle + size / 2 + ImVec2(4, 1) * scale,
                        ImGui::GetColorU32(p.panel), 3 * scale);
    list->AddText(middle - size / 2, ImGui::GetColorU32(p.lane[lane]), tag);
  }
  ImGui::PopFont();
}

void draw_wipe_bar(PanelContext& context, const ViewArea& whole) {
  WipeBar& wipe = context.ui.compare.wipe;
  const float reach = 6 * ImGui::GetStyle().FontScaleMain;
  const float at = wipe.level ? whole.top + wipe.at * whole.height : whole.left + wipe.at * whole.width;
  ImGui::SetCursorScreenPos(wipe.level ? ImVec2(whole.left, at - reach) : ImVec2(at - reach, whole.top));
  ImGui::InvisibleButton("wipe bar", wipe.level ? ImVec2(whole.width, 2 * reach) : ImVec2(2 * reach, whole.height));
  zoom_by_wheel(context.ui, whole);
  const bool touched = ImGui::IsItemHovered() || ImGui::IsItemActive();
  if (touched) ImGui::SetMouseCursor(wipe.level ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_ResizeEW);
  move_wipe_bar(wipe, whole);
  if (wipe.level)
    draw_line({whole.left, at}, {whole.left + whole.width, at}, touched);
  else
    draw_line({at, whole.top}, {at, whole.top + whole.height}, touched);
  const ImVec2 middle{whole.left + whole.width / 2, whole.top + whole.height / 2};
  draw_grip(context, wipe.level ? ImVec2(middle.x, at) : ImVec2(at, middle.y), wipe.level, touched);
}

void draw_wipe(PanelContext& context, const ViewArea& whole) {
  UiState& ui = context.ui;
  if (ui.view.fitted) ui.view.fit(context.status.source.size, {whole.width, whole.height});
  const WipeBar& wipe = ui.compare.wipe;
  const float split = std::round(wipe.at * (wipe.level ? whole.height : whole.width));
  ViewArea a = whole, b = whole;
  if (wipe.level) {
    a.height = split;
    b.top += split;
    b.height -= split;
  } else {
    a.width = split;
    b.left += split;
    b.width -= split;
  }
  ui.areas[0] = {whole, a};
  ui.areas[1] = {whole, b};
  begin_picture(context, 0, whole);
  draw_pixels(context, 1, whole);
  draw_wipe_bar(context, whole);
  draw_clipped_pill(context, 0, a);
  draw_clipped_pill(context, 1, b);
}

void draw_difference(PanelContext& context, const ViewArea& whole) {
  UiState& ui = context.ui;
  if (ui.view.fitted) ui.view.fit(context.status.source.size, {whole.width, whole.height});
  ui.areas[0] = ui.areas[1] = {whole, whole};
  begin_picture(context, 0, whole);
  ViewArea second = whole;  // both lanes are named: the picture is made from both
  second.top = draw_clipped_pill(context, 0, whole) - 8 * ImGui::GetStyle().FontScaleMain;
  second.height = whole.top + whole.height - second.top;
  const float end = draw_clipped_pill(context, 1, second);
  if (context.status.picture.no_difference.empty()) return;
  ImGui::SetCursorScreenPos({whole.left + 12 * ImGui::GetStyle().FontScaleMain, end});
  complaint(context.look.colours, context.status.picture.no_difference);
}

}  // namespace

void go_to(UiState& ui, Point2 pixel, float zoom) {
  ui.probe.picked = pixel;
  const float least = std::min(ui.view.least_zoom, zoom);  // a session may have shown a large picture as a whole
  ui.view = {.centre = {static_cast<float>(pixel.x) + 0.5f, static_cast<float>(pixel.y) + 0.5f},
             .zoom = std::clamp(zoom, least, ViewTransform::max_zoom),
             .least_zoom = least,
             .fitted = false};
}

int lane_on_top(const Settings& settings, const UiState& ui) {
  if (settings.view != ViewMode::flip) return 0;
  const bool blinked = ui.compare.blinks && std::fmod(ImGui::GetTime() * ui.compare.blink_hz, 1.0) >= 0.5;
  return (ui.compare.flipped != ui.compare.holds_b) != blinked ? 1 : 0;
}

void draw_views(PanelContext& context, const ViewArea& whole) {
  UiState& ui = context.ui;
  ui.areas = {};
  ui.probe.hovered = false;
  ui.compare.side_by_side = context.settings.view == ViewMode::side;
  ui.compare.subtracts = context.settings.view == ViewMode::difference;
  if (whole.width < 1 || whole.height < 1) return;
  switch (context.settings.view) {
    case ViewMode::single:
    case ViewMode::flip: draw_one(context, lane_on_top(context.settings, ui), whole); break;
    case ViewMode::side: draw_side(context, whole); break;
    case ViewMode::wipe: draw_wipe(context, whole); break;
    case ViewMode::difference: draw_difference(context, whole); break;
    case ViewMode::grid: draw_grid(context, whole); break;
  }
}

void draw_viewport(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  const bool open = ImGui::Begin("Viewport", nullptr,
                                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                                     ImGuiWindowFlags_NoNavInputs |  // arrows move the picked pixel
                                     ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoCollapse);
  ImGui::PopStyleVar();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImVec2 space = ImGui::GetContentRegionAvail();
  if (open && has_transport(context.status)) {
    const float scale = ImGui::GetStyle().FontScaleMain, height = ImGui::GetFrameHeight() + 12 * scale;
    space.y -= height;
    ImGui::SetCursorScreenPos({origin.x, origin.y + space.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(12, 6) * scale);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, context.look.colours.panel);
    if (ImGui::BeginChild("transport", {space.x, height}, ImGuiChildFlags_AlwaysUseWindowPadding,
                          ImGuiWindowFlags_NoScrollbar))
      draw_transport(context);
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
  }
  draw_views(context, open ? ViewArea{origin.x, origin.y, space.x, space.y} : ViewArea{});
  draw_go_to(context);
  ImGui::End();
  const bool has_room = space.y > 160 * ImGui::GetStyle().FontScaleMain;  // otherwise it would cover the picture
  if (open && space.x > 0 && has_room) draw_view_bar(context, {origin.x, origin.y, space.x, space.y});
  draw_welcome(context, origin, space);
}

}  // namespace conv
