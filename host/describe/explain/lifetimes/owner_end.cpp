#include "host/describe/explain/lifetimes/owner_end.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/explained_stack.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/lifetimes/static_starter.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kLastReads = 16;  // places that a failure is likely to depend on

// The call has not returned before `until`.
bool is_open(const std::vector<Event>& events, std::size_t enter, std::size_t until) {
  std::size_t depth = 0;
  for (std::size_t i = enter + 1; i < until; ++i) {
    if (events[i].thread != events[enter].thread) continue;
    if (events[i].kind == EventKind::enter) ++depth;
    if (events[i].kind == EventKind::exit && depth-- == 0) return false;
  }
  return true;
}

// The object is in this memory.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  bool contains(std::uint64_t place) const { return place >= begin && place < end; }
};

// From the object to the end of the block or the local variable that it is in, as far as known.
Extent extent_of(const std::vector<Event>& events, std::size_t destroys) {
  const std::uint64_t object = events[destroys].object;
  Extent extent{object, object};
  for (std::size_t i = 0; i < destroys; ++i) {
    const Event& event = events[i];
    if (event.kind != EventKind::allocate && event.kind != EventKind::local) continue;
    if (object >= event.object && object - event.object < event.value)
      extent.end = event.object + event.value;
  }
  return extent;
}

// A lambda that a function of this class has.
bool is_lambda_of(const std::string& function, const std::string& cls) {
  return function.starts_with(cls + "::") && function.find("{lambda") != std::string::npos;
}

// Two calls of functions of one object.
struct OwnerEnd {
  std::size_t destroys = 0;  // enter event: of the destructor
  std::size_t uses = 0;      // enter event: of another function, by another thread
  bool own_thread = false;   // which the object has started
};

class OwnerEnds {
 public:
  OwnerEnds(const KeptTrace& trace, Symbolizer& symbols)
      : events_(trace.all()), trace_(trace), stacks_(trace, symbols) {}

  // Goes through the trace once for all of these; the other functions do so for what is new.
  void look_at(std::set<std::size_t> events) {
    std::erase_if(events, [&](std::size_t event) { return !known_.insert(event).second; });
    if (!events.empty()) stacks_.look_at(events);
  }

  bool is_in_destructor(std::size_t event) {
    look_at({event});
    const std::vector<std::size_t> calls = stacks_.calls(event);
    return std::any_of(calls.begin(), calls.end(),
                       [&](std::size_t call) { return is_destructor(stacks_.function(call)); });
  }

  // One thread destroys the object at the event `ends`, the other is in one of its functions at
  // `used`.
  std::optional<OwnerEnd> find(std::size_t ends, std::size_t used) {
    look_at({ends, used});
    for (const std::size_t destroys : stacks_.calls(ends)) {
      const std::string destructor = stacks_.function(destroys);
      if (events_[destroys].object == 0 || !is_destructor(destructor)) continue;
      const std::string cls = destructor.substr(0, destructor.rfind("::~"));
      std::vector<std::size_t> calls = stacks_.calls(used);
      std::reverse(calls.begin(), calls.end());
      for (const std::size_t uses : calls) {
        const std::string function = stacks_.function(uses);
        // Whoever came when the destructor was done may have come to another object there.
        const bool same = events_[uses].object == events_[destroys].object &&
                          is_open(events_, std::min(destroys, uses), std::max(destroys, uses));
        const bool member = function.starts_with(cls + "::") && !is_destructor(function);
        if (same && member) return OwnerEnd{destroys, uses, is_own_thread(used, uses, cls)};
      }
    }
    return std::nullopt;
  }

  // At this event a member is destroyed, in the destructor that was entered at `destroys`. What a
  // destructor does itself, to stop a thread for one, ends no member.
  bool ends_member(std::size_t event, std::size_t destroys) {
    look_at({event});
    const std::string whole = stacks_.function(destroys);
    const std::vector<std::size_t> calls = stacks_.calls(event);
    const auto own = std::find(calls.begin(), calls.end(), destroys);
    if (own == calls.end()) return false;
    const auto inner = std::find_if(own + 1, calls.end(), [&](std::size_t call) {
      return is_destructor(stacks_.function(call));
    });
    if (inner != calls.end()) return true;
    for (const SiteFrame& frame : trace_.site(events_[event].site).frames) {
      if (printable(short_function(frame.function)) == whole) return false;
      if (is_destructor(frame.function)) return true;
    }
    return false;
  }

  std::string function(std::size_t enter) const { return stacks_.function(enter); }

