// How turns are taken and which rounds of them count, for the bench engine and the race alike.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

// Who is the i-th of a round. Every other round goes backwards, so that nobody always comes after the same.
std::size_t in_turn(int round, std::size_t i, std::size_t count);

// Launches of a turn where one takes `ms`: about half a millisecond between two events, which tell less to within a
// microsecond; 50 at most.
int launches_of_turn(float ms);

// A round in which the GPU's clock moved by more than 2 % does not count. No more of them than are wanted are thrown
// away: a GPU that never holds its clock has times too.
class SteadyRounds {
 public:
  // mhz: of the SM clock before the first round; nothing: unknown.
  SteadyRounds(int wanted, std::optional<int> mhz) : wanted_(wanted), mhz_(mhz) {}
  bool more() const { return kept_ < wanted_; }
  // mhz: after the round. Whether it counts.
  bool ended(std::optional<int> mhz);
  int thrown_away() const { return thrown_away_; }

 private:
  int wanted_, kept_ = 0, thrown_away_ = 0;
  std::optional<int> mhz_;
};

// Returns when it does not hold any more, after `most`, or when it is stopped; asks four times a second.
void wait_while(const std::function<bool()>& holds, std::chrono::milliseconds most, const std::stop_token& stop);
