// SimpleFuzzer: Algorithm 1 of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs" (2008). In every state it picks one of the enabled transitions, all with the
// same probability.
//
// Deviation: a transition is not a single statement. It is a synchronisation operation and the code
// up to the next one, as in section 4 of the paper.
#include <new>

#include "protocol/generator.hpp"
#include "target/strategy/table.hpp"

namespace raddle {
namespace {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) { ahead_ = generator_.next(); }

  std::size_t choose(const View& view) override {
    return view.enabled.size() == 1 ? 0 : below(view.enabled.size());
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(below(count));
  }

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

}  // namespace

Strategy* make_random(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Random))) Random(plan.seed);
}

}  // namespace raddle
