#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/measure/chart.h"
#include "app/measure/paper.h"
#include "kernels/core/file.h"
#include "kernels/ops/peers.h"

namespace conv {

namespace {

constexpr double width = 960, png_scale = 2;
constexpr double left = 76, right = 24, top = 72, axes_bottom = 448;  // y grows downwards
constexpr double legend_top = axes_bottom + 56, note_height = 28;
constexpr double text_size = 14, small_size = 12, title_size = 20, line_height = 18;
constexpr unsigned hairline = 0xD5DBE1;
// Okabe and Ito's colours and one more, dark enough on white. Each series also has a marker.
constexpr unsigned hues[] = {0x9A4F00, 0x0072B2, 0x00785A, 0xB03A0A, 0x7A4F9A, 0x12161B, 0x8A6D00, 0x4A6A8A, 0xA8326E};
constexpr int markers = 4;

class Drawing : public Paper {
 public:
  using Paper::Paper;

  void marker(double x, double y, std::size_t which, double r = 4.5) {
    cairo_new_path(raw());  // text leaves a current point, which an arc would be connected to
    colour(hues[which % std::size(hues)]);
    switch (which % markers) {
      case 0: cairo_arc(raw(), x, y, r, 0, 2 * std::numbers::pi); break;
      case 1: cairo_rectangle(raw(), x - r, y - r, 2 * r, 2 * r); break;
      case 2:
        cairo_move_to(raw(), x, y - 1.2 * r);
        cairo_line_to(raw(), x + 1.2 * r, y + r);
        cairo_line_to(raw(), x - 1.2 * r, y + r);
        break;
      default:
        cairo_move_to(raw(), x, y - 1.3 * r);
        cairo_line_to(raw(), x + 1.3 * r, y);
        cairo_line_to(raw(), x, y + 1.3 * r);
        cairo_line_to(raw(), x - 1.3 * r, y);
    }
    cairo_close_path(raw());
    cairo_fill(raw());
  }
  void stroke_series(std::size_t which, bool dashed) {
    colour(hues[which % std::size(hues)]);
    cairo_set_line_width(raw(), 2);
    const double dashes[] = {7, 5};
    cairo_set_dash(raw(), dashes, dashed ? 2 : 0, 0);
    cairo_stroke(raw());
    cairo_set_dash(raw(), nullptr, 0, 0);
  }
};

// From below the smallest to above the largest value, at round numbers.
struct Scale {
  double low = 0, high = 1;
  bool log = false;
  std::vector<double> marks;
  double place(double y) const {
    const double share = log ? std::log(y / low) / std::log(high / low) : (y - low) / (high - low);
    return axes_bottom - share * (axes_bottom - top);
  }
};

Scale scale_of(const Chart& chart) {
  const double least = chart.least, most = chart.most;
  Scale scale{.log = chart.log_y};
  if (scale.log) {
    scale.low = least / 1.25;
    scale.high = most * 1.25;
    for (double decade = std::pow(10, std::floor(std::log10(scale.low))); decade < scale.high; decade *= 10)
      for (const double step : {1.0, 2.0, 5.0})
        if (step * decade >= scale.low && step * decade <= scale.high) scale.marks.push_back(step * decade);
  } else {
    const double rough = most / 5, decade = std::pow(10, std::floor(std::log10(rough)));
    const double step = decade * (rough / decade < 1.5 ? 1 : rough / decade < 3.5 ? 2 : rough / decade < 7.5 ? 5 : 10);
    scale.high = step * std::ceil(most * 1.02 / step);
    for (double mark = 0; mark <= scale.high * 1.001; mark += step) scale.marks.push_back(mark);
  }
  return scale;
}

double tick_x(const Chart& chart, double index) {
  return left + (index + 0.5) * (width - left - right) / static_cast<double>(chart.ticks.size());
}

void draw_axes(Drawing& d, const Chart& chart, const Scale& scale) {
  for (const double mark : scale.marks) {
    const double y = scale.place(mark);
    d.line(left, y, width - right, y, hairline);
    d.text(left - 10, y + 4, fmt::format("{:.6g}", mark), small_size, quiet_ink, 1);
  }
  for (std::size_t i = 0; i < chart.ticks.size(); ++i)
    d.text(tick_x(chart, static_cast<double>(i)), axes_bottom + 20, chart.ticks[i], small_size, ink, 0.5);
  d.text(width - right, axes_bottom + 38, chart.x_title, text_size, quiet_ink, 1);
}

void draw_bars(Drawing& d, const Chart& chart, const Scale& scale, const ChartSeries& series) {
  const double half = std::min(60.0, 0.3 * (width - left - right) / static_cast<double>(chart.ticks.size()));
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double x = tick_x(chart, series.x[i]), y = scale.place(series.y[i]);
    d.box(x - half, y, 2 * half, axes_bottom - y, hues[1]);
    d.text(x, y - 8, fmt::format("{:.4g}", series.y[i]), text_size, ink, 0.5);
    d.line(x, scale.place(series.low[i]), x, scale.place(series.high[i]), ink, 1.5);
  }
}

// Beside libraries and copies, whose lines are dashed, ours are solid. Otherwise the first of each marker is solid.
bool is_dashed(const Chart& chart, std::size_t which) {
  const auto is_peer = [](const ChartSeries& series) { return find_peer(series.variant) != nullptr; };
  if (std::any_of(chart.series.begin(), chart.series.end(), is_peer)) return is_peer(chart.series[which]);
  return which >= markers;
}

void draw_series(Drawing& d, const Chart& chart, const Scale& scale, std::size_t which) {
  const ChartSeries& series = chart.series[which];
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const double x = tick_x(chart, series.x[i]);
    d.marker(x, scale.place(series.y[i]), which);
    d.line(x, scale.place(series.low[i]), x, scale.place(series.high[i]), hues[which % std::size(hues)], 1.5);
  }
  if (!chart.joined) return;
  for (std::size_t i = 0; i < series.x.size(); ++i)
    (i ? cairo_line_to : cairo_move_to)(d.raw(), tick_x(chart, series.x[i]), scale.place(series.y[i]));
  d.stroke_series(which, is_dashed(chart, which));
}

