// Algorithm 1 (SimpleFuzzer) of Park and Sen, "Randomized Active Atomicity Violation Detection in
// Concurrent Programs": at every state a transition picked uniformly from the enabled ones.
//
// Deviation: a transition is a synchronisation operation together with the code up to the next one,
// as in section 4 of the paper, not a single statement.
#include <new>

#include "runtime/strategy/generator.hpp"
#include "runtime/strategy/table.hpp"

namespace raddle {
namespace {

class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::size_t choose(const View& view) override {
    return view.enabled.size() == 1 ? 0 : generator_.below(view.enabled.size());
  }

  std::uint32_t choose_value(ThreadId, std::uint32_t count) override {
    return static_cast<std::uint32_t>(generator_.below(count));
  }

 private:
  Generator generator_;
};

}  // namespace

Strategy* make_random(const Plan& plan, Allocate allocate) {
  return new (allocate(sizeof(Random))) Random(plan.seed);
}

}  // namespace raddle
