// Two variables that belong together, of which one was seen new and one old.
#include <algorithm>

#include "host/describe/explain/events/given_on.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;

// The innermost one that is not the library's.
std::string own_function(const Site& site) {
  for (const SiteFrame& frame : site.frames) {
    if (!is_system_header(frame.file)) return frame.function;
  }
  return {};
}

// One thread's writes of two variables, and another's reads of them.
struct Torn {
  std::size_t read_a = 0;
  std::size_t read_b = 0;
  std::size_t write_a = 0;
  std::optional<std::size_t> write_b;   // nothing: it is about to
  const ThreadLine* pending = nullptr;  // who is
};

// Who sees a flag that was set goes on to what it stands for. It was seen set first, and set first.
bool is_flag(const std::vector<Event>& events, const Torn& torn) {
  const Event& set = events[torn.write_a];
  return torn.read_a < torn.read_b && set.size == 1 && value_written(set) == 1U &&
         torn.write_a < torn.read_a && (!torn.write_b || torn.write_a < *torn.write_b);
}

// Who reads a pointer goes on to what it points to. The writer made that, and what it has besides,
// and wrote the pointer before the rest of it.
bool is_pointer(const std::vector<Event>& events, const Torn& torn) {
  const Event& set = events[torn.write_a];
  const std::uint64_t pointer = value_written(set).value_or(0);
  const bool first = torn.read_a < torn.read_b && torn.write_a < torn.read_a &&
                     (!torn.write_b || torn.write_a < *torn.write_b);
  if (set.size != 8 || !first || value_read(events[torn.read_a]) != pointer) return false;
  const auto made = [&](std::uint64_t address) {
    const auto block = allocation_of(events, address, torn.write_a);
    return block && events[*block].thread == set.thread;
  };
  return made(pointer) && made(events[torn.read_b].object);
}

class TornSearch {
 public:
  explicit TornSearch(const CauseSearch& search)
      : search_(search), events_(search.events()), stacks_(search.trace, search.symbols) {}

  std::optional<Torn> find() {
    const std::vector<Access> reads =
        search_.history.last_reads(search_.failing, events_.size(), kMostReads);
    stacks_.look_at(reads_and_writes(reads));
    // What the thread reads twice tells it whether the rest belongs together: data comes first.
    std::vector<Access> data = reads;
    std::erase_if(data, [&](const Access& read) { return is_checked_again(read.event); });
    // A flag that was set too early says why the rest was old.
    if (auto torn = among(data, Wanted::kFlag)) return torn;
    if (auto torn = among(data, Wanted::kAny)) return torn;
    return among(reads, Wanted::kAny);
  }

 private:
  enum class Wanted : std::uint8_t { kAny, kFlag };

  // These reads, and the writes that they may have seen or missed.
  std::set<std::size_t> reads_and_writes(const std::vector<Access>& reads) const {
    constexpr std::size_t kMostWrites = 256;
    std::set<std::size_t> writes;
    for (const Access& read : reads) {
      const std::vector<AccessHistory::Entry>& all = search_.history.at(events_[read.event].object);
      for (auto entry = all.rbegin(); entry != all.rend() && writes.size() < kMostWrites; ++entry)
        if (entry->access.writes) writes.insert(entry->access.event);
    }
    for (const Access& read : reads) writes.insert(read.event);
    return writes;
  }

