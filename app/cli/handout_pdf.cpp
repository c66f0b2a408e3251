#include "app/cli/handout_pdf.h"

#include <cairo-pdf.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/lessons/parse_markdown.h"
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
constexpr double most_pixels = 1200;   // along a side of a picture: more than paper shows
constexpr unsigned bar = 0xB35C00, quote_paper = 0xF6F3EE;

// How often emphasis of each kind is around a word.
struct Font {
  int strong = 0, emphasis = 0, code = 0;
};
enum class Before { nothing, space, line };
struct Word {
  std::string text;
  Font font;
  Before before = Before::nothing;
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

// A character that is written as `&lt;`, as far as lessons need them.
std::string_view character_of(std::string_view entity) {
  constexpr std::pair<std::string_view, std::string_view> rows[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}};
  for (const auto& [name, character] : rows)
    if (entity == name) return character;
  return entity;
}

// The start of the text that fits into the width, whole letters; at least one.
std::string_view fitting(Paper& paper, std::string_view text, double size, double width) {
  std::size_t bytes = 0;
  for (double used = 0; bytes < text.size();) {
    std::size_t end = bytes + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    used += paper.text_width(std::string(text.substr(bytes, end - bytes)), size);
    if (bytes > 0 && used > width) break;
    bytes = end;
  }
  return text.substr(0, bytes);
}

// Of a line of small text, what fits.
std::string shortened(Paper& paper, const std::string& text, double width) {
  const std::string_view start = fitting(paper, text, small_size, width);
  return start.size() == text.size() ? text : std::string(fitting(paper, text, small_size, width - small_size)) + "…";
}

// Puts blocks on pages, one below the other. A heading stays with what follows it, a quotation is not divided, both as
// far as they fit on a page.
class Pages {
 public:
  Pages(cairo_surface_t* surface, cairo_t* to, const std::string& title)
      : surface_(surface), paper_(to), title_(shortened(paper_, title, text_width - 60)) {}

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
    paper_.plain();
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
  std::optional<int> outline_[std::size(heading_sizes)];
  int page_ = 1;
  double y_ = top;
  bool quoted_ = false;  // the block above
};

