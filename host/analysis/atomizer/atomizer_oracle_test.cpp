// The Atomizer against its definition: every block's operations are written down with their mover
// types, and the reduction automaton runs over the list. How accesses move is worked out from the
// whole past each time, as the detector does; how all else moves, from the whole execution
// (testing/reduction_oracle.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "host/analysis/atomizer/atomizer.hpp"
#include "host/analysis/atomizer/testing/reduction_oracle.hpp"
#include "host/analysis/pipeline/pipeline.hpp"
#include "host/analysis/shadow/extent.hpp"
#include "host/analysis/testing/order_oracle.hpp"
#include "host/analysis/testing/random_execution.hpp"
#include "host/analysis/testing/random_trace.hpp"

namespace raddle {
namespace {

using Set = std::set<std::uint64_t>;

class Oracle {
 public:
  Oracle(const TestTrace& trace, bool refine)
      : trace_(trace),
        reduction_(trace.events, [](std::size_t) { return Mover::kBoth; }),
        events_(reduction_.events()),
        order_(events_, false),
        order_of_atomics_(events_, false, false),
        refine_(refine) {
    for (std::size_t i = 0; i < events_.size(); ++i) step(i);
    for (auto& [id, thread] : threads_)
      ended_.insert(ended_.end(), thread.open.begin(), thread.open.end());
    for (const Block& block : ended_)
      if (abandoned.count(block.number) == 0 && !reducible(block))
        violated.emplace(block.number, block.place);
  }
  using Place = std::pair<SiteId, SiteId>;
  std::map<std::uint64_t, Place> violated;  // by the block's number
  std::map<std::uint64_t, Place> places;    // of all
  std::set<std::uint64_t> abandoned;

 private:
  struct Block {
    std::uint64_t number;
    char source;        // 'a'nnotated, 'A'tomic function, 'l'ock, 'f'unction, 'u'nit
    std::uint64_t key;  // lock; depth of the stack
    std::size_t begin;
    std::pair<SiteId, SiteId> place;
    std::vector<std::pair<std::size_t, Mover>> operations;
  };
  struct Thread {
    std::vector<Block> open;
    std::uint64_t depth = 0;
    std::vector<SiteId> functions;
    std::size_t outermost_begin = 0;
    // 000, 5.4: since it began its entry function, but for accesses and scopes, it has done
    // nothing; the region that began so, and ended just now.
    bool nothing_yet = false;
    std::optional<std::uint64_t> first, spans, spanned;
    int outermost_calls = 0;
  };

  static bool is_write(const Event& e) {
    return e.kind == EventKind::write || e.kind == EventKind::atomic_store ||
           e.kind == EventKind::atomic_update ||
           (e.kind == EventKind::atomic_compare && (e.flags & kSuccess) != 0);
  }
  static bool is_variable_access(const Event& e) {
    return is_access(e.kind) || (is_atomic(e.kind) && e.kind != EventKind::fence);
  }

  static bool is_semaphore(const Event& e) {
    return (e.kind == EventKind::signal || e.kind == EventKind::await) &&
           (e.flags & kSemaphore) != 0;
  }

  // Held by the thread of event i before it; only those held exclusively, if asked for. And since
  // which event.
  std::map<std::uint64_t, std::size_t> held(std::size_t i, bool exclusive) const {
    std::map<std::uint64_t, std::size_t> locks;
    for (std::size_t k = 0; k < i; ++k) {
      const Event& e = events_[k];
      if (is_semaphore(e)) locks.erase(e.object);
      if (e.thread != events_[i].thread) continue;
      if (e.kind == EventKind::acquire && e.value == 1 && !(exclusive && (e.flags & kShared) != 0))
        locks[e.object] = k;
      if (e.kind == EventKind::release && e.value == 0) locks.erase(e.object);
    }
    return locks;
  }
  static void intersect(std::optional<Set>& set, const std::map<std::uint64_t, std::size_t>& held) {
    if (!set) {
      set.emplace();
      for (const auto& [lock, since] : held) set->insert(lock);
    } else {
      std::erase_if(*set, [&](std::uint64_t lock) { return held.count(lock) == 0; });
    }
  }

