#include "host/campaign/harm/harm.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "host/analysis/pipeline/pipeline.hpp"
#include "host/base/printable.hpp"
#include "host/campaign/confirm/confirm.hpp"
#include "host/campaign/harm/left_values.hpp"
#include "host/campaign/harm/observed_run.hpp"
#include "host/campaign/harm/unit_order.hpp"
#include "host/process/outcome.hpp"
#include "host/process/strict_replay.hpp"

namespace raddle {
namespace {

constexpr int kMostTries = 4;  // for one order; each one knows better where the units end

// An execution and what was seen in it.
struct Observed {
  Execution execution;
  std::unique_ptr<Pipeline> pipeline;
  const ObservedRun* run = nullptr;
  StepCounts counts{{}};
};

class HarmCheck {
 public:
  HarmCheck(Worker& worker, const Finding& finding, const Execution& execution,
            const RunOptions& options)
      : worker_(worker), finding_(finding), execution_(execution), options_(options) {}

  Result<HarmChecked> run() {
    if (finding_.units.size() < 2) return none("it has no second unit");
    Result<Observed> original = observe_original();
    if (!original) return Error{original.error()};
    if (original->execution.log_hash != execution_.log_hash)
      return none("the same choices gave another execution");
    for (std::size_t i = 0; i < 2; ++i) {
      const std::optional<ObservedSpan> span = find(*original->run, i);
      if (!span || span->end == kNeverEnds) return none("one of its units does not end");
      at_[i] = span->begin;
      turns_[i] = {span->thread, original->counts.of(span->thread, span->begin),
                   original->counts.of(span->thread, span->end)};
    }
    return compare(*original);
  }

 private:
  Result<HarmChecked> none(std::string why_not) {
    result_.harm.why_not = std::move(why_not);
    return std::move(result_);
  }

  // ---- Executions ----

  Observed prepared() const {
    Observed observed;
    observed.pipeline = std::make_unique<Pipeline>(analysis_of(execution_));
    auto run = std::make_unique<ObservedRun>(observed.pipeline->state());
    observed.run = run.get();
    observed.pipeline->add(std::move(run));
    observed.pipeline->begin({});
    return observed;
  }

  RunOptions running(Observed& observed) {
    ++result_.executions;
    RunOptions running = options_;
    running.aims = execution_.aims;
    running.events = observed.pipeline.get();
    running.keep_log = true;
    return running;
  }

  Result<Observed> finished(Observed observed, Result<Execution> execution) {
    if (!execution) return Error{execution.error()};
    observed.pipeline->end({});
    observed.execution = std::move(*execution);
    observed.execution.plan = execution_.plan;
    observed.execution.aims = execution_.aims;
    observed.counts = StepCounts(observed.execution.log);
    return observed;
  }

  Result<Observed> observe_original() {
    Observed observed = prepared();
    Result<Execution> again =
        replay_strictly(worker_, execution_, running(observed), ReplayDetail::kFull);
    return finished(std::move(observed), std::move(again));
  }

  Result<Observed> observe(const UnitOrder& order) {
    Observed observed = prepared();
    Plan plan = execution_.plan;
    plan.replay_strict = false;
    plan.replay_turns = true;
    plan.detail = false;
    plan.trace = TraceLevel::kMemory;
    plan.max_steps = 4 * std::uint64_t{execution_.log.size()} + 5'000;
    Result<Execution> execution = worker_.run(plan, order.guide(), running(observed));
    return finished(std::move(observed), std::move(execution));
  }

  // ---- Units ----

  // Both units of a violation that `atom` brought about begin with a critical section.
  bool by_sections(std::size_t unit) const {
    return finding_.kind == FindingKind::atomicity &&
           (unit == 1 || finding_.units[0].origin == UnitOrigin::lock_twice);
  }

  std::span<const ObservedSpan> spans(const ObservedRun& run, std::size_t unit) const {
    if (finding_.kind == FindingKind::atomic_set) return run.units();
    return by_sections(unit) ? run.sections() : run.blocks();
  }

