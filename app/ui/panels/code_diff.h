// Two texts line by line, with the lines that only one of them has in the colour of its lane.
#pragma once
#include <memory>
#include <string>

#include "app/ui/window/style.h"

namespace conv {

class CodeDiff {
 public:
  CodeDiff();
  ~CodeDiff();
  CodeDiff(const CodeDiff&) = delete;  // owns the widget

  // Fills the rest of the window: side by side if there is room for it. Neither text is empty. They are compared only
  // when they change, which takes up to 0.15 s for 5000 lines without anything in common. prepared: makes the text that
  // is shown from one of them; null: they are shown as they are.
  void draw(const Look& look, const std::string& a, const std::string& b,
            std::string (*prepared)(const std::string&) = nullptr);

 private:
  struct Widget;
  std::unique_ptr<Widget> widget_;
};

}  // namespace conv
