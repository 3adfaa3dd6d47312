// SimpleFuzzer: Algorithm 1 of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs" (2008). In every state it picks one of the enabled transitions, all with the
// same probability.
//
// Deviation: a transition is not a single statement. It is a synchronisation operation and the code
// up to the next one, as in section 4 of the paper.
#pragma once

#include "protocol/generator.hpp"
#include "target/strategy/strategy.hpp"

namespace raddle {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) { ahead_ = generator_.next(); }

  // choose() for so many enabled threads: who they are does not matter.
  std::size_t choose_of(std::size_t enabled) { return enabled == 1 ? 0 : below(enabled); }

  std::size_t choose(const View& view) override { return choose_of(view.enabled.size()); }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(below(count));
  }

  Random* as_random() override { return this; }

 private:
  // Uses the number that is ready, then draws the next one. The whole program waits for a choice,
  // but nothing waits for the number after it, so drawing costs no latency.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t number = scale_below(ahead_, bound);
    ahead_ = generator_.next();
    return number;
  }

  Generator generator_;
  std::uint64_t ahead_;
};

}  // namespace raddle
