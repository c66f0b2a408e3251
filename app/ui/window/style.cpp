#include "app/ui/window/style.h"

#include <implot.h>

#include <cmath>

namespace conv {

namespace {

constexpr ImVec4 hex(unsigned rgb, float alpha = 1) {
  return {static_cast<float>(rgb >> 16 & 0xff) / 255, static_cast<float>(rgb >> 8 & 0xff) / 255,
          static_cast<float>(rgb & 0xff) / 255, alpha};
}

constexpr Palette dark{
    .lane = {hex(0xE69F00), hex(0x56B4E9)},
    .pass = hex(0x2BB58C),
    .fault = hex(0xFF7A45),
    .background = hex(0x131518),
    .panel = hex(0x1A1D21),
    .raised = hex(0x23272D),
    .hairline = hex(0x2C3138),
    .outline = hex(0x6E7781),
    .text = hex(0xE7EAEE),
    .quiet = hex(0x9CA6B1),
    .disabled = hex(0x8A949E),
};
constexpr Palette light{
    .lane = {hex(0x9A4F00), hex(0x0072B2)},
    .pass = hex(0x00785A),
    .fault = hex(0xB03A0A),
    .background = hex(0xF4F6F8),
    .panel = hex(0xFFFFFF),
    .raised = hex(0xEDF0F3),
    .hairline = hex(0xD5DBE1),
    .outline = hex(0x7F8891),
    .text = hex(0x12161B),
    .quiet = hex(0x55606C),
    .disabled = hex(0x626C77),
};

// Black and white, and the four hues on black.
constexpr Palette contrast{
    .lane = {hex(0xFFB000), hex(0x6EC6FF)},
    .pass = hex(0x3FE0B0),
    .fault = hex(0xFF8A5C),
    .background = hex(0x000000),
    .panel = hex(0x000000),
    .raised = hex(0x1E1E1E),
    .hairline = hex(0xFFFFFF),
    .outline = hex(0xFFFFFF),
    .text = hex(0xFFFFFF),
    .quiet = hex(0xE0E0E0),
    .disabled = hex(0x8A8A8A),
};

ImVec4 mixed(ImVec4 a, ImVec4 b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t, 1};
}

// merged: adds its glyphs to the font before, for characters that font lacks.
ImFont* first_font(std::initializer_list<std::filesystem::path> files, bool merged = false) {
  ImFontConfig config;
  config.MergeMode = merged;
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (std::filesystem::exists(file, error))
      return ImGui::GetIO().Fonts->AddFontFromFileTTF(file.c_str(), text_size::base, &config);
  }
  return nullptr;
}

}  // namespace

const Palette& palette(Theme theme) {
  return theme == Theme::dark ? dark : theme == Theme::light ? light : contrast;
}

float luminance(ImVec4 c) {
  const auto linear = [](float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); };
  return 0.2126f * linear(c.x) + 0.7152f * linear(c.y) + 0.0722f * linear(c.z);
}

ImU32 ink_on(ImVec4 ground) {
  // Where black and white have the same contrast: (L + 0.05)^2 = 0.05 * 1.05.
  return luminance(ground) > 0.179f ? IM_COL32(0, 0, 0, 255) : IM_COL32(255, 255, 255, 255);
}

Fonts load_fonts(const std::filesystem::path& beside) {
  const std::filesystem::path system = "/usr/share/fonts";
  Fonts fonts;
  const std::initializer_list<std::filesystem::path> words = {
      system / "opentype/inter/Inter-Regular.otf", system / "truetype/inter/Inter-Regular.ttf",
      beside / "fonts/Inter-Regular.otf", beside / "fonts/Roboto-Medium.ttf", CONV_ROBOTO};
  fonts.words = first_font(words);
  fonts.numbers = first_font(
      {system / "truetype/jetbrains-mono/JetBrainsMono-Regular.ttf", beside / "fonts/JetBrainsMono-Regular.ttf"});
  if (fonts.numbers) first_font(words, true);  // thin spaces and signs that the numbers' font lacks
  if (!fonts.words) fonts.words = ImGui::GetIO().Fonts->AddFontDefault();
  if (!fonts.numbers) fonts.numbers = fonts.words;
  return fonts;
}

