// How the solver's time for a query grows with the length of the execution that it is about, and
// what windows lose. The executions are synthetic: four threads in a loop, which take one of 16
// locks and read and write what it guards, look at one of 16 flags that nobody guards, and write it
// now and then. Values repeat: there are three. Prints a table.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "host/explore/causal/prediction.hpp"
#include "protocol/generator.hpp"

namespace raddle {
namespace {

constexpr std::uint16_t kThreads = 4;
constexpr std::uint32_t kMostObjects = 16;
constexpr std::size_t kQueries = 100;
constexpr std::uint32_t kEffort = 5'000'000;

// An execution with what its steps found.
class MadeUp {
 public:
  explicit MadeUp(std::size_t steps)
      : objects_(static_cast<std::uint32_t>(std::clamp<std::size_t>(steps / 50, 1, kMostObjects))) {
    Generator generator(steps);
    for (std::uint16_t t = 0; t < kThreads; ++t) begin_round(t, generator);
    std::uint16_t running = 0;
    while (log_.size() < steps) {
      // Whoever runs may be held up by the lock, and may be preempted.
      if (generator.below(4) == 0) running = static_cast<std::uint16_t>(generator.below(kThreads));
      while (!can_move(running)) running = static_cast<std::uint16_t>((running + 1) % kThreads);
      step(running, generator);
    }
    end_of_step();
    end_of_step();
    explored_.log = log_;
    explored_.pending = pending_;
    explored_.first = first_;
    explored_.values = values_;
    explored_.bytes = bytes_;
    explored_.enabled_at_end = 0;
    first_.back() = static_cast<std::uint32_t>(pending_.size());
    explored_.first = first_;
  }

  const Explored& explored() const { return explored_; }

 private:
  struct Thread {
    std::vector<Pending> round;
    std::size_t at = 0;
  };

  static Pending lock(OpKind op, std::uint16_t t, std::uint32_t object, std::uint64_t site) {
    return {ThreadId{t}, op, StepOutcome::kReady, ObjectId{object}, site, 0};
  }
  static Pending access(bool writes, std::uint16_t t, std::uint64_t variable, std::uint64_t site) {
    return {ThreadId{t},
            writes ? OpKind::memory_write : OpKind::memory_read,
            StepOutcome::kReady,
            kNoObject,
            site,
            touched_bytes(0x10000 + 8 * variable, 4, writes)};
  }

  void begin_round(std::uint16_t t, Generator& generator) {
    const std::uint32_t m = 1 + static_cast<std::uint32_t>(generator.below(objects_));
    const std::uint64_t site = 16 * m;
    threads_[t].round = {lock(OpKind::mutex_lock, t, m, site), access(false, t, m, site + 1),
                         access(true, t, m, site + 2), lock(OpKind::mutex_unlock, t, m, site + 3),
                         access(generator.below(8) == 0, t, kMostObjects + m, site + 4)};
    threads_[t].at = 0;
  }

  bool can_move(std::uint16_t t) const {
    const Pending& p = threads_[t].round[threads_[t].at];
    return p.op != OpKind::mutex_lock || holder_[raw(p.object)] < 0;
  }

  void end_of_step() { first_.push_back(static_cast<std::uint32_t>(pending_.size())); }

  void step(std::uint16_t t, Generator& generator) {
    end_of_step();
    for (std::uint16_t k = 0; k < kThreads; ++k)
      if (can_move(k)) pending_.push_back(threads_[k].round[threads_[k].at]);
    const Pending& p = threads_[t].round[threads_[t].at];
    log_.push_back(record_of(p));
    values_.push_back({static_cast<std::uint32_t>(bytes_.size()), 0});
    if (p.op == OpKind::mutex_lock) holder_[raw(p.object)] = t;
    if (p.op == OpKind::mutex_unlock) holder_[raw(p.object)] = -1;
    if (touched_size(p) > 0) {
      std::uint32_t& value = memory_[touched_address(p) / 8 - 0x10000 / 8];
      values_.back().size = sizeof value;
      add_bytes(value);
      if (may_write(p)) value = static_cast<std::uint32_t>(generator.below(3));
      add_bytes(value);
    }
    if (++threads_[t].at == threads_[t].round.size()) begin_round(t, generator);
  }

