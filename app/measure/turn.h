// The order of turns, for the bench engine and the race, and which rounds of a bench count.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

namespace conv {

// The i-th variant of a round. Every second round is in reverse order, so that no variant always follows the same one.
std::size_t in_turn(int round, std::size_t i, std::size_t count);

// Launches per turn if one takes `ms`: about half a millisecond, because two events measure to within a microsecond; at
// most 50.
int launches_of_turn(float ms);

// Rounds do not count if the GPU's clock differs by more than 2 % from the round before in the same direction, which
// ended with the same work. At most as many rounds are thrown away as are wanted: a GPU whose clock never settles has
// times too.
class SteadyRounds {
 public:
  explicit SteadyRounds(int wanted) : wanted_(wanted) {}
  bool more() const { return kept_ < wanted_; }
  // mhz: the SM clock after the round; nothing: unknown. Returns whether the round counts.
  bool ended(std::optional<int> mhz);
  int thrown_away() const { return thrown_away_; }

 private:
  int wanted_, kept_ = 0, thrown_away_ = 0;
  std::optional<int> mhz_[2];  // after the last two rounds
};

// Waits until the condition is false, which it returns, or for `most`, or until it is stopped. Checks four times a
// second.
bool wait_while(const std::function<bool()>& holds, std::chrono::milliseconds most, const std::stop_token& stop);

}  // namespace conv
