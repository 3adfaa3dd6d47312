#include <algorithm>
#include <map>
#include <vector>

#include "host/describe/explain/deadlock.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/op_classes.hpp"

namespace raddle {
namespace {

struct Held {
  std::uint64_t lock = 0;
  std::size_t acquired = 0;  // event
  bool shared = false;       // for reading
};

// What each thread holds at the end.
std::map<std::uint16_t, std::vector<Held>> held_at_end(const KeptTrace& trace) {
  std::map<std::uint16_t, std::vector<Held>> held;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    std::vector<Held>& own = held[raw(event.thread)];
    if (event.kind == EventKind::acquire && event.value == 1) {
      own.push_back({event.object, i, (event.flags & kShared) != 0});
    }
    if (event.kind == EventKind::release && event.value == 0) {
      std::erase_if(own, [&](const Held& one) { return one.lock == event.object; });
    }
  }
  return held;
}

class Cycle {
 public:
  Cycle(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols)
      : members_(failure.verdict->cycle),
        held_(held_at_end(trace)),
        teller_(trace, failure, symbols) {}

  Explanation run() {
    Explanation explanation;
    explanation.cause = cause();
    if (explanation.cause == Cause::kNone) return {};
    explanation.suggestion = suggestion(explanation.cause);
    const WaitingThread* calls_back =
        explanation.cause == Cause::kLockCycle ? find_callback(explanation) : nullptr;
    const WaitingThread& first = calls_back != nullptr ? *calls_back : members_.front();
    explanation.last.thread = first.thread;
    explanation.last.where = first.where;
    for (const Held& one : held_[raw(first.thread)]) {
      if (!wanted(one.lock)) continue;
      teller_.look_at({one.acquired});
      explanation.first = teller_.access(one.acquired);
      explanation.object = teller_.object(one.acquired);
      explanation.lock = ExplainedLock{teller_.lock_name(one.lock), explanation.first.where};
    }
    if (explanation.cause == Cause::kJoinUnderLock) add_join(explanation);
    if (explanation.cause == Cause::kSelfDeadlock) add_call(explanation);
    for (const WaitingThread& member : members_) {
      explanation.between_locks.push_back(between_locks(member));
      for (const Held& one : held_[raw(member.thread)]) {
        if (!wanted(one.lock)) continue;
        teller_.look_at({one.acquired});
        explanation.acquisitions.push_back(teller_.step(one.acquired));
      }
    }
    return explanation;
  }

 private:
  std::uint64_t address(ThreadId thread) const {
    const ThreadLine* line = teller_.line(thread);
    return line == nullptr ? 0 : line->address;
  }