  // Those of the uses that count at event i: since the last one that came after all others, by
  // another thread than some of them.
  void use(std::vector<std::size_t>& uses, std::size_t i, const OrderOracle& order) const {
    const bool knows_all = std::all_of(uses.begin(), uses.end(),
                                       [&](std::size_t use) { return order.before(use, i); });
    const bool others = std::any_of(uses.begin(), uses.end(), [&](std::size_t use) {
      return events_[use].thread != events_[i].thread;
    });
    if (knows_all && others) uses.clear();
    uses.push_back(i);
  }

  struct Protection {
    std::vector<std::size_t> accesses;  // since it was handed over
    bool modified = false;
    bool commuting = true;
    std::optional<Set> all, writes;  // none: all locks
    bool unprotected() const { return modified && all && all->empty() && !commuting; }
  };
  // Of a variable after all its accesses before `end`. Plain data and atomics are different things.
  Protection protection(const Event& access, std::size_t end) const {
    Protection result;
    for (std::size_t i = 0; i < end; ++i) {
      const Event& e = events_[i];
      if (is_variable_access(e) && e.object == access.object &&
          is_access(e.kind) == is_access(access.kind))
        use(result.accesses, i, is_access(e.kind) ? order_ : order_of_atomics_);
    }
    bool shared = false;
    for (std::size_t i : result.accesses) {
      shared = shared || events_[i].thread != events_[result.accesses.front()].thread;
      if (!shared) continue;
      const bool write = is_write(events_[i]);
      intersect(result.all, held(i, write));
      if (write) intersect(result.writes, held(i, true));
      result.modified = result.modified || write;
      result.commuting = result.commuting && counts_by_one(events_[i]);
    }
    return result;
  }

  bool racy(std::size_t access, std::size_t now) const {
    const Protection known = protection(events_[access], now + 1);
    if (!known.unprotected()) return false;
    if (is_write(events_[access])) return true;
    const auto locks = held(access, false);
    return std::none_of(known.writes->begin(), known.writes->end(),
                        [&](std::uint64_t lock) { return locks.count(lock) != 0; });
  }

  // Fork and join count for what somebody declared.
  Mover mover(std::size_t i, const Block& block) const {
    const Event& e = events_[i];
    if (is_variable_access(e)) return racy(i, i) ? Mover::kNone : Mover::kBoth;
    const bool declared = block.source == 'a' || block.source == 'A' || block.source == 'u';
    if ((e.kind == EventKind::fork || e.kind == EventKind::join) && !declared) return Mover::kBoth;
    if (!refine_ && e.kind == EventKind::acquire && e.value == 1) return Mover::kRight;
    if (!refine_ && e.kind == EventKind::release && e.value == 0) return Mover::kLeft;
    return reduction_.mover(i);
  }

  // Accesses before i that turn out racy because of i, in blocks that are open: of each thread the
  // first and the last to that variable, since it has been in a block.
  void turn_out(std::size_t i) {
    const Event& access_now = events_[i];
    const Protection before = protection(access_now, i), now = protection(access_now, i + 1);
    if (!now.unprotected() || (before.unprotected() && before.writes == now.writes)) return;
    for (auto& [id, thread] : threads_) {
      if (thread.open.empty()) continue;
      std::vector<std::size_t> touched;
      for (std::size_t k = thread.outermost_begin; k < i; ++k)
        if (raw(events_[k].thread) == id && is_variable_access(events_[k]) &&
            std::count(now.accesses.begin(), now.accesses.end(), k) != 0 && !racy(k, k))
          touched.push_back(k);
      if (touched.empty()) continue;
      for (std::size_t access : {touched.front(), touched.back()}) {
        if (!racy(access, i)) continue;
        for (Block& block : thread.open)
          for (auto& [event, type] : block.operations)
            if (event == access) type = Mover::kNone;
      }
    }
  }

  static bool reducible(const Block& block) {
    bool committed = false;
    for (const auto& [event, type] : block.operations) {
      if (committed && (type == Mover::kRight || type == Mover::kNone)) return false;
      committed = committed || type == Mover::kLeft || type == Mover::kNone;
    }
    return true;
  }

  void abandon(Thread& thread, const auto& which) {
    for (const Block& block : thread.open)
      if (which(block)) abandoned.insert(block.number);
    std::erase_if(thread.open, which);
  }

