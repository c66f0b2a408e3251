#include "app/measure/turn.h"

#include <algorithm>
#include <cmath>
#include <thread>

namespace conv {

std::size_t in_turn(int round, std::size_t i, std::size_t count) {
  return round % 2 == 0 ? i : count - 1 - i;
}

int launches_of_turn(float ms) {
  constexpr float turn_ms = 0.5f;
  constexpr int most = 50;
  return std::clamp(static_cast<int>(std::ceil(turn_ms / std::max(ms, 1e-4f))), 1, most);
}

bool SteadyRounds::ended(std::optional<int> mhz) {
  std::optional<int>& before = mhz_[(kept_ + thrown_away_) % 2];
  const bool moved = mhz && before && std::abs(*mhz - *before) > 0.02 * *before;
  before = mhz;
  const bool counts = !moved || thrown_away_ == wanted_;
  ++(counts ? kept_ : thrown_away_);
  return counts;
}

bool wait_while(const std::function<bool()>& holds, std::chrono::milliseconds most, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + most; holds();) {
    if (stop.stop_requested() || Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  return true;
}

}  // namespace conv