  std::optional<Torn> among(const std::vector<Access>& reads, Wanted wanted) const {
    const auto is_wanted = [&](const std::optional<Torn>& torn) {
      return torn && (wanted == Wanted::kAny || is_flag(events_, *torn));
    };
    for (std::size_t i = 0; i < reads.size(); ++i) {
      for (std::size_t k = i + 1; k < reads.size(); ++k) {
        // reads[k] came first. Two values that are not read in one place are not compared there.
        if (!in_one_function(reads[k].event, reads[i].event)) continue;
        if (joins_between(reads[k].event, reads[i].event)) continue;
        // One place that reads two objects of a kind, one after the other.
        const bool one_place = events_[reads[k].event].site == events_[reads[i].event].site;
        if (one_place && !called_from_two_lines(reads[k].event, reads[i].event)) continue;
        if (auto torn = old_and_new(reads[k].event, reads[i].event); is_wanted(torn)) return torn;
        if (auto torn = new_and_old(reads[k].event, reads[i].event); is_wanted(torn)) return torn;
        if (auto torn = new_and_old(reads[i].event, reads[k].event); is_wanted(torn)) return torn;
      }
    }
    return std::nullopt;
  }

  // The same call of a function had read it before, from another line, and it was the same.
  bool is_checked_again(std::size_t read) const {
    const std::vector<AccessHistory::Entry>& all = search_.history.at(events_[read].object);
    return std::any_of(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      const Event& other = events_[entry.access.event];
      return entry.access.event < read && other.thread == events_[read].thread &&
             entry.access.reads && other.site != events_[read].site &&
             entry.call == search_.history.call(read) &&
             value_read(other) == value_read(events_[read]);
    });
  }

  bool in_one_function(std::size_t one, std::size_t other) const {
    return own_function(search_.trace.site(events_[one].site)) ==
               own_function(search_.trace.site(events_[other].site)) ||
           (called_by_one(one, other) && only_looks(one) && only_looks(other));
  }

  // The call that the read is made in changes nothing that others see, and waits for nothing: what
  // it read is for its caller. What takes something, such as a connection out of a pool, read what
  // it needed for that.
  bool only_looks(std::size_t read) const {
    const std::vector<std::size_t> calls = stacks_.calls(read);
    if (calls.empty()) return true;
    std::size_t depth = 0;
    for (std::size_t i = calls.back() + 1; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.thread != events_[read].thread) continue;
      if (event.kind == EventKind::wait) return false;
      if (access_of(event, i).writes && search_.history.is_shared(event.object)) return false;
      if (event.kind == EventKind::enter) ++depth;
      if (event.kind == EventKind::exit && depth-- == 0) break;
    }
    return true;
  }

  // One call of a function made both, by functions that do nothing else (getters) or itself.
  bool called_by_one(std::size_t one, std::size_t other) const {
    const std::vector<std::size_t> a = stacks_.calls(one);
    const std::vector<std::size_t> b = stacks_.calls(other);
    const auto [end, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return end != a.begin() && a.end() - end <= 1 && b.end() - end_b <= 1 &&
           stacks_.are_side_by_side(one, other);
  }

  // By a getter that one call of a function calls twice, at two of its lines.
  bool called_from_two_lines(std::size_t one, std::size_t other) const {
    const std::vector<Where> a = stacks_.stack(one);
    const std::vector<Where> b = stacks_.stack(other);
    return a.size() > 1 && b.size() > 1 && a[1].line != 0 && b[1].line != 0 &&
           a[1].function == b[1].function && a[1].line != b[1].line && called_by_one(one, other);
  }

  // Who waits for another thread to end between the two reads does not mean to read both at once.
  bool joins_between(std::size_t first, std::size_t last) const {
    return std::any_of(events_.begin() + std::ptrdiff_t(first),
                       events_.begin() + std::ptrdiff_t(last), [&](const Event& event) {
                         return event.kind == EventKind::join && event.thread == search_.failing;
                       });
  }

  bool differs(std::size_t write, std::size_t read) const {
    return value_written(events_[write]) != value_read(events_[read]);
  }

  // First read before the update, second read after it.
  std::optional<Torn> old_and_new(std::size_t a, std::size_t b) const {
    const auto written_b = search_.history.last_write(events_[b].object, b);
    if (!written_b || written_b->thread == search_.failing || written_b->event < a)
      return std::nullopt;
    for (const AccessHistory::Entry& entry : search_.history.at(events_[a].object)) {
      const Access& write = entry.access;
      const bool between = write.event > a && write.event < b;
      if (!between || !write.writes || write.thread != written_b->thread) continue;
      if (!differs(write.event, a) || !one_update(write.event, written_b->event)) continue;
      return Torn{a, b, write.event, written_b->event, nullptr};
    }
    return std::nullopt;
  }

  // `a` was seen new, `b` old: the other thread writes `b` later, or is about to.
  std::optional<Torn> new_and_old(std::size_t a, std::size_t b) const {
    const auto written_a = search_.history.last_write(events_[a].object, a);
    if (!written_a || written_a->thread == search_.failing) return std::nullopt;
    if (is_first_value(written_a->event)) return std::nullopt;
    const auto created = search_.history.creation(search_.failing);
    if (created && written_a->event < *created) return std::nullopt;
    for (const AccessHistory::Entry& entry : search_.history.at(events_[b].object)) {
      const Access& write = entry.access;
      const bool later = write.event > b && write.event > written_a->event;
      if (!later || !write.writes || write.thread != written_a->thread) continue;
      if (!differs(write.event, b) || !one_update(written_a->event, write.event)) continue;
      return Torn{a, b, written_a->event, write.event, nullptr};
    }
    for (const ThreadLine& line : search_.failure.threads) {
      const bool about = line.id == written_a->thread && line.doing.kind == Doing::Kind::kAboutTo &&
                         is_about(line, events_[b]);
      const bool writes = line.doing.op == OpKind::memory_write ||
                          line.doing.op == OpKind::atomic_store ||
                          line.doing.op == OpKind::atomic_update;
      if (about && writes && is_update_of(written_a->event, line))
        return Torn{a, b, written_a->event, std::nullopt, &line};
    }
    return std::nullopt;
  }

  // The thread is about to write in a function that made the other write, or that called the one
  // which did. The end of an object is no half of an update of it.
  bool is_update_of(std::size_t write, const ThreadLine& line) const {
    const std::vector<std::string> made = function_names(stacks_.stack(write));
    for (const Frame& frame : line.stack) {
      if (!frame.in_program) continue;
      return !is_destructor(frame.where.function) &&
             !is_destructor(own_function(search_.trace.site(events_[write].site))) &&
             std::find(made.begin(), made.end(), frame.where.function) != made.end();
    }
    return false;
  }

  // One store may write several elements of an array, and has the first one's name.
  bool is_about(const ThreadLine& line, const Event& read) const {
    if (line.address == read.object) return true;
    constexpr std::uint64_t kWidestStore = 32;
    const std::uint64_t behind = read.object - line.address;
    if (line.address > read.object || behind >= kWidestStore || read.size == 0) return false;
    const std::string& array = line.doing.object.name.path;
    const std::string& field = search_.trace.site(read.site).field;
    const bool element = field.ends_with("[]") && behind % read.size == 0;
    return element && last_member(array.substr(0, array.find('['))) ==
                          last_member(field.substr(0, field.find('[')));
  }

  // The writer made the object itself, and this is what the place began with: no news.
  bool is_first_value(std::size_t write) const {
    const std::uint64_t address = events_[write].object;
    if (is_no_news(search_.history, write)) return true;
    if (search_.history.last_write(address, write)) return false;
    return std::any_of(
        events_.begin(), events_.begin() + std::ptrdiff_t(write), [&](const Event& event) {
          return event.kind == EventKind::allocate && event.thread == events_[write].thread &&
                 event.object <= address && address - event.object < event.value;
        });
  }

  // Both writes are of one call of one function, or of what it calls to write them.
  bool one_update(std::size_t one, std::size_t other) const {
    const std::size_t call = search_.history.call(one);
    // The end of an object is no half of an update of it.
    const auto destroys = [&](std::size_t write) {
      return is_destructor(own_function(search_.trace.site(events_[write].site)));
    };
    if (destroys(one) || destroys(other)) return false;
    return call != 0 && (call == search_.history.call(other) ||
                         (are_of_a_kind(one, other) && called_from_two_lines(one, other)));
  }

  // A function may well call others that write what has nothing to do with each other. Parts of one
  // object, the same member of two, and what one lock is held for belong together.
  bool are_of_a_kind(std::size_t one, std::size_t other) const {
    const Site& a = search_.trace.site(events_[one].site);
    const Site& b = search_.trace.site(events_[other].site);
    const bool one_object = events_[one].object - a.offset == events_[other].object - b.offset;
    if (a.cls == b.cls && (a.cls.empty() || a.field == b.field || one_object)) return true;
    const std::vector<std::uint64_t> held = stacks_.held(one);
    return std::any_of(held.begin(), held.end(), [&](std::uint64_t lock) {
      return stacks_.taken(one, lock) == stacks_.taken(other, lock);
    });
  }

  const CauseSearch& search_;
  const std::vector<Event>& events_;
  ExplainedStacks stacks_;
};