  void end(Thread& thread, char source, std::uint64_t key) {
    for (std::size_t k = thread.open.size(); k-- > 0;) {
      if (thread.open[k].source != source || thread.open[k].key != key) continue;
      ended_.push_back(thread.open[k]);
      thread.open.erase(thread.open.begin() + static_cast<std::ptrdiff_t>(k));
      return;
    }
  }

  void begin(Thread& thread, char source, std::uint64_t key, std::size_t i) {
    if (thread.open.empty()) thread.outermost_begin = i;
    const SiteId function = thread.functions.empty() ? kNoSite : thread.functions.back();
    places[number_] = {function, events_[i].site};
    thread.open.push_back({number_++, source, key, i, {function, events_[i].site}, {}});
  }

  void follow_entry(Thread& self, const Event& e) {
    const bool scope = e.kind == EventKind::block_enter || e.kind == EventKind::block_exit ||
                       e.kind == EventKind::unit_enter || e.kind == EventKind::unit_exit;
    if (is_access(e.kind) || scope) return;
    // A thread has one entry function; where it calls several, they are called by one that the
    // compiler inlined. What runs in the first thread is called by the C library.
    const bool may_be_inlined = e.thread != kMainThread;
    if (e.kind == EventKind::enter && self.depth == 0) {
      self.nothing_yet = false;
      self.first = self.spans = std::nullopt;
      if (++self.outermost_calls > 1 && may_be_inlined) return;
      abandon(self, [](const Block& block) { return block.source == 'l'; });
      self.nothing_yet = true;
      return;
    }
    if (e.kind == EventKind::exit && self.depth == 1) {
      if (self.spans && !may_be_inlined) abandoned.insert(*self.spans);
      if (self.outermost_calls == 1) self.spanned = self.spans;
      self.nothing_yet = false;
      self.first = self.spans = std::nullopt;
      return;
    }
    if (e.kind == EventKind::thread_end) {
      if (!self.spans && self.outermost_calls == 1) self.spans = self.spanned;
      if (self.spans) abandoned.insert(*self.spans);
      self.nothing_yet = false;
      self.first = self.spans = std::nullopt;
      return;
    }
    if (e.kind == EventKind::exit && self.depth == 2) return;  // back in the entry function
    self.spans = std::nullopt;
    if (e.kind == EventKind::release && e.value == 0)
      for (const Block& block : self.open)
        if (block.source == 'l' && block.key == e.object && self.first == block.number)
          self.spans = block.number;
    if (e.kind != EventKind::acquire) self.nothing_yet = false;
  }

  void step(std::size_t i) {
    const Event& e = events_[i];
    Thread& self = threads_[raw(e.thread)];
    follow_entry(self, e);
    if (e.kind == EventKind::block_exit) end(self, 'a', 0);
    if (e.kind == EventKind::unit_exit) end(self, 'u', 0);
    if (e.kind == EventKind::exit) {
      end(self, 'f', self.depth);
      end(self, 'A', self.depth);
      --self.depth;
      self.functions.pop_back();
    }
    if (e.kind == EventKind::release && e.value == 0) end(self, 'l', e.object);
    if (e.kind == EventKind::thread_end) {
      ended_.insert(ended_.end(), self.open.rbegin(), self.open.rend());
      self.open.clear();
    }
    if (e.kind == EventKind::wait) {
      const std::size_t since = held(i, false).at(e.value);
      abandon(self, [&](const Block& block) {
        return (block.source == 'l' && block.key == e.value) ||
               ((block.source == 'f' || block.source == 'u') && since > block.begin);
      });
    }
    if (is_semaphore(e))
      for (auto& [id, thread] : threads_)
        abandon(thread,
                [&](const Block& block) { return block.source == 'l' && block.key == e.object; });

    if (is_variable_access(e)) turn_out(i);
    for (Block& block : self.open) block.operations.emplace_back(i, mover(i, block));

    if (e.kind == EventKind::block_enter) begin(self, 'a', 0, i);
    if (e.kind == EventKind::unit_enter) begin(self, 'u', 0, i);
    if (e.kind == EventKind::enter) {
      ++self.depth;
      self.functions.push_back(e.site);
      const std::uint8_t flags = trace_.sites[raw(e.site) - 1].flags;
      if ((flags & kSiteAtomic) != 0)
        begin(self, 'A', self.depth, i);
      else if ((flags & kSiteUnit) != 0 && self.depth > 1)
        begin(self, 'f', self.depth, i);
    }
    if (e.kind == EventKind::acquire && e.value == 1 && (e.flags & kByWait) == 0) {
      if (std::exchange(self.nothing_yet, false) && self.depth == 1) self.first = number_;
      begin(self, 'l', e.object, i);
    }
  }

