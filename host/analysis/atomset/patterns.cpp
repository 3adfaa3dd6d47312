#include "host/analysis/atomset/patterns.hpp"

namespace raddle {
namespace {

constexpr PatternAccess R1{false, false, false}, W1{false, false, true}, W2{false, true, true},
    R2{false, true, false}, r1{true, false, false}, w1{true, false, true}, r2{true, true, false},
    w2{true, true, true};  // small letters: of u'

constexpr const char* kMixedWrite =
    "The two locations belong together, and each ends up with the value of another unit: memory is "
    "left in a state that neither unit made.";
constexpr const char* kTornRead =
    "The unit that reads sees one location from before the other unit's update and one from after "
    "it: a state that never existed for the unit that writes.";

constexpr std::array<Pattern, kPatterns> kTable{{
    {1,
     "R(l) W'(l) W(l)",
     3,
     {R1, w1, W1, {}},
     "The value that the unit read is stale when it writes: what it writes was computed from "
     "something that is no longer there, and unless it looks again, the other unit's update is "
     "lost."},
    {2,
     "R(l) W'(l) R(l)",
     3,
     {R1, w1, R1, {}},
     "Two reads of the same location within one unit give different values: what the unit found "
     "out by the first one no longer holds."},
    {3,
     "W(l) R'(l) W(l)",
     3,
     {W1, r1, W1, {}},
     "The other unit saw a value in the middle of this unit, which this unit was going to replace: "
     "an intermediate state was observed."},
    {4,
     "W(l) W'(l) R(l)",
     3,
     {W1, w1, R1, {}},
     "The unit reads something else than it wrote last itself: another unit's write came in "
     "between."},
    {5,
     "W(l) W'(l) W(l)",
     3,
     {W1, w1, W1, {}},
     "The value that the other unit wrote is lost: it was written between two writes of this unit, "
     "which knew nothing of it."},
    {6, "W(l1) W'(l1) W'(l2) W(l2)", 4, {W1, w1, w2, W2}, kMixedWrite},
    {7, "W(l1) W'(l2) W'(l1) W(l2)", 4, {W1, w2, w1, W2}, kMixedWrite},
    {8, "W(l1) W'(l2) W(l2) W'(l1)", 4, {W1, w2, W2, w1}, kMixedWrite},
    {9, "W(l1) R'(l1) R'(l2) W(l2)", 4, {W1, r1, r2, W2}, kTornRead},
    {10, "W(l1) R'(l2) R'(l1) W(l2)", 4, {W1, r2, r1, W2}, kTornRead},
    {11, "R(l1) W'(l1) W'(l2) R(l2)", 4, {R1, w1, w2, R2}, kTornRead},
    {12, "R(l1) W'(l2) W'(l1) R(l2)", 4, {R1, w2, w1, R2}, kTornRead},
    {13, "R(l1) W'(l2) R(l2) W'(l1)", 4, {R1, w2, R2, w1}, kTornRead},
    {14, "W(l1) R'(l2) W(l2) R'(l1)", 4, {W1, r2, W2, r1}, kTornRead},
}};

constexpr auto kNext = [] {
  std::array<std::array<AutomataBits, 4>, 8> next{};
  for (const Pattern& pattern : kTable)
    for (int i = 0; i < pattern.length; ++i)
      next[symbol_of(pattern.accesses[std::size_t(i)])][std::size_t(i)] |=
          AutomataBits{1} << (3 * (pattern.number - 1));
  return next;
}();

// The automata whose remaining accesses, from a state on, are all of u' (or all of u).
constexpr std::array<AutomataBits, 4> remaining(bool other) {
  std::array<AutomataBits, 4> only{};
  for (const Pattern& pattern : kTable)
    for (int state = 0; state < pattern.length; ++state) {
      bool all = true;
      for (int i = state; i < pattern.length; ++i)
        all = all && pattern.accesses[std::size_t(i)].other == other;
      if (all) only[std::size_t(state)] |= AutomataBits{1} << (3 * (pattern.number - 1));
    }
  return only;
}
constexpr auto kOnlyOther = remaining(true);
constexpr auto kOnlyFirst = remaining(false);

bool any_in(AutomataBits bits, const std::array<AutomataBits, 4>& wanted, AutomataBits which) {
  AutomataBits found = 0;
  for (unsigned state = 0; state < 4; ++state) found |= in_state(bits, state) & wanted[state];
  return (found & which) != 0;
}

}  // namespace

const std::array<Pattern, kPatterns>& patterns() { return kTable; }

const std::array<std::array<AutomataBits, 4>, 8> kAutomataSteps = kNext;

bool can_end_without_first(AutomataBits bits, AutomataBits which) {
  return any_in(bits, kOnlyOther, which);
}
bool can_end_without_other(AutomataBits bits, AutomataBits which) {
  return any_in(bits, kOnlyFirst, which);
}

}  // namespace raddle