// A lock that is held at each of the four, but not all the time from one to the other.
void add_common_lock(Explanation& explanation, const Torn& torn, const Storyteller& teller) {
  const ExplainedStacks& stacks = teller.stacks();
  for (const std::uint64_t lock : stacks.held(torn.read_a)) {
    const bool everywhere = torn.write_b && stacks.taken(torn.read_b, lock) &&
                            stacks.taken(torn.write_a, lock) && stacks.taken(*torn.write_b, lock);
    if (!everywhere) continue;
    explanation.lock = ExplainedLock{};
    explanation.lock->name = teller.lock_name(lock);
    explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
    explanation.reads_as_one = stacks.taken(torn.read_a, lock) == stacks.taken(torn.read_b, lock);
    return;
  }
}

// A lock that is held at both reads, and taken anew for the second: each function takes it itself.
void add_lock_of_each(Explanation& explanation, const Torn& torn, const Storyteller& teller) {
  const ExplainedStacks& stacks = teller.stacks();
  for (const std::uint64_t lock : stacks.held(torn.read_a)) {
    const auto first = stacks.taken(torn.read_a, lock);
    const auto last = stacks.taken(torn.read_b, lock);
    const bool by_writer = torn.write_b && stacks.taken(torn.write_a, lock) &&
                           stacks.taken(torn.write_a, lock) == stacks.taken(*torn.write_b, lock);
    if (!last || first == last || !by_writer) continue;
    explanation.lock = ExplainedLock{};
    explanation.lock->name = teller.lock_name(lock);
    explanation.lock->first = explanation.lock->middle = explanation.lock->last = true;
    for (const ExplainedAccess* read : {&explanation.first, &explanation.last}) {
      if (!explanation.lockers.empty() && explanation.lockers.back() == read->function) continue;
      explanation.lockers.push_back(read->function);
    }
    return;
  }
}