  // The first one that is wanted; of several units that began together, on different sets, the one
  // that ends last.
  template <typename Wanted>
  std::optional<ObservedSpan> pick(const ObservedRun& run, std::size_t unit,
                                   const Wanted& wanted) const {
    std::optional<ObservedSpan> found;
    for (const ObservedSpan& span : spans(run, unit)) {
      if (span.thread != finding_.units[unit].thread || !wanted(span)) continue;
      if (!found) {
        found = span;
      } else if (span.entered == found->entered) {
        found->end = std::max(found->end, span.end);
      }
    }
    return found;
  }

  // The thread's next, or last, critical section of the same lock.
  static const ObservedSpan* neighbour(const ObservedRun& run, const ObservedSpan& section,
                                       bool next) {
    const ObservedSpan* found = nullptr;
    for (const ObservedSpan& other : run.sections()) {
      if (other.thread != section.thread || other.lock != section.lock) continue;
      if (next && other.begin > section.begin) return &other;
      if (!next && other.begin < section.begin) found = &other;
    }
    return found;
  }

  // A block that only the runtime saw reaches from its first critical section to the end of the
  // second one. The other thread may be in the same function: then its unit reaches as far, and
  // perhaps began before.
  void widen(const ObservedRun& run, std::size_t unit, ObservedSpan& span) {
    if (finding_.units[0].origin != UnitOrigin::lock_twice) return;
    if (unit == 0) {
      const ObservedSpan* second = neighbour(run, span, true);
      if (second == nullptr) return;
      span.end = second->end;
      places_ = {span.place, second->place};
      wide_[0] = true;
      return;
    }
    const ObservedSpan* next = neighbour(run, span, true);
    const ObservedSpan* last = neighbour(run, span, false);
    if (next != nullptr && span.place == places_[0] && next->place == places_[1]) {
      span.end = next->end;
      wide_[1] = true;
    } else if (last != nullptr && last->place == places_[0] && span.place == places_[1]) {
      span.begin = last->begin;
      wide_[1] = true;
    }
  }

  // The unit as the finding names it. A section that is in a block of its thread stands for that.
  std::optional<ObservedSpan> find(const ObservedRun& run, std::size_t unit) {
    std::optional<ObservedSpan> found = pick(run, unit, [&](const ObservedSpan& span) {
      return span.entered == finding_.units[unit].step;
    });
    if (!found || !by_sections(unit)) return found;
    for (const ObservedSpan& block : run.blocks())
      if (block.lock == 0 && block.thread == found->thread && block.begin <= found->begin &&
          block.end >= found->end)
        return block;
    widen(run, unit, *found);
    return found;
  }

  // How far its thread is when the unit ends in another execution, in which it may be a shorter
  // or a longer one.
  std::uint64_t end_in(const Observed& observed, std::size_t unit) const {
    const UnitTurn& turn = turns_[unit];
    std::optional<ObservedSpan> span = pick(*observed.run, unit, [&](const ObservedSpan& one) {
      return observed.counts.of(one.thread, one.end) > turn.begin &&
             observed.counts.of(one.thread, one.begin) >= turn.begin;
    });
    if (!span || span->end == kNeverEnds) return turn.end;
    if (by_sections(unit) && wide_[unit]) {
      const ObservedSpan* second = neighbour(*observed.run, *span, true);
      if (second != nullptr && second->place == places_[1]) span->end = second->end;
    }
    return observed.counts.of(span->thread, span->end);
  }

  // ---- Orders ----

  // The finding's steps in turn, as far as each thread was when the other one made its step.
  std::vector<Turn> interleaving(const Observed& original,
                                 const std::array<UnitTurn, 2>& turns) const {
    std::vector<Turn> list;
    std::optional<ThreadId> last;
    for (const FindingStep& step : finding_.steps) {
      if (is_entry(step.role)) continue;
      const ThreadId thread = step.event.thread;
      if (last && *last != thread) {
        const std::uint64_t end = turns[*last == turns[0].thread ? 0 : 1].end;
        list.push_back({*last, std::min(end, original.counts.of(*last, step.event.step))});
      }
      last = thread;
    }
    const std::size_t end = last == turns[0].thread ? 0 : 1;
    for (const std::size_t unit : {end, 1 - end})
      list.push_back({turns[unit].thread, turns[unit].end});
    return list;
  }

