// Algorithm 1 (SimpleFuzzer) of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs": at every state a transition picked uniformly from the enabled ones.
//
// Deviation: a transition is a synchronisation operation together with the code up to the next one,
// as in section 4 of the paper, not a single statement.
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
  // The number was drawn when the last one was used: everything waits for a choice, and nothing for
  // the number after it.
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