// Makes blocks of what MD4C finds.
class Writer {
 public:
  Writer(Pages& pages, const HandoutPictures& pictures) : pages_(pages), pictures_(pictures) {}

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
    if (type == MD_BLOCK_CODE) ++font_.code;
    is_code_ = type == MD_BLOCK_CODE;
  }
  void leave_block(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_LI && !marker_.empty() && words_.empty()) words_.emplace_back();  // an empty item
    flush();
    if (type == MD_BLOCK_QUOTE && --quotes_ == 0) {
      add_quote_edge(paragraph_gap, 0);
      pages_.put();
    }
    if ((type == MD_BLOCK_UL || type == MD_BLOCK_OL) && !lists_.empty()) lists_.pop_back();
    if (type == MD_BLOCK_H) heading_ = 0;
    if (type == MD_BLOCK_CODE) --font_.code;
    is_code_ = false;
  }
  void enter_span(MD_SPANTYPE type, const void* detail) {
    if (type == MD_SPAN_IMG) {
      const MD_ATTRIBUTE& source = static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src;
      const std::string name(source.text ? std::string_view(source.text, source.size) : std::string_view());
      shows_ = pictures_.files.contains(name) || pictures_.diagrams.contains(name);
      if (shows_) shown_.push_back({name, ""});
    }
    count(type, 1);
  }
  void leave_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_IMG) shows_ = false;
    count(type, -1);
  }
  void add(MD_TEXTTYPE type, std::string_view text) {
    if (type == MD_TEXT_NULLCHAR) return;
    if (type == MD_TEXT_ENTITY) text = character_of(text);
    if (shows_) {
      shown_.back().caption += text;
    } else if (type == MD_TEXT_BR || (is_code_ && text == "\n")) {
      before_ = Before::line;
    } else if (is_code_) {
      add_word(text);
    } else {
      add_words(text);
    }
  }

 private:
  struct Shown {
    std::string name, caption;
  };
  struct Placed {
    double x, size;
    Word word;
  };

  void count(MD_SPANTYPE type, int more) {
    if (type == MD_SPAN_STRONG) font_.strong += more;
    if (type == MD_SPAN_EM) font_.emphasis += more;
    if (type == MD_SPAN_CODE) font_.code += more;
  }
  void add_word(std::string_view text) {
    words_.push_back({std::string(text), font_, std::exchange(before_, Before::nothing)});
    if (heading_ > 0) ++words_.back().font.strong;
  }
  void add_words(std::string_view text) {
    constexpr std::string_view spaces = " \n\t";
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of(spaces), text.size());
      if (end > 0)
        add_word(text.substr(0, end));
      else
        before_ = std::max(before_, Before::space);
      text.remove_prefix(std::max<std::size_t>(end, 1));
    }
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
      if (heading_ > 0) block.gap = 1.1 * size();
      for (const Word& word : words_)
        block.title += (word.before == Before::nothing || block.title.empty() ? "" : " ") + word.text;
      pages_.add(std::move(block));
      marker_.clear();
    }
    shown_.clear();
    words_.clear();
    before_ = Before::nothing;
  }

  double size() const {
    return heading_ > 0 ? heading_sizes[std::min<std::size_t>(heading_, std::size(heading_sizes)) - 1] : text_size;
  }
  double left() const {
    const auto depth = std::min<double>(4, static_cast<double>(lists_.size()));
    return margin + (quotes_ > 0 ? indent : 0) + indent * depth;
  }
  double size_of(const Font& font) const { return size() * (font.code > 0 ? code_scale : 1); }
  void select(const Font& font) {
    pages_.paper().font(font.code > 0 ? "JetBrains Mono" : "Inter", font.strong > 0, font.emphasis > 0);
  }
  double width_of(const Word& word) {
    select(word.font);
    return pages_.paper().text_width(word.text, size_of(word.font));
  }

  // Words that are too long for a line go on in the next one.
  std::vector<Word> fitting_words() {
    constexpr std::size_t long_word = 200;  // bytes
    const double room = page_width - margin - left();
    std::vector<Word> all;
    for (Word& word : words_) {
      if (word.text.size() <= long_word && width_of(word) <= room) {
        all.push_back(std::move(word));
        continue;
      }
      select(word.font);
      for (std::string_view rest = word.text; !rest.empty();) {
        const std::string_view part = fitting(pages_.paper(), rest, size_of(word.font), room);
        all.push_back({std::string(part), word.font, rest.size() == word.text.size() ? word.before : Before::line});
        rest.remove_prefix(part.size());
      }
    }
    return all;
  }

  // Lines begin with words that have a space before them, if there are any.
  std::vector<std::vector<Placed>> placed_lines() {
    std::vector<Word> words = fitting_words();
    std::vector<double> widths;
    for (const Word& word : words) widths.push_back(width_of(word));
    const double space = width_of({" ", {}, {}});
    std::vector<std::vector<Placed>> all(1);
    double x = left();
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double gap = words[i].before == Before::space && !all.back().empty() ? space : 0;
      double run = widths[i];
      for (std::size_t next = i + 1; next < words.size() && words[next].before == Before::nothing; ++next)
        run += widths[next];
      const bool may_break = words[i].before != Before::nothing || x + widths[i] > page_width - margin;
      const bool is_full = may_break && x + gap + std::min(run, text_width) > page_width - margin;
      if (!all.back().empty() && (is_full || words[i].before == Before::line)) {
        all.emplace_back();
        x = left();
      } else {
        x += gap;
      }
      all.back().push_back({x, size_of(words[i].font), std::move(words[i])});
      x += widths[i];
    }
    if (!marker_.empty()) all.front().push_back({left() - indent, size(), {marker_, {}, {}}});
    return all;
  }

  std::vector<Piece> lines() {
    std::vector<Piece> pieces;
    for (std::vector<Placed>& line : placed_lines())
      pieces.push_back({leading * size(), [this, line = std::move(line), baseline = 1.05 * size()](double y) {
                          for (const Placed& placed : line) {
                            select(placed.word.font);
                            pages_.paper().text(placed.x, y + baseline, placed.word.text, placed.size, ink);
                          }
                        }});
    return pieces;
  }

  using Picture = std::shared_ptr<cairo_surface_t>;
  // Null: Cairo cannot read it. Equal files are one picture: the PDF holds it once.
  Picture picture_in(const std::string& name) {
    const auto [at, is_new] = by_name_.try_emplace(name);
    if (!is_new) return at->second;
    const std::string bytes = read_file(pictures_.folder / name).value_or("");
    const auto [same, is_other] = by_bytes_.try_emplace(bytes);
    if (is_other) same->second = decoded(bytes);
    return at->second = same->second;
  }
  static Picture decoded(std::string_view bytes) {
    const auto take = [](void* from, unsigned char* to, unsigned count) {
      auto& rest = *static_cast<std::string_view*>(from);
      if (count > rest.size()) return CAIRO_STATUS_READ_ERROR;
      std::ranges::copy(rest.substr(0, count), to);
      rest.remove_prefix(count);
      return CAIRO_STATUS_SUCCESS;
    };
    Picture whole(cairo_image_surface_create_from_png_stream(take, &bytes), cairo_surface_destroy);
    if (cairo_surface_status(whole.get()) != CAIRO_STATUS_SUCCESS) return nullptr;
    const double columns = cairo_image_surface_get_width(whole.get());
    const double rows = cairo_image_surface_get_height(whole.get());
    const double scale = most_pixels / std::max(columns, rows);
    if (scale >= 1) return whole;
    Picture smaller(cairo_image_surface_create(CAIRO_FORMAT_RGB24, std::max(1, static_cast<int>(scale * columns)),
                                               std::max(1, static_cast<int>(scale * rows))),
                    cairo_surface_destroy);
    const PaperContext to(cairo_create(smaller.get()), cairo_destroy);
    cairo_scale(to.get(), cairo_image_surface_get_width(smaller.get()) / columns,
                cairo_image_surface_get_height(smaller.get()) / rows);
    cairo_set_source_surface(to.get(), whole.get(), 0, 0);
    cairo_paint(to.get());
    return smaller;
  }

  struct Drawn {
    double x, height = 0;
    std::function<void(double x, double y)> draw;
    std::string caption;
  };
  Drawn drawn(const Shown& shown, double x, double width) {
    if (const auto found = pictures_.diagrams.find(shown.name); found != pictures_.diagrams.end()) {
      const Diagram& diagram = found->second;
      const double unit = std::min(diagram_unit, width / diagram.width);
      return {.x = x, .height = unit * diagram.height, .draw = [this, unit, &diagram](double left, double y) {
                draw_diagram(diagram, left, y, unit);
              }};
    }
    pages_.paper().plain();
    const Picture picture = picture_in(shown.name);
    if (!picture) return {.x = x, .draw = {}, .caption = "see " + shown.name};
    const double columns = cairo_image_surface_get_width(picture.get());
    const double rows = cairo_image_surface_get_height(picture.get());
    const double scale = std::min({width / columns, most_picture_width / std::max(columns, rows), 1.0});
    return {.x = x,
            .height = scale * rows,
            .draw = [this, picture, scale](double left, double y) { draw_picture(picture.get(), left, y, scale); },
            .caption = shortened(pages_.paper(), shown.caption, width)};
  }

  // At most two pictures side by side, each above its caption.
  std::vector<Piece> row_of(std::span<const Shown> row) {
    std::vector<Drawn> all;
    const auto count = static_cast<double>(row.size());
    const double width = (text_width - picture_gap * (count - 1)) / count;
    double x = margin, height = 0;
    bool has_caption = false;
    for (const Shown& shown : row) {
      all.push_back(drawn(shown, x, width));
      height = std::max(height, all.back().height);
      has_caption |= !all.back().caption.empty();
      x += width + picture_gap;
    }
    height += has_caption ? leading * text_size : picture_gap - paragraph_gap;
    return {{height, [this, all = std::move(all)](double y) {
               for (const Drawn& one : all) {
                 if (one.draw) one.draw(one.x, y);
                 pages_.paper().plain();
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
    paper.plain();
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
  std::map<std::string, Picture> by_name_, by_bytes_;
  std::vector<Word> words_;                     // of the paragraph
  std::vector<Shown> shown_;                    // its pictures
  bool shows_ = false;                          // the words are the caption of the last one
  std::vector<std::optional<unsigned>> lists_;  // around the paragraph: the next number, or nothing
  std::string marker_;                          // of the list's item
  Font font_;
  Before before_ = Before::nothing;  // the next word
  int heading_ = 0, quotes_ = 0;
  bool is_code_ = false;  // in a block of code, where each line stays one
};

}  // namespace

Result<void> write_pdf(const std::string& title, const std::string& text, const HandoutPictures& pictures,
                       const std::filesystem::path& file) {
  const std::string shown_title = readable(title);
  std::string bytes;
  const PaperSurface surface(cairo_pdf_surface_create_for_stream(append_to, &bytes, page_width, page_height),
                             cairo_surface_destroy);
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, shown_title.c_str());
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATOR, "Convoscope");
  {
    const PaperContext context(cairo_create(surface.get()), cairo_destroy);
    Pages pages(surface.get(), context.get(), shown_title);
    Writer writer(pages, pictures);
    parse_markdown(readable(text), writer);
    pages.finish();
    if (const cairo_status_t status = cairo_status(context.get()); status != CAIRO_STATUS_SUCCESS)
      return failure(fmt::format("{}: {}", file.string(), cairo_status_to_string(status)));
  }
  cairo_surface_finish(surface.get());
  if (const cairo_status_t status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
    return failure(fmt::format("{}: {}", file.string(), cairo_status_to_string(status)));
  return write_file(file, bytes);
}

}  // namespace conv
