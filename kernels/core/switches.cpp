#include "kernels/core/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace conv {

const Switch* find_switch(std::string_view id) {
  for (const Switch& s : switches)
    if (s.id == id) return &s;
  return nullptr;
}

int SwitchValues::operator[](std::string_view id) const {
  const auto found = changed_.find(id);
  return found != changed_.end() ? found->second : find_switch(id)->standard;
}

void SwitchValues::set(std::string_view id, int value) {
  const Switch& which = *find_switch(id);
  value = std::clamp(value, which.low, which.high);
  if (value == which.standard)
    changed_.erase(std::string(id));
  else
    changed_[std::string(id)] = value;
}

std::string value_text(const Switch& which, int value) {
  return which.choices.empty() ? fmt::format("{}", value) : std::string(which.choices[value - which.low]);
}

Result<void> set_from_text(SwitchValues& values, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const Switch* which = find_switch(name);
  if (equals == std::string_view::npos || !which) {
    std::string names;
    for (const Switch& s : switches) names += fmt::format("{}{}", names.empty() ? "" : ", ", s.id);
    return failure(fmt::format("invalid switch \"{}\": expected NAME=VALUE, with one of the names {}", text, names));
  }
  const std::string_view word = text.substr(equals + 1);
  if (!which->choices.empty()) {
    for (const auto words : {which->choices, which->older_choices})
      if (const auto found = std::ranges::find(words, word); found != words.end()) {
        values.set(name, which->low + static_cast<int>(found - words.begin()));
        return {};
      }
    return failure(fmt::format("{} has no {}; use one of {}", name, word, fmt::join(which->choices, ", ")));
  }
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value < which->low || value > which->high)
    return failure(fmt::format("{} is a whole number from {} to {}, not {}", name, which->low, which->high, word));
  values.set(name, value);
  return {};
}

}  // namespace conv