// The place of a series' name in the legend, which has as many lines as it needs.
struct LegendPlace {
  double x;
  int line;
};
std::vector<LegendPlace> legend_of(Drawing& d, const Chart& chart) {
  std::vector<LegendPlace> names;
  LegendPlace next{left, 0};
  for (const ChartSeries& series : chart.series) {
    const double wide = d.text_width(series.name, small_size) + 40;
    if (next.x + wide > width - right) next = {left, next.line + 1};
    names.push_back(next);
    next.x += wide;
  }
  return names;
}

void draw_legend(Drawing& d, const Chart& chart, const std::vector<LegendPlace>& names) {
  for (std::size_t s = 0; s < names.size(); ++s) {
    const double y = legend_top + line_height * names[s].line;
    d.marker(names[s].x + 6, y - 4, s);
    d.text(names[s].x + 18, y, chart.series[s].name, small_size, ink);
  }
}

void draw(Drawing& d, const Chart& chart, const std::vector<LegendPlace>& names, double height) {
  cairo_set_source_rgb(d.raw(), 1, 1, 1);
  cairo_paint(d.raw());
  d.text(left, 34, chart.title, title_size, ink);
  d.text(left, 56, chart.y_title, text_size, quiet_ink);
  d.text(left, height - 14, chart.note, small_size, quiet_ink);
  const Scale scale = scale_of(chart);
  draw_axes(d, chart, scale);
  if (chart.series.size() == 1 && chart.series[0].name.empty()) return draw_bars(d, chart, scale, chart.series[0]);
  for (std::size_t s = 0; s < chart.series.size(); ++s) draw_series(d, chart, scale, s);
  draw_legend(d, chart, names);
}

}  // namespace

Result<void> save_plot(const Chart& chart, const std::string& path) {
  if (chart.series.empty()) return failure(path + ": there are no measurements to plot");
  const bool svg = path.ends_with(".svg");
  if (!svg && !path.ends_with(".png")) return failure(path + ": plots are .svg or .png");
  std::string bytes;
  std::vector<LegendPlace> names;
  {
    const PaperSurface unseen(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1), cairo_surface_destroy);
    const PaperContext context(cairo_create(unseen.get()), cairo_destroy);
    Drawing measuring(context.get());
    names = legend_of(measuring, chart);
  }
  const double height = legend_top + line_height * (names.back().line + 1) + note_height;
  const PaperSurface surface(svg ? cairo_svg_surface_create_for_stream(append_to, &bytes, width, height)
                                 : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(png_scale * width),
                                                              static_cast<int>(png_scale * height)),
                             cairo_surface_destroy);
  {
    const PaperContext context(cairo_create(surface.get()), cairo_destroy);
    if (!svg) cairo_scale(context.get(), png_scale, png_scale);
    Drawing drawing(context.get());
    draw(drawing, chart, names, height);
  }
  if (svg) cairo_surface_finish(surface.get());
  const cairo_status_t status =
      svg ? cairo_surface_status(surface.get()) : cairo_surface_write_to_png_stream(surface.get(), append_to, &bytes);
  if (status != CAIRO_STATUS_SUCCESS) return failure(fmt::format("{}: {}", path, cairo_status_to_string(status)));
  return write_file(path, bytes);
}

}  // namespace conv