  // Executes what `units` asks for, as often as it takes to know where the units end. Nothing if
  // it cannot be done.
  template <typename Units>
  Result<std::optional<Observed>> executed(const UnitOrder& common, const Units& units,
                                           std::uint64_t& end) {
    std::array<UnitTurn, 2> turns = turns_;
    for (int i = 0; i < kMostTries; ++i) {
      UnitOrder order = common;
      order.units = units(turns);
      Result<Observed> observed = observe(order);
      if (!observed) return Error{observed.error()};
      if (observed->execution.kind != OutcomeKind::kNone && !is_failing(observed->execution.kind))
        return std::optional<Observed>();
      const std::array<std::uint64_t, 2> ends = {end_in(*observed, 0), end_in(*observed, 1)};
      const std::optional<std::uint64_t> at = followed(order, observed->execution.log);
      const bool settled = ends[0] == turns[0].end && ends[1] == turns[1].end;
      if (is_failing(observed->execution.kind)) {
        end = at.value_or(observed->execution.log.size());
        return std::optional<Observed>(std::move(*observed));
      }
      if (settled && at) {
        end = *at;
        return std::optional<Observed>(std::move(*observed));
      }
      if (settled) break;  // somebody waited
      turns[0].end = ends[0];
      turns[1].end = ends[1];
    }
    return std::optional<Observed>();
  }

  // The interleaved execution does at the finding's steps what the original did.
  bool is_the_same(const Observed& original, const Observed& other) const {
    for (const FindingStep& step : finding_.steps) {
      if (is_entry(step.role)) continue;
      const ThreadId thread = step.event.thread;
      const std::uint64_t count = original.counts.of(thread, step.event.step + 1);
      const std::set<std::uint64_t> places = places_at(original, thread, count);
      const std::set<std::uint64_t> now = places_at(other, thread, count);
      const bool any = std::any_of(places.begin(), places.end(),
                                   [&](std::uint64_t place) { return now.count(place) > 0; });
      if (!any && !places.empty()) return false;
    }
    return true;
  }

  static std::set<std::uint64_t> places_at(const Observed& observed, ThreadId thread,
                                           std::uint64_t count) {
    std::set<std::uint64_t> places;
    for (const ObservedAccess& access : observed.run->accesses())
      if (access.thread == thread && observed.counts.of(thread, access.step) == count)
        places.insert(access.place);
    return places;
  }

  UnitRun unit_run(const Observed& observed, std::uint64_t end) const {
    return {observed.run, end, [this, &observed, end](const ObservedAccess& access) {
              std::optional<int> unit;
              if (access.step > end) return unit;
              for (int i = 0; i < 2; ++i) {
                const UnitTurn& turn = turns_[static_cast<std::size_t>(i)];
                if (access.thread == turn.thread &&
                    observed.counts.of(access.thread, access.step) > turn.begin)
                  unit = i;
              }
              return unit;
            }};
  }

  // A unit that waits for a condition is not one piece: it lets others in where it means to, and
  // what it has done by then is half of what it does when it need not wait.
  bool waits(const Observed& observed, std::uint64_t end) const {
    const std::span<const ObservedWait> waits = observed.run->waits();
    return std::any_of(waits.begin(), waits.end(), [&](const ObservedWait& wait) {
      return wait.step <= end &&
             std::any_of(turns_.begin(), turns_.end(), [&](const UnitTurn& turn) {
               return turn.thread == wait.thread &&
                      observed.counts.of(wait.thread, wait.step) > turn.begin;
             });
    });
  }

