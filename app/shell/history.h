// Undo and redo. A step is what changed between two moments at which no control and no key was held.
#pragma once
#include <utility>
#include <vector>

#include "app/model/settings.h"

namespace conv {

class History {
 public:
  // The settings that the next step starts from; does not add a step.
  void begin(const Settings& settings) { seen_ = settings; }
  // Called in frames in which nothing is held.
  void observe(Settings now);
  // False if there is no step.
  bool undo(Settings& settings) { return step(undo_, redo_, settings); }
  bool redo(Settings& settings) { return step(redo_, undo_, settings); }
  // Whether there are other steps since the last call.
  bool take_changed() { return std::exchange(changed_, false); }
  // What a step would change, in words; empty if there is none.
  std::string undo_text() const;
  std::string redo_text() const;
  // The source of the last step.
  const SourceSettings& source() const { return seen_.source; }
  // A source could not be opened: the settings have the earlier one again, and there is no step.
  void take_back_source(const Settings& settings);

 private:
  using Steps = std::vector<Settings>;
  bool step(Steps& from, Steps& to, Settings& settings);

  Settings seen_;
  Steps undo_, redo_;
  bool changed_ = false;
};

}  // namespace conv
