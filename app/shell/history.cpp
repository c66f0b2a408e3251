#include "app/shell/history.h"

#include "app/model/settings_file.h"

namespace conv {

namespace {

constexpr std::size_t max_steps = 200;

}  // namespace

void History::observe(Settings now) {
  if (now == seen_) return;
  undo_.push_back(seen_);
  if (undo_.size() > max_steps) undo_.erase(undo_.begin());
  redo_.clear();
  seen_ = std::move(now);
  changed_ = true;
}

bool History::step(Steps& from, Steps& to, Settings& settings) {
  if (from.empty()) return false;
  to.push_back(settings);
  settings = seen_ = from.back();
  from.pop_back();
  return changed_ = true;
}

std::string History::undo_text() const {
  return undo_.empty() ? "" : change_text(undo_.back(), seen_);
}
std::string History::redo_text() const {
  return redo_.empty() ? "" : change_text(seen_, redo_.back());
}

void History::take_back_source(const Settings& settings) {
  seen_.source = settings.source;
  while (!undo_.empty() && undo_.back() == settings) undo_.pop_back();
  changed_ = true;
}

}  // namespace conv