 private:
  // The object has started the thread: somebody else's thread that only calls it cannot be waited
  // for in its destructor.
  bool is_own_thread(std::size_t used, std::size_t uses, const std::string& cls) {
    const std::vector<std::size_t> inside = stacks_.calls(used);
    const auto outermost = std::find_if(inside.begin(), inside.end(), [&](std::size_t call) {
      return !stacks_.function(call).empty();
    });
    if (outermost != inside.end() && is_lambda_of(stacks_.function(*outermost), cls)) return true;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].kind != EventKind::fork) continue;
      if (ThreadId{static_cast<std::uint16_t>(events_[i].value)} != events_[used].thread) continue;
      look_at({i});
      const std::vector<std::size_t> calls = stacks_.calls(i);
      return std::any_of(calls.begin(), calls.end(), [&](std::size_t call) {
        return events_[call].object == events_[uses].object && !stacks_.function(call).empty();
      });
    }
    return false;
  }

  const std::vector<Event>& events_;
  const KeptTrace& trace_;
  ExplainedStacks stacks_;
  std::set<std::size_t> known_;  // events
};

// A member that the one thread destroyed or destroys, and the other one uses.
struct MemberEnd {
  OwnerEnd owner;
  std::size_t ends = 0;  // event: an access by the destructor of the member
  std::size_t used = 0;  // event
};

// Which threads' uses a search is for: those of threads that the object has started, which its
// destructor can wait for, or those of others.
enum class Users : std::uint8_t { kOwnThreads, kOthers };

class MemberEnds {
 public:
  MemberEnds(const CauseSearch& search, Users users)
      : search_(search),
        events_(search.events()),
        users_(users),
        owners_(search.trace, search.symbols) {}

  // The failing thread read what the destructor of a member had left there.
  std::optional<MemberEnd> used_after() {
    std::vector<MemberEnd> pairs;
    for (const Access& read : last_reads()) {
      const auto write = search_.history.last_write(events_[read.event].object, read.event);
      if (write && write->thread != search_.failing)
        pairs.push_back({.ends = write->event, .used = read.event});
    }
    return first_of(pairs);
  }

  // The failing thread destroys a member that another one writes meanwhile.
  std::optional<MemberEnd> used_meanwhile() {
    const std::vector<Access> reads = last_reads();
    if (reads.empty() || !owners_.is_in_destructor(reads.front().event)) return std::nullopt;
    std::vector<MemberEnd> pairs;
    for (const Access& read : reads) {
      const auto& accesses = search_.history.at(events_[read.event].object);
      const auto write =
          std::find_if(accesses.rbegin(), accesses.rend(), [&](const AccessHistory::Entry& one) {
            return one.access.writes && one.access.thread != search_.failing;
          });
      if (write != accesses.rend())
        pairs.push_back({.ends = read.event, .used = write->access.event});
    }
    return first_of(pairs);
  }

  // The failing thread crashed in a function of an object whose members another thread is
  // destroying: what it met there was no access that the program's own code made.
  std::optional<MemberEnd> used_unseen() {
    const OutcomeKind kind = search_.failure.kind;
    if (kind != OutcomeKind::kCrash && kind != OutcomeKind::kMemoryFault) return std::nullopt;
    std::map<std::uint16_t, std::size_t> last;
    for (std::size_t i = 0; i < events_.size(); ++i) last[raw(events_[i].thread)] = i;
    const auto failed = last.find(raw(search_.failing));
    if (failed == last.end()) return std::nullopt;
    for (const auto& [thread, event] : last) {
      if (ThreadId{thread} == search_.failing) continue;
      const auto owner = owners_.find(event, failed->second);
      if (!owner || !is_wanted(*owner) || !owners_.ends_member(event, owner->destroys)) continue;
      return MemberEnd{*owner, event, failed->second};
    }
    return std::nullopt;
  }

  std::string function(std::size_t enter) const { return owners_.function(enter); }

 private:
  std::vector<Access> last_reads() const {
    return search_.history.last_reads(search_.failing, events_.size(), kLastReads);
  }

  std::optional<MemberEnd> first_of(const std::vector<MemberEnd>& pairs) {
    std::set<std::size_t> events;
    for (const MemberEnd& one : pairs) events.insert({one.ends, one.used});
    owners_.look_at(events);
    for (MemberEnd one : pairs) {
      const auto owner = owners_.find(one.ends, one.used);
      if (!owner || !is_wanted(*owner) || !owners_.ends_member(one.ends, owner->destroys)) continue;
      if (!extent_of(events_, owner->destroys).contains(events_[one.used].object)) continue;
      one.owner = *owner;
      const bool late = one.used > owner->destroys;
      if (late || is_about_to_write(events_[one.used].thread, *owner)) return one;
    }
    return std::nullopt;
  }

