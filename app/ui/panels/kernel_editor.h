// An editor for the text of a kernel, with marks at lines.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/window/style.h"

namespace conv {

struct LineMark {
  int line;  // from 1
  std::string text;
};

// What a compiler or a check says of a file: with "line 16: ..." in place of its name, and the lines that it names.
std::string without_file(std::string text, std::string_view file);
// Where the system has no sandbox for kernels: a button with which the user agrees to run them without one. Returns
// whether it was pressed.
bool agree_to_no_sandbox();
std::vector<LineMark> marks_of(const std::string& text, std::string_view file);

class KernelEditor {
 public:
  KernelEditor();
  ~KernelEditor();
  KernelEditor(const KernelEditor&) = delete;  // owns the widget

  // Forgets what can be undone.
  void set_text(const std::string& text);
  // As one change, which can be undone.
  void replace_text(const std::string& text);
  std::string text() const;
  void set_marks(std::span<const LineMark> marks, const Look& look);

  // Fills the rest of the window. Returns whether the text has changed since the last time.
  bool draw(const Look& look);
  // The keyboard belongs to it.
  bool focused() const { return focused_; }
  void focus();

 private:
  struct Widget;
  std::unique_ptr<Widget> widget_;
  bool focused_ = false;
};

}  // namespace conv