  Result<HarmChecked> compare(const Observed& original) {
    const std::size_t first = at_[0] <= at_[1] ? 0 : 1;
    const UnitOrder common =
        common_order(execution_.log, turns_[first].thread, at_[first], at_[1 - first]);
    using Turns = std::array<UnitTurn, 2>;
    const auto serial = [](std::size_t unit) {
      return [unit](const Turns& turns) {
        return std::vector<Turn>{{turns[unit].thread, turns[unit].end},
                                 {turns[1 - unit].thread, turns[1 - unit].end}};
      };
    };
    std::array<std::uint64_t, 3> ends{};
    std::vector<Observed> runs;
    const auto add = [&](const auto& units) -> Result<bool> {
      Result<std::optional<Observed>> one = executed(common, units, ends[runs.size()]);
      if (!one) return Error{one.error()};
      if (!*one) return false;
      runs.push_back(std::move(**one));
      return true;
    };
    const Result<bool> interleaved =
        add([&](const Turns& turns) { return interleaving(original, turns); });
    if (!interleaved) return Error{interleaved.error()};
    if (!*interleaved || !is_the_same(original, runs[0]))
      return none("it could not be brought about with its two units alone");
    for (const std::size_t unit : {std::size_t{0}, std::size_t{1}}) {
      const Result<bool> done = add(serial(unit));
      if (!done) return Error{done.error()};
      if (!*done) return none("one unit cannot run as a whole before the other");
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (waits(runs[i], ends[i])) return none("one of its units waits for a condition");
    conclude(runs, ends);
    return std::move(result_);
  }

  void conclude(std::vector<Observed>& runs, const std::array<std::uint64_t, 3>& ends) {
    std::vector<UnitRun> compared;
    bool seen = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      compared.push_back(unit_run(runs[i], ends[i]));
      seen = seen && !runs[i].run->too_long();
    }
    const LeftDifference difference = seen ? compare_left(compared) : LeftDifference{};
    Harm& harm = result_.harm;
    harm.found = seen && !difference.same[1] && !difference.same[2];
    for (const LeftValue& value : difference.objects) {
      if (!harm.found) break;
      HarmedObject object{printable(runs[0].run->name(value.address)), value.left[0], {}};
      for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
        if (std::find(object.serially.begin(), object.serially.end(), value.left[i]) ==
            object.serially.end())
          object.serially.push_back(value.left[i]);
      harm.objects.push_back(std::move(object));
    }
    // If no serial order leaves one of them so, the others say nothing.
    const auto serial = [](const HarmedObject& one) {
      return std::find(one.serially.begin(), one.serially.end(), one.here) != one.serially.end();
    };
    if (!std::all_of(harm.objects.begin(), harm.objects.end(), serial))
      std::erase_if(harm.objects, serial);
    const bool nameless =
        harm.found && std::all_of(harm.objects.begin(), harm.objects.end(), [](const auto& one) {
          return one.name.empty() || one.name.starts_with("0x");
        });
    if (nameless) {
      harm = {};
      harm.why_not = "what differs has no name in the program";
    } else if (!harm.found)
      harm.why_not = difference.compared > 0 ? "a serial order of its units leaves the same"
                                             : "nothing that both units use can be compared";
    for (Observed& run : runs)
      if (is_failing(run.execution.kind)) result_.failing.push_back(std::move(run.execution));
    if (!result_.failing.empty()) return;
    result_.interleaved = std::move(runs[0].execution);
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
      result_.serial.push_back(std::move(runs[i].execution));
  }

  Worker& worker_;
  const Finding& finding_;
  const Execution& execution_;
  const RunOptions& options_;
  std::array<UnitTurn, 2> turns_{};
  std::array<std::uint64_t, 2> at_{};  // steps of the log at which the units begin
  // Where a block that only the runtime saw takes its lock, for the first and the second time.
  std::array<std::uint64_t, 2> places_{};
  std::array<bool, 2> wide_{};  // the unit is made of two critical sections
  HarmChecked result_;
};

}  // namespace

Result<HarmChecked> check_harm(Worker& worker, const Finding& finding, const Execution& execution,
                               const RunOptions& options) {
  return HarmCheck(worker, finding, execution, options).run();
}

}  // namespace raddle