  // It was in the middle of a change when the destructor came.
  bool is_about_to_write(ThreadId thread, const OwnerEnd& owner) const {
    const Extent extent = extent_of(events_, owner.destroys);
    return std::any_of(
        search_.failure.threads.begin(), search_.failure.threads.end(), [&](const auto& line) {
          return line.id == thread && line.doing.kind == Doing::Kind::kAboutTo &&
                 line.doing.op == OpKind::memory_write && extent.contains(line.address);
        });
  }

  bool is_wanted(const OwnerEnd& owner) const {
    return owner.own_thread == (users_ == Users::kOwnThreads);
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
  const Users users_;
  OwnerEnds owners_;
};

}  // namespace

void add_owner_end(Explanation& explanation, const FreedAndUsed& found, const KeptTrace& trace,
                   Symbolizer& symbols) {
  const std::vector<Event>& events = trace.all();
  if (found.used >= events.size() || events[found.freed].thread == found.user ||
      explanation.at_thread_end)
    return;
  OwnerEnds owners(trace, symbols);
  std::optional<OwnerEnd> end = owners.find(found.freed, found.used);
  // What the destructor frees once more was not to be found any longer after the other's change.
  if (!end && explanation.change && explanation.change->thread == events[found.freed].thread)
    end = owners.find(found.used, found.freed);
  if (!end || !end->own_thread) return;
  explanation.function = owners.function(end->uses);
  explanation.ends_in = owners.function(end->destroys);
  explanation.suggestion = Suggestion::kJoinBeforeEnd;
}

namespace {

// The object, if the member that was met has no name.
std::string class_of(const std::string& destructor) {
  return destructor.substr(0, destructor.rfind("::~"));
}

std::optional<Explanation> told(const CauseSearch& search, const MemberEnds& ends,
                                const MemberEnd& found, bool after, bool seen) {
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at({found.ends, found.used});
  Explanation explanation;
  explanation.cause = after ? Cause::kUseAfterDestruction : Cause::kDestroyedInUse;
  explanation.function = ends.function(found.owner.uses);
  explanation.ends_in = ends.function(found.owner.destroys);
  if (seen)
    explanation.object = teller.object(found.used);
  else
    explanation.object.name = class_of(explanation.ends_in);
  explanation.first = teller.access(found.ends);
  explanation.last = teller.access(found.used);
  if (!seen) explanation.last.where = search.failure.where;
  explanation.first.inside = function_names(teller.stacks().stack(found.ends));
  explanation.last.inside = function_names(teller.stacks().stack(found.used));
  if (explanation.object.name.empty() || explanation.first.where.line == 0 ||
      explanation.last.where.line == 0)
    return std::nullopt;
  explanation.middle = explanation.last;
  explanation.suggestion = Suggestion::kJoinBeforeEnd;
  for (const std::size_t event :
       {std::min(found.ends, found.used), std::max(found.ends, found.used)}) {
    const bool destroys = event == found.ends;
    ExplainedStep step = destroys ? teller.step(event, StepAction::kDestroys)
                         : seen   ? teller.step(event)
                                  : teller.step(event, StepAction::kUses);
    if (destroys) step.object.clear();
    if (!destroys) step.where = explanation.last.where;
    if (!destroys && !seen) step.object = explanation.object.name;
    step.violates = seen ? destroys != after : !destroys;
    teller.add_step(explanation, std::move(step));
  }
  return explanation;
}

}  // namespace

std::optional<Explanation> find_ended_member(const CauseSearch& search) {
  MemberEnds ends(search, Users::kOwnThreads);
  std::optional<MemberEnd> found = ends.used_after();
  const bool after = found.has_value();
  if (!found) found = ends.used_meanwhile();
  if (!found) return std::nullopt;
  return told(search, ends, *found, after, true);
}

std::optional<Explanation> find_destroyed_in_use(const CauseSearch& search) {
  MemberEnds ends(search, Users::kOthers);
  std::optional<MemberEnd> found = ends.used_meanwhile();
  const bool seen = found.has_value();
  if (!found) found = ends.used_unseen();
  if (!found) return std::nullopt;
  std::optional<Explanation> explanation = told(search, ends, *found, false, seen);
  if (!explanation) return std::nullopt;
  explanation->at_thread_end = after_its_function(search.trace, found->ends);
  explanation->suggestion =
      explanation->at_thread_end ? Suggestion::kWaitForUser : Suggestion::kKeepUndestroyed;
  const ThreadId user = explanation->last.thread;
  if (explanation->at_thread_end && explanation->first.thread == kMainThread)
    add_static_starter(*explanation, search.trace, search.symbols, found->ends, user);
  if (!explanation->at_thread_end) {
    add_released_guard(*explanation, {found->ends, found->used, user}, search.trace, search.failure,
                       search.symbols);
  }
  return explanation;
}

}  // namespace raddle
