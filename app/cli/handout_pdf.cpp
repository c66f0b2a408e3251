#include "app/cli/handout_pdf.h"

#include <cairo-pdf.h>
#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "app/measure/paper.h"
#include "kernels/core/file.h"

namespace conv {

namespace {

// In points, 1/72 of an inch.
constexpr double page_width = 595, page_height = 842, margin = 60, text_width = page_width - 2 * margin;
constexpr double top = margin, bottom = page_height - margin - 10, footer = page_height - 36;
constexpr double text_size = 10, small_size = 8.5, code_scale = 0.92, leading = 1.45, paragraph_gap = 6;
constexpr double heading_sizes[] = {20, 14, 11.5}, indent = 14, picture_gap = 10, most_picture_width = 270;
constexpr double diagram_unit = 12.5;  // the height of a line in a diagram
constexpr unsigned bar = 0xB35C00, quote_paper = 0xF6F3EE;

struct Font {
  bool strong = false, emphasis = false, code = false;
};
struct Word {
  std::string text;
  Font font;
  bool after_space;
};

// Something that stays on one page. draw: its upper edge is at y.
struct Piece {
  double height;
  std::function<void(double y)> draw;
};
struct Block {
  std::vector<Piece> pieces;
  double gap = paragraph_gap;  // before it
  int heading = 0;             // its level; 0: it is none
  std::string title = {};      // of a heading
  bool quoted = false;
};

// Bytes that are not UTF-8 become the sign for that, as in a browser: Cairo would refuse the whole file.
std::string readable(const std::string& text) {
  using json = nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

// How many bytes the first letter of a text has.
std::size_t first_letter(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) ++bytes;
  return bytes;
}

// Puts blocks on pages, one below the other. A heading stays with what follows it, a quotation is not divided, both as
// far as they fit on a page.
class Pages {
 public:
  Pages(cairo_surface_t* surface, cairo_t* to, std::string title)
      : surface_(surface), paper_(to), title_(std::move(title)) {}

  Paper& paper() { return paper_; }
  void add(Block block) {
    if (block.pieces.empty()) return;
    const bool waits = block.heading > 0 || block.quoted;
    waiting_.push_back(std::move(block));
    if (!waits) put();
  }
  // What has been added so far, such as a quotation that has ended.
  void put() {
    double needed = 0;
    for (const Block& block : waiting_) {
      needed += block.gap;
      for (const Piece& piece : block.pieces) needed += piece.height;
    }
    if (y_ + needed > bottom && y_ > top) new_page();
    for (const Block& block : waiting_) put(block);
    waiting_.clear();
  }
  void finish() {
    put();
    end_page();
  }

 private:
  void put(const Block& block) {
    if (y_ > top) space(block.gap, block.quoted && quoted_);
    quoted_ = block.quoted;
    if (block.heading > 0) add_to_outline(block);
    for (const Piece& piece : block.pieces) {
      if (y_ + piece.height > bottom) new_page();
      if (block.quoted) quote_paper_behind(piece.height);
      piece.draw(y_);
      y_ += piece.height;
    }
  }
  void space(double height, bool quoted) {
    if (quoted) quote_paper_behind(height);
    y_ += height;
  }
  void quote_paper_behind(double height) {
    paper_.box(margin, y_, text_width, height + 0.5, quote_paper);
    paper_.box(margin, y_, 3, height + 0.5, bar);
  }
  void add_to_outline(const Block& block) {
    const std::size_t level = std::min<std::size_t>(block.heading, std::size(outline_)) - 1;
    int parent = CAIRO_PDF_OUTLINE_ROOT;
    for (std::size_t above = 0; above < level; ++above)
      if (outline_[above]) parent = *outline_[above];
    outline_[level] = cairo_pdf_surface_add_outline(
        surface_, parent, block.title.c_str(), fmt::format("page={} pos=[{:.0f} {:.0f}]", page_, margin, y_).c_str(),
        block.heading == 1 ? CAIRO_PDF_OUTLINE_FLAG_OPEN : cairo_pdf_outline_flags_t{});
    for (std::size_t below = level + 1; below < std::size(outline_); ++below) outline_[below].reset();
  }
  void end_page() {
    cairo_select_font_face(paper_.raw(), "Inter", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    paper_.text(margin, footer, title_, small_size, quiet_ink);
    paper_.text(page_width - margin, footer, std::to_string(page_), small_size, quiet_ink, 1);
    cairo_show_page(paper_.raw());
  }
  void new_page() {
    end_page();
    ++page_;
    y_ = top;
  }

  cairo_surface_t* surface_;
  Paper paper_;
  const std::string title_;
  std::vector<Block> waiting_;  // they stay together
  std::optional<int> outline_[3];
  int page_ = 1;
  double y_ = top;
  bool quoted_ = false;  // the block above
};

// Makes blocks of what md4c finds.
class Writer {
 public:
  Writer(Pages& pages, const HandoutPictures& pictures) : pages_(pages), pictures_(pictures) {}

