#include "host/campaign/minimize/shrink.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace raddle {
namespace {

using Turns = std::vector<Turn>;

std::uint64_t hash_of(const Turns& turns) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const Turn& turn : turns) {
    for (const std::uint64_t part : {std::uint64_t{raw(turn.thread)}, turn.until}) {
      hash = (hash ^ part) * 0x100000001b3ULL;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

std::ptrdiff_t signed_of(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }

class Shrinker {
 public:
  Shrinker(Attempted first, const ShrinkControl& control) : control_(control) {
    result_.best = std::move(first);
    tried_.insert(hash_of(turns()));
  }

  Shrunk run() {
    // Nothing at all first: many failures need no switch that the program would not make by itself.
    offer({});
    for (bool better = true; better && !over_;) {
      better = take_out();
      better = run_on() || better;
      better = go_first() || better;
      // What costs more attempts, when nothing else helps.
      better = better || take_out_two() || go_anywhere() || end_elsewhere() || from_scratch();
    }
    result_.complete = !over_;
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kFew = 24;  // pairs of them can all be tried
  static constexpr std::uint64_t kFewSteps = 300;
  static constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

  const Turns& turns() const { return result_.best.schedule.turns; }

  // True if this is smaller and does it, too; then it is the best.
  bool offer(Turns turns) {
    over_ = over_ || control_.over();
    if (over_ || !tried_.insert(hash_of(turns)).second) return false;
    ++result_.attempts;
    std::optional<Attempted> attempted =
        control_.attempt({std::move(turns), result_.best.schedule.values});
    if (!attempted || attempted->cost >= result_.best.cost || !control_.accept(*attempted)) {
      return false;
    }
    result_.best = std::move(*attempted);
    tried_.insert(hash_of(this->turns()));
    return true;
  }

  bool without(std::size_t at, std::size_t count) {
    Turns fewer = turns();
    fewer.erase(fewer.begin() + signed_of(at), fewer.begin() + signed_of(at + count));
    return offer(std::move(fewer));
  }

  // From the end, where what was done in vain has its steps: after a success the turns before it
  // are mostly the same.
  bool take_out() {
    bool better = false;
    for (std::size_t count = turns().size() / 2; count > 0 && !over_; count /= 2) {
      for (std::size_t end = turns().size(); end > 0 && !over_;) {
        const std::size_t at = end > count ? end - count : 0;
        if (without(at, end - at)) {
          better = true;
          end = std::min(at + count, turns().size());
        } else {
          end = at;
        }
      }
    }
    return better;
  }

  // Turn `at` runs on to the end of a later one of its thread; those between are of no use then.
  bool extended(std::size_t at, bool to_last) {
    const Turn turn = turns()[at];
    Turns fewer = turns();
    std::uint64_t until = 0;
    for (std::size_t i = at + 1; i < fewer.size() && (until == 0 || to_last);) {
      if (fewer[i].thread == turn.thread) {
        until = fewer[i].until;
        fewer.erase(fewer.begin() + signed_of(i));
      } else {
        ++i;
      }
    }
    if (until == 0) return false;
    fewer[at].until = until;
    return offer(std::move(fewer));
  }

  bool run_on() {
    bool better = false;
    for (std::size_t at = 0; at < turns().size() && !over_;) {
      if (extended(at, true) || (at < turns().size() && extended(at, false))) {
        better = true;
      } else {
        ++at;
      }
    }
    return better;
  }

  bool go_first() {
    bool better = false;
    for (std::size_t at = 1; at < turns().size() && !over_; ++at) {
      Turns other = turns();
      std::swap(other[at - 1], other[at]);
      better = offer(std::move(other)) || better;
    }
    return better;
  }

  // Until the first success: single moves help again then.
  bool go_anywhere() {
    if (turns().size() > kFew) return false;
    for (std::size_t from = 0; from < turns().size() && !over_; ++from) {
      for (std::size_t to = 0; to < turns().size() && !over_; ++to) {
        Turns other = turns();
        const Turn turn = other[from];
        other.erase(other.begin() + signed_of(from));
        other.insert(other.begin() + signed_of(to), turn);
        if (offer(std::move(other))) return true;
      }
    }
    return false;
  }

  bool take_out_two() {
    if (turns().size() > kFew) return false;
    for (std::size_t second = 1; second < turns().size() && !over_; ++second) {
      for (std::size_t first = 0; first < second && !over_; ++first) {
        Turns fewer = turns();
        fewer.erase(fewer.begin() + signed_of(second));
        fewer.erase(fewer.begin() + signed_of(first));
        if (offer(std::move(fewer))) return true;
      }
    }
    return false;
  }

  // A turn ends at another step.
  bool end_elsewhere() {
    if (turns().size() > kFew || result_.best.cost.steps > kFewSteps) return false;
    for (std::size_t at = 0; at < turns().size() && !over_; ++at) {
      const Turn turn = turns()[at];
      std::uint64_t begin = 0;
      std::uint64_t end = turn.until;
      for (std::size_t i = 0; i < turns().size(); ++i) {
        if (turns()[i].thread != turn.thread) continue;
        if (i < at) begin = turns()[i].until;
        end = turns()[i].until;
      }
      for (std::uint64_t until = begin + 1; until < end && !over_; ++until) {
        Turns other = turns();
        other[at].until = until;
        if (offer(std::move(other))) return true;
      }
    }
    return false;
  }

  // One or two preemptions, wherever they may be: what small steps from here may never come to.
  bool from_scratch() {
    if (result_.best.cost.preemptions < 2 || result_.best.cost.steps > kFewSteps) return false;
    std::map<ThreadId, std::uint64_t> steps;
    for (const Turn& turn : turns()) steps[turn.thread] = turn.until;
    const Turn before = {turns().front().thread, kToTheEnd};  // who creates the others
    for (const auto& [a, of_a] : steps) {
      for (const auto& [b, of_b] : steps) {
        for (std::uint64_t i = 1; a != b && i <= of_a && !over_; ++i) {
          const Turn first = {a, i};
          if (offer({before, first, {b, kToTheEnd}})) return true;
          for (std::uint64_t j = 1; result_.best.cost.preemptions > 2 && j <= of_b && !over_; ++j) {
            if (offer({before, first, {b, j}, {a, kToTheEnd}})) return true;
          }
        }
      }
    }
    return false;
  }

  const ShrinkControl& control_;
  Shrunk result_;
  std::unordered_set<std::uint64_t> tried_;
  bool over_ = false;
};

}  // namespace

Shrunk shrink(Attempted first, const ShrinkControl& control) {
  return Shrinker(std::move(first), control).run();
}

}  // namespace raddle
