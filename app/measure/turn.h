// How turns are taken, by the bench engine and the race, and which rounds of the former count.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

namespace conv {

// Who is the i-th of a round. Every other round goes backwards, so that nobody always comes after the same.
std::size_t in_turn(int round, std::size_t i, std::size_t count);

// Launches of a turn where one takes `ms`: about half a millisecond between two events, which tell less to within a
// microsecond; 50 at most.
int launches_of_turn(float ms);

// A round after which the GPU's clock is another one, by more than 2 %, than after the one before it in the same
// direction, which ended with the same work, does not count. No more of them than are wanted are thrown away: a GPU
// that never holds its clock has times too.
class SteadyRounds {
 public:
  explicit SteadyRounds(int wanted) : wanted_(wanted) {}
  bool more() const { return kept_ < wanted_; }
  // mhz: of the SM clock after the round; nothing: unknown. Whether the round counts.
  bool ended(std::optional<int> mhz);
  int thrown_away() const { return thrown_away_; }

 private:
  int wanted_, kept_ = 0, thrown_away_ = 0;
  std::optional<int> mhz_[2];  // after the last two rounds
};

// Until it does not hold any more, which is the result, or for `most`, or until it is stopped; asks four times a
// second.
bool wait_while(const std::function<bool()>& holds, std::chrono::milliseconds most, const std::stop_token& stop);

}  // namespace conv