  const TestTrace& trace_;
  ReductionOracle reduction_;
  const std::vector<Event>& events_;
  OrderOracle order_;             // without locks
  OrderOracle order_of_atomics_;  // ... and without atomics
  bool refine_;
  std::map<std::uint16_t, Thread> threads_;
  std::vector<Block> ended_;
  std::uint64_t number_ = 0;
};

void compare_many(const RandomExecution& shape, bool refine) {
  std::uint64_t violating = 0;
  const auto traces = static_cast<std::uint64_t>(oracle_traces());
  for (std::uint64_t seed = 1; seed <= traces && !testing::Test::HasFailure(); ++seed) {
    const TestTrace trace = random_execution(seed, shape);
    AnalysisOptions options;
    options.atomic = {true, true, true};
    options.refine_locks = refine;
    Pipeline pipeline{options};
    auto detector = std::make_unique<Atomizer>(pipeline.state(), options);
    std::vector<Atomizer::Violation> violations;
    detector->all_violations = &violations;
    pipeline.add(std::move(detector));
    trace.feed(pipeline);

    const Oracle oracle(trace, refine);
    std::set<std::uint64_t> found;
    std::set<Oracle::Place> places;
    for (const Atomizer::Violation& violation : violations) {
      EXPECT_LT(violation.committed, violation.violated);
      // It was not known yet that it is none.
      if (oracle.abandoned.count(violation.block) != 0) continue;
      EXPECT_TRUE(found.insert(violation.block).second)
          << "seed " << seed << ": a block is reported twice";
      EXPECT_EQ(oracle.violated.count(violation.block), 1U)
          << "seed " << seed << ": block " << violation.block << " is reducible\n"
          << describe(trace);
      places.insert(oracle.places.at(violation.block));
    }
    // Of blocks that do the same one is enough.
    for (const auto& [block, place] : oracle.violated)
      EXPECT_TRUE(shape.own_sites ? found.count(block) : places.count(place))
          << "seed " << seed << ": block " << block << " is not reducible\n"
          << describe(trace);
    violating += found.empty() ? 0 : 1;
  }
  EXPECT_GT(violating, traces / 50);
  EXPECT_LT(violating, traces - traces / 50);
}

RandomExecution shape() {
  RandomExecution shape;
  shape.atomics = shape.waits = shape.blocks = true;
  shape.order = false;
  return shape;
}

TEST(AtomizerOracle, WithRefinements) { compare_many(shape(), true); }

TEST(AtomizerOracle, WithoutRefinements) { compare_many(shape(), false); }

TEST(AtomizerOracle, FewVariablesManyEvents) {
  RandomExecution many = shape();
  many.variables = 2;
  many.locks = 2;
  many.events = 60;
  compare_many(many, true);
}

TEST(AtomizerOracle, ShortThreads) {
  RandomExecution many = shape();
  many.brief = true;
  many.threads = 8;
  many.events = 50;
  compare_many(many, true);
}

TEST(AtomizerOracle, EachBlockByItself) {
  RandomExecution many = shape();
  many.own_sites = true;
  many.events = 50;
  compare_many(many, true);
}

TEST(AtomizerOracle, Semaphores) {
  RandomExecution many = shape();
  many.semaphores = many.own_sites = true;
  many.variables = 1;
  many.events = 60;
  compare_many(many, true);
}

TEST(AtomizerOracle, LocksAndBlocks) {
  RandomExecution many = shape();
  many.locks = 2;
  many.variables = 1;
  many.events = 60;
  compare_many(many, true);
}

}  // namespace
}  // namespace raddle