  const std::string& error() const { return error_; }

  void enter_block(MD_BLOCKTYPE type, const void* detail) {
    flush();
    if (type == MD_BLOCK_QUOTE && quotes_++ == 0) add_quote_edge(0, paragraph_gap);
    if (type == MD_BLOCK_UL) lists_.push_back({});
    if (type == MD_BLOCK_OL) lists_.push_back(static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start);
    if (type == MD_BLOCK_LI && !lists_.empty()) {
      auto& number = lists_.back();
      marker_ = number ? fmt::format("{}.", (*number)++) : "•";
    }
    if (type == MD_BLOCK_H) heading_ = static_cast<int>(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
    if (type == MD_BLOCK_CODE) font_.code = true;
  }
  void leave_block(MD_BLOCKTYPE type) {
    flush();
    if (type == MD_BLOCK_QUOTE && --quotes_ == 0) {
      add_quote_edge(paragraph_gap, 0);
      pages_.put();
    }
    if ((type == MD_BLOCK_UL || type == MD_BLOCK_OL) && !lists_.empty()) lists_.pop_back();
    if (type == MD_BLOCK_H) heading_ = 0;
    if (type == MD_BLOCK_CODE) font_.code = false;
  }
  void enter_span(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_IMG) {
      const MD_ATTRIBUTE& name = static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src;
      image_ = std::string(name.text, name.size);
    }
    set(type, true);
  }
  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_IMG) image_.reset();
    set(type, false);
  }
  void add(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_NULLCHAR) return;
    if (image_ && shows(*image_)) {
      if (shown_.empty() || shown_.back().name != *image_) shown_.push_back({*image_, ""});
      shown_.back().caption += text;
      return;
    }
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) text = " ";
    while (!text.empty()) {
      const bool is_space = text.front() == ' ' || text.front() == '\n';
      const std::size_t end = is_space ? 1 : std::min(text.find_first_of(" \n"), text.size());
      if (!is_space) words_.push_back({std::string(text.substr(0, end)), font_, space_});
      space_ = is_space;
      text.remove_prefix(end);
    }
  }

 private:
  struct Shown {
    std::string name, caption;
  };

  bool shows(const std::string& name) const {
    return pictures_.files.contains(name) || pictures_.diagrams.contains(name);
  }
  void set(MD_SPANTYPE type, bool on) {
    if (type == MD_SPAN_STRONG) font_.strong = on;
    if (type == MD_SPAN_EM) font_.emphasis = on;
    if (type == MD_SPAN_CODE) font_.code = on;
  }

  void add_quote_edge(double height, double gap) {
    pages_.add({.pieces = {{height, [](double) {}}}, .gap = gap, .quoted = true});
  }

  // The paragraph has ended.
  void flush() {
    for (std::size_t i = 0; i < shown_.size(); i += 2)
      pages_.add({.pieces = row_of(std::span(shown_).subspan(i).first(std::min<std::size_t>(2, shown_.size() - i))),
                  .gap = i == 0 ? paragraph_gap : picture_gap,
                  .quoted = quotes_ > 0});
    if (!words_.empty()) {
      Block block{.pieces = lines(), .heading = heading_, .quoted = quotes_ > 0};
      if (heading_ > 0) block.gap = 1.1 * heading_size();
      for (const Word& word : words_) block.title += (word.after_space && !block.title.empty() ? " " : "") + word.text;
      pages_.add(std::move(block));
      marker_.clear();
    }
    shown_.clear();
    words_.clear();
    space_ = false;
  }

  double heading_size() const { return heading_sizes[std::min<std::size_t>(heading_, std::size(heading_sizes)) - 1]; }
  double size() const { return heading_ > 0 ? heading_size() : text_size; }
  double left() const {
    const auto depth = std::min<double>(4, static_cast<double>(lists_.size()));
    return margin + (quotes_ > 0 ? indent : 0) + indent * depth;
  }

  // A word is drawn as it is measured.
  double select(const Font& font) {
    cairo_select_font_face(pages_.paper().raw(), font.code ? "JetBrains Mono" : "Inter",
                           font.emphasis ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           font.strong || heading_ > 0 ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    return size() * (font.code ? code_scale : 1);
  }
  double width_of(const std::string& text, const Font& font) {
    const double points = select(font);
    return pages_.paper().text_width(text, points);
  }

  // Words that are too long for a line go on in the next one.
  std::vector<Word> fitting_words() {
    std::vector<Word> fitting;
    for (Word word : words_) {
      while (width_of(word.text, word.font) > page_width - margin - left()) {
        std::size_t bytes = 0;
        while (bytes < word.text.size()) {
          const std::size_t more = bytes + first_letter(std::string_view(word.text).substr(bytes));
          if (bytes > 0 && width_of(word.text.substr(0, more), word.font) > page_width - margin - left()) break;
          bytes = more;
        }
        fitting.push_back({word.text.substr(0, bytes), word.font, word.after_space});
        word = {word.text.substr(bytes), word.font, false};
      }
      if (!word.text.empty()) fitting.push_back(std::move(word));
    }
    return fitting;
  }

  std::vector<Piece> lines() {
    struct Placed {
      double x;
      Word word;
    };
    std::vector<std::vector<Placed>> all(1);
    double x = left();
    for (Word& word : fitting_words()) {
      const double gap = word.after_space && !all.back().empty() ? width_of(" ", {}) : 0;
      const double width = width_of(word.text, word.font);
      if (!all.back().empty() && x + gap + width > page_width - margin) {
        all.emplace_back();
        x = left();
      } else {
        x += gap;
      }
      all.back().push_back({x, std::move(word)});
      x += width;
    }
    if (!marker_.empty()) all.front().push_back({left() - indent, {marker_, {}, false}});
    std::vector<Piece> pieces;
    for (auto& line : all)
      pieces.push_back({leading * size(), [this, line = std::move(line), heading = heading_](double y) {
                          const int now = std::exchange(heading_, heading);
                          for (const Placed& placed : line) {
                            const double points = select(placed.word.font);
                            pages_.paper().text(placed.x, y + 1.05 * size(), placed.word.text, points, ink);
                          }
                          heading_ = now;
                        }});
    return pieces;
  }

  // Equal files are one picture: the PDF holds it once.
  std::shared_ptr<cairo_surface_t> picture_in(const std::string& name) {
    struct Rest {
      std::string_view bytes;
      static cairo_status_t take(void* from, unsigned char* to, unsigned count) {
        auto& rest = *static_cast<Rest*>(from);
        if (count > rest.bytes.size()) return CAIRO_STATUS_READ_ERROR;
        std::ranges::copy(rest.bytes.substr(0, count), to);
        rest.bytes.remove_prefix(count);
        return CAIRO_STATUS_SUCCESS;
      }
    };
    const std::string bytes = read_file(pictures_.folder / name).value_or("");
    std::shared_ptr<cairo_surface_t>& picture = loaded_[bytes];
    Rest rest{bytes};
    if (!picture) picture.reset(cairo_image_surface_create_from_png_stream(Rest::take, &rest), cairo_surface_destroy);
    return picture;
  }

  // At most two pictures side by side, each above its caption.
  std::vector<Piece> row_of(std::span<const Shown> row) {
    struct Drawn {
      double x, height;
      std::function<void(double x, double y)> draw;
      std::string caption;
    };
    std::vector<Drawn> drawn;
    double highest = 0;
    bool has_caption = false;
    const double width =
        (text_width - picture_gap * static_cast<double>(row.size() - 1)) / static_cast<double>(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      Drawn one{.x = margin + static_cast<double>(i) * (width + picture_gap)};
      if (const auto diagram = pictures_.diagrams.find(row[i].name); diagram != pictures_.diagrams.end()) {
        const double unit = std::min(diagram_unit, width / diagram->second.width);
        one.height = unit * diagram->second.height;
        one.draw = [this, unit, &shapes = diagram->second](double x, double y) { draw_diagram(shapes, x, y, unit); };
      } else {
        const std::shared_ptr<cairo_surface_t> picture = picture_in(row[i].name);
        if (const cairo_status_t status = cairo_surface_status(picture.get()); status != CAIRO_STATUS_SUCCESS) {
          error_ = fmt::format("{}: {}", row[i].name, cairo_status_to_string(status));
          continue;
        }
        const double columns = cairo_image_surface_get_width(picture.get());
        const double rows = cairo_image_surface_get_height(picture.get());
        const double scale = std::min({width / columns, most_picture_width / std::max(columns, rows), 1.0});
        one.height = scale * rows;
        one.caption = row[i].caption;
        has_caption |= !one.caption.empty();
        one.draw = [this, picture, scale](double x, double y) { draw_picture(picture.get(), x, y, scale); };
      }
      highest = std::max(highest, one.height);
      drawn.push_back(std::move(one));
    }
    const double height = highest + (has_caption ? leading * text_size : picture_gap - paragraph_gap);
    return {{height, [this, drawn = std::move(drawn)](double y) {
               for (const Drawn& one : drawn) {
                 one.draw(one.x, y);
                 cairo_select_font_face(pages_.paper().raw(), "Inter", CAIRO_FONT_SLANT_NORMAL,
                                        CAIRO_FONT_WEIGHT_NORMAL);
                 pages_.paper().text(one.x, y + one.height + 1.2 * small_size, one.caption, small_size, quiet_ink);
               }
             }}};
  }

  void draw_picture(cairo_surface_t* picture, double x, double y, double scale) {
    cairo_t* to = pages_.paper().raw();
    cairo_save(to);
    cairo_translate(to, x, y);
    cairo_scale(to, scale, scale);
    cairo_set_source_surface(to, picture, 0, 0);
    cairo_paint(to);
    cairo_restore(to);
  }

  void draw_diagram(const Diagram& diagram, double x, double y, double unit) {
    Paper& paper = pages_.paper();
    cairo_select_font_face(paper.raw(), "Inter", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    for (const DiagramShape& shape : diagram.shapes) {
      const double left = x + unit * shape.x, upper = y + unit * shape.y;
      const double width = unit * shape.width, height = unit * shape.height;
      const unsigned colour = paper_colour(shape.tone);
      switch (shape.kind) {
        case DiagramShape::Kind::box: paper.box(left, upper, width, height, colour); break;
        case DiagramShape::Kind::frame: paper.frame(left, upper, width, height, colour, 0.05 * unit); break;
        case DiagramShape::Kind::line:
          paper.line(left, upper, left + width, upper + height, colour, 0.08 * unit);
          break;
        case DiagramShape::Kind::words:
          paper.text(left, upper + 0.3 * unit, readable(shape.text), 0.85 * unit, colour, shape.align);
          break;
      }
    }
  }

  Pages& pages_;
  const HandoutPictures& pictures_;
  std::map<std::string, std::shared_ptr<cairo_surface_t>> loaded_;  // by the bytes of their files
  std::string error_;
  std::vector<Word> words_;                     // of the paragraph
  std::vector<Shown> shown_;                    // its pictures
  std::optional<std::string> image_;            // the words are its name
  std::vector<std::optional<unsigned>> lists_;  // around the paragraph: the next number, or nothing
  std::string marker_;                          // of the list's item
  Font font_;
  int heading_ = 0, quotes_ = 0;
  bool space_ = false;
};

Writer& writer(void* user) {
  return *static_cast<Writer*>(user);
}

}  // namespace

Result<void> write_pdf(const std::string& title, const std::string& text, const HandoutPictures& pictures,
                       const std::filesystem::path& file) {
  const std::string shown_title = readable(title), markdown = readable(text);
  const PaperSurface surface(cairo_pdf_surface_create(file.c_str(), page_width, page_height), cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, shown_title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Convoscope");
  const PaperContext context(cairo_create(surface.get()), cairo_destroy);
  Pages pages(surface.get(), context.get(), shown_title);
  Writer to(pages, pictures);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    return writer(user).enter_block(type, detail), 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) { return writer(user).leave_block(type), 0; };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    return writer(user).enter_span(type, detail), 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* user) { return writer(user).leave_span(type), 0; };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* from, MD_SIZE size, void* user) {
    return writer(user).add(type, {from, size}), 0;
  };
  if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &to) != 0)
    return failure("the lesson could not be written as PDF");
  pages.finish();
  cairo_surface_finish(surface.get());
  if (!to.error().empty()) return failure(to.error());
  cairo_status_t status = cairo_status(context.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS)
    return failure(fmt::format("{}: {}", file.string(), cairo_status_to_string(status)));
  return {};
}

}  // namespace conv
