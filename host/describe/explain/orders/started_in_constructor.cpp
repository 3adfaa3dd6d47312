// A thread that a constructor starts, and a member of the object that the constructor writes only
// after the thread has read it.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 16;  // places that the failure is likely to depend on

struct Start {
  std::size_t fork = 0;  // event
  std::size_t call = 0;  // of the constructor: its enter event
  ThreadId starter{};
  ThreadId started{};
};

struct ReadBefore {
  Start start;
  std::size_t read = 0;   // by the started thread
  std::size_t write = 0;  // by its starter, later, in the constructor
};

class StartedInConstructor {
 public:
  explicit StartedInConstructor(const CauseSearch& search)
      : search_(search), program_(search.trace), stacks_(search.trace, search.symbols) {}

  // The failing thread's own before another's.
  std::optional<ReadBefore> find() {
    go_through();
    std::optional<ReadBefore> of_others;
    for (const ReadBefore& one : found_) {
      const bool own = one.start.started == search_.failing;
      if (own ? matters(one) : !of_others && nothing_orders(one)) {
        if (own) return one;
        of_others = one;
      }
    }
    return of_others;
  }

 private:
  void go_through() {
    const std::vector<Event>& events = search_.events();
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      std::vector<std::size_t>& calls = calls_[raw(event.thread)];
      if (event.kind == EventKind::thread_begin) calls.clear();
      if (event.kind == EventKind::enter) calls.push_back(i);
      if (event.kind == EventKind::exit && !calls.empty()) calls.pop_back();
      if (event.kind == EventKind::fork) note_start(i, calls);
      const Access access = access_of(event, i);
      if ((!access.reads && !access.writes) || !program_.contains(event.site)) continue;
      for (const Start& start : starts_) {
        if (!is_member(start, event.object)) continue;
        if (access.reads && event.thread == start.started)
          reads_.try_emplace({raw(start.started), event.object}, i);
        if (access.writes && event.thread == start.starter) note_write(start, i, calls);
      }
    }
  }

  // The innermost of the program's constructors that the thread is in.
  void note_start(std::size_t fork, const std::vector<std::size_t>& calls) {
    const Event& event = search_.events()[fork];
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      const Site& site = search_.trace.site(search_.events()[*call].site);
      const bool makes = (site.flags & kSiteConstructor) != 0 && site.offset != 0;
      if (!makes || site.frames.empty() || is_system_header(site.frames.front().file)) continue;
      starts_.push_back({fork, *call, event.thread, ThreadId(std::uint16_t(event.value))});
      return;
    }
  }

  bool is_member(const Start& start, std::uint64_t address) const {
    const Event& call = search_.events()[start.call];
    return address >= call.object && address - call.object < search_.trace.site(call.site).offset;
  }

  void note_write(const Start& start, std::size_t write, const std::vector<std::size_t>& calls) {
    const std::vector<Event>& events = search_.events();
    const bool inside = std::find(calls.begin(), calls.end(), start.call) != calls.end();
    const auto read = reads_.find({raw(start.started), events[write].object});
    if (!inside || read == reads_.end()) return;
    const auto seen = value_read(events[read->second]);
    if (seen && seen == value_written(events[write])) return;
    found_.push_back({start, read->second, write});
  }

  // Plain accesses, and no lock that both hold: the thread may have read anything.
  bool nothing_orders(const ReadBefore& one) {
    const std::vector<Event>& events = search_.events();
    if (is_atomic(events[one.read].kind) || is_atomic(events[one.write].kind)) return false;
    stacks_.look_at({one.read, one.write});
    const std::vector<std::uint64_t> own = stacks_.held(one.read);
    return std::none_of(own.begin(), own.end(), [&](std::uint64_t lock) {
      return stacks_.taken(one.write, lock).has_value();
    });
  }

  // It is among what the thread read last; where it is guarded, the thread did not look again.
  bool matters(const ReadBefore& one) {
    const std::vector<Event>& events = search_.events();
    for (const Access& read :
         search_.history.last_reads(one.start.started, events.size(), kMostReads)) {
      if (events[read.event].object == events[one.read].object)
        return read.event < one.write || nothing_orders(one);
    }
    return false;
  }

  const CauseSearch& search_;
  ProgramSites program_;
  ExplainedStacks stacks_;
  std::unordered_map<std::uint16_t, std::vector<std::size_t>> calls_;  // by thread
  std::vector<Start> starts_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> reads_;  // the first of each place
  std::vector<ReadBefore> found_;
};

}  // namespace

void tell_as_call(Explanation& explanation) {
  explanation.cause = Cause::kUsedWhileMade;
  explanation.middle = explanation.last;
  explanation.suggestion = Suggestion::kHandOver;
}

std::optional<Explanation> find_started_in_constructor(const CauseSearch& search) {
  const std::optional<ReadBefore> found = StartedInConstructor(search).find();
  if (!found) return std::nullopt;
  const std::set<std::size_t> shown = {found->start.fork, found->read, found->write};
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kUsedBeforeInit;
  explanation.object = teller.object(found->write);
  explanation.first = teller.access(found->read);
  explanation.last = teller.access(found->write);
  explanation.change = explanation.last;
  explanation.started = teller.where(found->start.fork);
  explanation.function = teller.stacks().function(found->start.call);
  explanation.suggestion = Suggestion::kWriteBeforeStart;
  const bool known = !explanation.object.name.empty() && explanation.first.where.line != 0 &&
                     explanation.last.where.line != 0 && explanation.started->line != 0;
  if (!known) return std::nullopt;
  teller.add_steps(explanation, shown, found->read);
  if (teller.is_of_vptr(found->read)) tell_as_call(explanation);
  return explanation;
}

}  // namespace raddle