static void set_colours(const Palette& p, ImVec4* c) {
  const ImVec4 hover = mixed(p.raised, p.text, 0.08f), active = mixed(p.raised, p.text, 0.16f);
  c[ImGuiCol_Text] = p.text;
  c[ImGuiCol_TextDisabled] = p.quiet;
  c[ImGuiCol_WindowBg] = c[ImGuiCol_ChildBg] = c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = p.panel;
  c[ImGuiCol_TitleBgCollapsed] = c[ImGuiCol_MenuBarBg] = p.panel;
  c[ImGuiCol_PopupBg] = p.panel;
  c[ImGuiCol_Border] = p.outline;
  c[ImGuiCol_Separator] = c[ImGuiCol_TableBorderLight] = c[ImGuiCol_TableBorderStrong] = p.hairline;
  c[ImGuiCol_TableHeaderBg] = p.raised;
  c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = p.quiet;
  c[ImGuiCol_FrameBg] = c[ImGuiCol_Button] = c[ImGuiCol_Header] = p.raised;
  c[ImGuiCol_FrameBgHovered] = c[ImGuiCol_ButtonHovered] = c[ImGuiCol_HeaderHovered] = hover;
  c[ImGuiCol_FrameBgActive] = c[ImGuiCol_ButtonActive] = c[ImGuiCol_HeaderActive] = active;
  c[ImGuiCol_SliderGrab] = c[ImGuiCol_ScrollbarGrab] = mixed(p.raised, p.text, 0.35f);
  c[ImGuiCol_SliderGrabActive] = c[ImGuiCol_ScrollbarGrabActive] = c[ImGuiCol_CheckMark] = p.text;
  c[ImGuiCol_ScrollbarGrabHovered] = p.quiet;
  c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
  c[ImGuiCol_Tab] = c[ImGuiCol_TabDimmed] = p.panel;
  c[ImGuiCol_TabHovered] = hover;
  c[ImGuiCol_TabSelected] = c[ImGuiCol_TabDimmedSelected] = p.raised;
  c[ImGuiCol_TabSelectedOverline] = c[ImGuiCol_TabDimmedSelectedOverline] = {0, 0, 0, 0};
  c[ImGuiCol_DockingEmptyBg] = p.background;
  c[ImGuiCol_NavCursor] = p.lane[1];
  c[ImGuiCol_TextSelectedBg] = mixed(p.raised, p.lane[1], 0.4f);
  c[ImGuiCol_PlotLines] = p.lane[0];
  c[ImGuiCol_PlotHistogram] = mixed(p.raised, p.text, 0.25f);  // progress bars: text is on them
  c[ImGuiCol_ResizeGrip] = {0, 0, 0, 0};
  c[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.55f};  // the same in every theme, so that the question stands out
}

static void set_plot_style(Theme theme, const Palette& p, float scale) {
  ImPlotStyle& plot = ImPlot::GetStyle();
  plot = ImPlotStyle();
  const float inside = theme == Theme::contrast ? 8 * scale : 4 * scale;  // in this theme plots have frames
  plot.PlotPadding = {inside, inside};
  plot.LabelPadding = {4 * scale, 4 * scale};
  plot.Colors[ImPlotCol_FrameBg] = plot.Colors[ImPlotCol_PlotBorder] = {0, 0, 0, 0};
  plot.Colors[ImPlotCol_PlotBg] = p.background;
  plot.Colors[ImPlotCol_AxisText] = p.quiet;
  plot.Colors[ImPlotCol_AxisGrid] = p.hairline;
}

void apply_style(Theme theme, float scale) {
  const Palette& p = palette(theme);
  ImGuiStyle style;
  if (theme == Theme::light) ImGui::StyleColorsLight(&style);
  style.WindowPadding = {12, 12};
  style.FramePadding = {8, 4};
  style.ItemSpacing = {8, 8};
  style.ItemInnerSpacing = {8, 4};
  style.CellPadding = {4, 4};
  style.IndentSpacing = 12;
  style.ScrollbarSize = 12;
  style.GrabMinSize = 12;
  style.WindowBorderSize = style.ChildBorderSize = 0;
  style.FrameBorderSize = style.PopupBorderSize = style.TabBorderSize = 1;
  style.WindowRounding = 0;
  style.FrameRounding = style.PopupRounding = style.GrabRounding = style.TabRounding = style.ScrollbarRounding = 4;
  if (theme == Theme::contrast) style.FrameBorderSize = style.PopupBorderSize = style.TabBorderSize = 2;
  style.TabMinWidthShrink = 40;
  style.DockingSeparatorSize = theme == Theme::contrast ? 2.0f : 1.0f;
  style.SeparatorTextBorderSize = 1;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.HoverDelayNormal = style.HoverDelayShort = 0.4f;
  style.HoverFlagsForTooltipMouse = ImGuiHoveredFlags_DelayShort | ImGuiHoveredFlags_AllowWhenDisabled;

  set_colours(p, style.Colors);
  style.ScaleAllSizes(scale);
  style.FontSizeBase = text_size::base;
  style.FontScaleMain = scale;
  ImGui::GetStyle() = style;
  set_plot_style(theme, p, scale);
}

}  // namespace conv
