// The 14 problematic access patterns of 004, figure 2, as data, and the race automata that look for
// all of them at once: 14 counters of 3 bits in one word.
//
// An automaton looks at the accesses of two units u and u' of different threads to two locations l1
// and l2 of one atomic set. Its state is how many accesses of the pattern it has shared, in order;
// accesses that do not come next change nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace raddle {

inline constexpr int kPatterns = 14;

struct PatternAccess {
  bool other = false;   // of u', else of u
  bool second = false;  // to l2, else to l1
  bool write = false;
};

struct Pattern {
  int number = 0;    // as in 004: 1-14
  const char* text;  // "R(l) W'(l) W(l)"; a prime marks accesses of u'
  int length = 0;    // 3 or 4
  std::array<PatternAccess, 4> accesses{};
  const char* why;  // why it is a problem
  constexpr bool one_location() const { return length == 3; }
};

// By number - 1.
const std::array<Pattern, kPatterns>& patterns();

// What an access is to an automaton, 0-7.
constexpr unsigned symbol_of(PatternAccess access) {
  return unsigned(access.other) << 2 | unsigned(access.second) << 1 | unsigned(access.write);
}

// The states of the 14 automata; 3 bits each, pattern 1 in the lowest.
using AutomataBits = std::uint64_t;

inline constexpr AutomataBits kOneLocation = 0'11111;             // octal; patterns 1-5
inline constexpr AutomataBits kTwoLocations = 0'111111111'00000;  // patterns 6-14

// The automata that are in a state, one bit each, at bit 3 * (number - 1).
constexpr AutomataBits in_state(AutomataBits bits, unsigned state) {
  constexpr AutomataBits kEach = kOneLocation | kTwoLocations;
  const AutomataBits differs = bits ^ (kEach * state);
  return ~(differs | differs >> 1 | differs >> 2) & kEach;
}

// [symbol][state]: the automata that go on from the state by the symbol.
extern const std::array<std::array<AutomataBits, 4>, 8> kAutomataSteps;

inline AutomataBits advance(AutomataBits bits, unsigned symbol) {
  const std::array<AutomataBits, 4>& next = kAutomataSteps[symbol];
  // No automaton is in two states: the sums do not carry.
  return bits + (in_state(bits, 0) & next[0]) + (in_state(bits, 1) & next[1]) +
         (in_state(bits, 2) & next[2]) + (in_state(bits, 3) & next[3]);
}

// Bits at 3 * (number - 1), as in_state() gives them.
constexpr AutomataBits accepted(AutomataBits bits) {
  return (in_state(bits, 3) & kOneLocation) | (in_state(bits, 4) & kTwoLocations);
}

// Whether any automaton of `which` can still reach its end when u, or u', does nothing more.
bool can_end_without_first(AutomataBits bits, AutomataBits which);
bool can_end_without_other(AutomataBits bits, AutomataBits which);

}  // namespace raddle