  bool wanted(std::uint64_t lock) const {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const WaitingThread& member) { return address(member.thread) == lock; });
  }

  // The functions in which the thread took the first lock of the cycle, and still is.
  std::vector<std::string> between_locks(const WaitingThread& member) {
    std::vector<Where> waiting;
    if (const ThreadLine* line = teller_.line(member.thread)) {
      for (const Frame& frame : line->stack)
        if (has_function_name(frame)) waiting.push_back(frame.where);
    }
    for (const Held& one : held_[raw(member.thread)]) {
      if (!wanted(one.lock)) continue;
      teller_.look_at({one.acquired});
      return function_names(still_in(teller_.stacks().stack(one.acquired), waiting));
    }
    return function_names(waiting);
  }

  // A function that is at the same line was called again, as the constructor of a guard is: the
  // call that took the lock has returned.
  static std::vector<Where> still_in(const std::vector<Where>& then, std::vector<Where> now) {
    for (const Where& where : then) {
      const auto same = std::find_if(now.begin(), now.end(), [&](const Where& frame) {
        return frame.function == where.function;
      });
      if (same == now.end()) continue;
      const bool again = same->line == where.line;
      now.erase(now.begin(), again ? std::next(same) : same);
      if (!again) break;
    }
    return now;
  }

  bool holds_what_it_wants_for_reading(const WaitingThread& member) const {
    const auto own = held_.find(raw(member.thread));
    return own != held_.end() && member.doing.op == OpKind::rwlock_write &&
           std::any_of(own->second.begin(), own->second.end(), [&](const Held& one) {
             return one.shared && one.lock == address(member.thread);
           });
  }

  Cause cause() const {
    const bool upgrade = std::all_of(members_.begin(), members_.end(), [&](const auto& member) {
      return holds_what_it_wants_for_reading(member);
    });
    if (upgrade) return Cause::kLockUpgrade;
    const auto locks = std::count_if(members_.begin(), members_.end(), [](const auto& member) {
      return is_lock_op(member.doing.op);
    });
    const bool all = static_cast<std::size_t>(locks) == members_.size();
    if (all) return members_.size() == 1 ? Cause::kSelfDeadlock : Cause::kLockCycle;
    const bool joins = std::any_of(members_.begin(), members_.end(), [](const auto& member) {
      return member.doing.op == OpKind::thread_join;
    });
    return joins && members_.size() == 2 && locks == 1 ? Cause::kJoinUnderLock : Cause::kNone;
  }

  static Suggestion suggestion(Cause cause) {
    if (cause == Cause::kLockUpgrade) return Suggestion::kTakeForWriting;
    if (cause == Cause::kSelfDeadlock) return Suggestion::kNotTwice;
    if (cause == Cause::kJoinUnderLock) return Suggestion::kJoinWithoutLock;
    return Suggestion::kSameOrder;
  }

  // A thread that came to its second lock since it calls, with the first, what the program gave to
  // a function object: who locks the first cannot know which locks come after it. The innermost
  // such call; null if there is none.
  const WaitingThread* find_callback(Explanation& explanation) {
    for (const WaitingThread& member : members_) {
      for (const Held& one : held_[raw(member.thread)]) {
        if (!wanted(one.lock)) continue;
        teller_.look_at({one.acquired});
        const auto call = callback_from(member, teller_.where(one.acquired));
        if (!call) continue;
        explanation.change = *call;
        explanation.suggestion = Suggestion::kCallUnlocked;
        return &member;
      }
    }
    return nullptr;
  }

  // Between the function that took the lock and the one that wants the other lies one of the
  // library's.
  std::optional<ExplainedAccess> callback_from(const WaitingThread& member,
                                               const Where& holder) const {
    const ThreadLine* line = teller_.line(member.thread);
    if (line == nullptr || holder.function.empty()) return std::nullopt;
    std::string called;  // the outermost so far that is the program's
    bool by_library = false;
    for (const Frame& frame : line->stack) {
      if (!frame.in_program) {
        by_library = !called.empty();
        continue;
      }
      if (!frame.named) continue;
      if (frame.where.function == holder.function) {
        // Its own lambda, given to an algorithm, is known where it is called.
        const bool own = called.starts_with(holder.function);
        if (!by_library || own || frame.where.line == holder.line) return std::nullopt;
        ExplainedAccess call;
        call.thread = line->id;
        call.where = frame.where;
        call.function = called;
        return call;
      }
      called = frame.where.function;
      by_library = false;
    }
    return std::nullopt;
  }

  // The call by which the function that has the lock came to where it is wanted again. If that goes
  // through functions of others, as callbacks are, they may lock it rightly: nobody knows what they
  // call, and what the lock guards may change meanwhile.
  void add_call(Explanation& explanation) const {
    const ThreadLine* line = teller_.line(explanation.last.thread);
    const std::string& holder = explanation.first.where.function;
    if (line == nullptr || holder.empty()) return;
    const std::size_t scope = holder.rfind("::");
    const std::string own = scope == std::string::npos ? "" : holder.substr(0, scope + 2);
    std::string callback;
    bool inside = false;  // of what is called: not the function itself that wants the lock
    for (const Frame& frame : line->stack) {
      if (!has_function_name(frame)) continue;
      if (frame.where.function == holder && frame.where.line != explanation.first.where.line) {
        ExplainedAccess call;
        call.thread = line->id;
        call.where = frame.where;
        call.function = callback;
        explanation.change = call;
        if (!callback.empty()) explanation.suggestion = Suggestion::kCallUnlocked;
        return;
      }
      if (inside && !own.empty() && !frame.where.function.starts_with(own))
        callback = frame.where.function;
      inside = true;
    }
  }

  void add_join(Explanation& explanation) {
    for (const WaitingThread& member : members_) {
      const bool joins = member.doing.op == OpKind::thread_join;
      ExplainedAccess& access = joins ? explanation.first : explanation.last;
      access.thread = member.thread;
      access.where = member.where;
      if (!joins) continue;
      for (const Held& one : held_[raw(member.thread)]) {
        if (!wanted(one.lock)) continue;
        teller_.look_at({one.acquired});
        explanation.object = teller_.object(one.acquired);
        explanation.lock = ExplainedLock{teller_.lock_name(one.lock), teller_.where(one.acquired)};
      }
    }
  }

  const std::vector<WaitingThread>& members_;
  std::map<std::uint16_t, std::vector<Held>> held_;
  Storyteller teller_;
};

}  // namespace

Explanation explain_cycle(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  return Cycle(trace, failure, symbols).run();
}

}  // namespace raddle