// Two members of one name, of two members of one class: the steps say whose they are.
void tell_fields_apart(Explanation& explanation, const Storyteller& teller,
                       const std::set<std::size_t>& shown) {
  if (explanation.object.field != explanation.other.field || explanation.one_object) return;
  auto step = explanation.steps.begin();
  for (const std::size_t event : shown) {
    if (step == explanation.steps.end()) return;
    const std::string name = teller.object(event).name;
    const std::size_t dot = name.find('.');
    step->object = dot == std::string::npos ? name : name.substr(dot + 1);
    ++step;
  }
}

Explanation as_published(Explanation torn, bool locked) {
  torn.made_locked = locked;
  torn.cause = Cause::kUnsafePublication;
  torn.suggestion = Suggestion::kPublishLast;
  std::swap(torn.object, torn.other);
  std::swap(torn.first, torn.middle);
  return torn;
}

}  // namespace

void name_callers(ExplainedAccess& one, const std::vector<Where>& stack, ExplainedAccess& other,
                  const std::vector<Where>& other_stack) {
  const bool same = one.where.file == other.where.file && one.where.line == other.where.line;
  if (!same || stack.size() < 2 || other_stack.size() < 2) return;
  if (stack[1].line == 0 || other_stack[1].line == 0) return;
  if (stack[1].file == other_stack[1].file && stack[1].line == other_stack[1].line) return;
  one.where = stack[1];
  other.where = other_stack[1];
}