  void add_bytes(std::uint32_t value) {
    std::uint8_t raw_bytes[sizeof value];
    std::memcpy(raw_bytes, &value, sizeof value);
    bytes_.insert(bytes_.end(), raw_bytes, raw_bytes + sizeof value);
  }

  std::uint32_t objects_;
  Thread threads_[kThreads];
  std::vector<int> holder_ = std::vector<int>(kMostObjects + 1, -1);
  std::vector<std::uint32_t> memory_ = std::vector<std::uint32_t>(2 * kMostObjects + 1, 0);
  std::vector<StepRecord> log_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> first_;
  std::vector<StepValue> values_;
  std::vector<std::uint8_t> bytes_;
  Explored explored_;
};

struct Measured {
  std::size_t windows = 0;
  std::size_t asked = 0;
  std::size_t found = 0;
  std::uint64_t unknown = 0;
  std::uint64_t solved = 0;  // by the solver
  double seconds = 0;        // of all queries
  double learning = 0;       // of reading the execution and cutting it
};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Orders of three steps that may violate atomicity: a thread's guarded access, one of another
// thread's, and the first one's next; from all over the execution.
std::vector<std::vector<std::uint64_t>> orders(const Explored& execution) {
  std::vector<std::vector<std::uint64_t>> found;
  const std::size_t steps = execution.log.size();
  Generator generator(steps);
  while (found.size() < kQueries) {
    std::size_t at = generator.below(steps);
    std::vector<std::uint64_t> of[2];
    const std::uint16_t first = raw(execution.log[at].thread);
    for (; at < steps && (of[0].size() < 2 || of[1].empty()); ++at) {
      const StepRecord& r = execution.log[at];
      if (r.op != OpKind::memory_read && r.op != OpKind::memory_write) continue;
      std::vector<std::uint64_t>& own = of[raw(r.thread) == first ? 0 : 1];
      if (own.size() < 2) own.push_back(at);
    }
    if (at < steps) found.push_back({of[0][0], of[1][0], of[0][1]});
    if (steps < 40) break;
  }
  return found;
}

Measured measure(const Explored& execution, std::size_t window, bool guesses) {
  Measured m;
  const auto begin = std::chrono::steady_clock::now();
  causal::Rules rules;
  rules.effort = kEffort;
  rules.guesses = guesses;
  Prediction prediction(rules, window);
  if (prediction.learn(execution).kind != CausalProblem::kNone) {
    fmt::print("the execution does not fit the model\n");
    return m;
  }
  m.learning = since(begin);
  m.windows = prediction.windows();
  const auto asking = std::chrono::steady_clock::now();
  for (const std::vector<std::uint64_t>& order : orders(execution)) {
    const PredictionQuery query{PredictionQuery::kProvedOrder, order};
    ++m.asked;
    if (prediction.ask({&query, 1}).front()) ++m.found;
  }
  m.seconds = since(asking);
  m.unknown = prediction.unknown();
  m.solved = prediction.queries();
  return m;
}

void print(std::size_t steps, const char* what, const Measured& m) {
  fmt::print("| {} | {} | {} | {:.2f} | {} | {} | {} | {} | {:.1f} |\n", steps, what, m.windows,
             m.learning, m.asked, m.solved, m.found, m.unknown,
             1000 * m.seconds / static_cast<double>(std::max<std::size_t>(m.asked, 1)));
  std::fflush(stdout);
}

}  // namespace
}  // namespace raddle

int main() {
  using raddle::MadeUp;
  fmt::print(
      "| events | | windows | s to learn | queries | of them for the solver | witnesses | unknown "
      "| ms each |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
  for (const std::size_t steps : {100UL, 1000UL, 10'000UL, 100'000UL}) {
    const MadeUp execution(steps);
    const auto print = [&](const char* what, std::size_t window, bool guesses) {
      raddle::print(steps, what, raddle::measure(execution.explored(), window, guesses));
    };
    print("windows", raddle::Prediction::kWindow, true);
    print("windows, solver alone", raddle::Prediction::kWindow, false);
    if (steps <= 10'000) print("whole", 0, true);
  }
  return 0;
}