bool is_no_news(const AccessHistory& history, std::size_t write) {
  const Event& event = history.trace().all()[write];
  if (is_constructor(own_function(history.trace().site(event.site)))) return true;
  const auto before = history.last_write(event.object, write);
  const auto value = value_written(event);
  return before && value && value == value_written(history.trace().all()[before->event]);
}

bool is_one_object(const Explanation& explanation, const Event& one, const Event& other) {
  const std::uint64_t apart =
      one.object < other.object ? other.object - one.object : one.object - other.object;
  return !explanation.object.name.empty() && explanation.object.name == explanation.other.name &&
         apart <= std::max(one.size, other.size);
}

std::optional<Explanation> find_torn_pair(const CauseSearch& search) {
  const std::optional<Torn> found = TornSearch(search).find();
  if (!found) return std::nullopt;
  std::set<std::size_t> shown = {found->read_a, found->read_b, found->write_a};
  if (found->write_b) shown.insert(*found->write_b);
  // Which functions an object has changes while it is made and destroyed, and under no lock.
  const auto of_vptr = [&](std::size_t event) {
    return search.trace.site(search.events()[event].site).field.ends_with(kVptrField);
  };
  if (std::any_of(shown.begin(), shown.end(), of_vptr)) return std::nullopt;
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at(shown);
  Explanation explanation;
  explanation.cause = Cause::kTornPair;
  explanation.first_is_old = found->read_a < found->write_a;
  explanation.object = teller.object(found->read_a);
  explanation.other = teller.object(found->read_b);
  explanation.one_object =
      is_one_object(explanation, search.events()[found->read_a], search.events()[found->read_b]);
  explanation.first = teller.access(found->read_a);
  explanation.middle = teller.access(found->write_a);
  explanation.last = teller.access(found->read_b);
  teller.add_steps(explanation, shown, std::max(found->read_a, found->read_b));
  if (found->write_b) {
    explanation.change = teller.access(*found->write_b);
  } else {
    ExplainedStep step;
    step.thread = found->pending->id;
    step.step = search.events().back().step + 1;
    step.action = StepAction::kAboutToWrite;
    step.object = explanation.other.field;
    for (const Frame& frame : found->pending->stack) {
      if (!frame.in_program) continue;
      step.where = frame.where;
      break;
    }
    ExplainedAccess change;
    change.thread = step.thread;
    change.where = step.where;
    change.writes = true;
    explanation.change = change;
    teller.add_step(explanation, std::move(step));
  }
  if (!explanation.one_object) {
    const ExplainedStacks& stacks = teller.stacks();
    name_callers(explanation.first, stacks.stack(found->read_a), explanation.last,
                 stacks.stack(found->read_b));
    if (found->write_b) {
      name_callers(explanation.middle, stacks.stack(found->write_a), *explanation.change,
                   stacks.stack(*found->write_b));
    }
  }
  tell_fields_apart(explanation, teller, shown);
  if (is_flag(search.events(), *found) || is_pointer(search.events(), *found))
    return as_published(std::move(explanation), !teller.stacks().held(found->write_a).empty());
  add_lock_of_each(explanation, *found, teller);
  explanation.suggestion = explanation.lock ? Suggestion::kLockOnce : Suggestion::kGuardPair;
  if (!explanation.lock) add_common_lock(explanation, *found, teller);
  return explanation;
}

}  // namespace raddle
