#include "report/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "report/event_words.hpp"
#include "report/explained_stack.hpp"
#include "report/interference.hpp"
#include "report/layout.hpp"
#include "report/names.hpp"
#include "report/printable.hpp"

namespace raddle {
namespace {

constexpr std::size_t kManySteps = 6;
constexpr std::size_t kMostSteps = 10;

std::string label(ThreadId id) { return fmt::format("T{}", raw(id)); }

// The accesses of one thread in one call, without another thread in between.
struct Group {
  std::vector<Access> accesses;
  ThreadId thread() const { return accesses.front().thread; }
};

class Explainer {
 public:
  Explainer(const KeptTrace& trace, const Failure& failure, const Interference& found,
            Symbolizer& symbols)
      : trace_(trace), failure_(failure), found_(found), stacks_(trace, symbols) {}

  Explanation run() {
    group();
    stacks_.look_at(interesting());
    learn_names();
    choose_function();
    Explanation explanation;
    explanation.title = title();
    explanation.summary = summary();
    add_steps(explanation);
    explanation.sentences.push_back(assumption());
    if (const std::string locks = lock_words(); !locks.empty()) {
      explanation.sentences.push_back(locks);
    }
    explanation.suggestion = suggestion();
    return explanation;
  }

 private:
  const Event& event(const Access& access) const { return trace_.all()[access.event]; }
  bool of_locks() const { return found_.kind == InterferenceKind::kLockReacquired; }

  // From the first access to the last, and on as long as the same thread goes on with it.
  void group() {
    std::vector<Access> all =
        accesses_between(trace_, found_.object, found_.first.event, trace_.all().size());
    const auto after = std::find_if(all.begin(), all.end(), [&](const Access& access) {
      return access.event > found_.last.event && access.thread != found_.last.thread;
    });
    all.erase(after, all.end());
    stacks_.look_at([&] {
      std::set<std::size_t> events;
      for (const Access& access : all) events.insert(access.event);
      return events;
    }());
    for (const Access& access : all) {
      const bool same = !groups_.empty() && groups_.back().thread() == access.thread &&
                        !of_locks() &&
                        stacks_.call(groups_.back().accesses.back().event, found_.common) ==
                            stacks_.call(access.event, found_.common);
      const bool after_last = access.event > found_.last.event;
      // More of the same, long after, explains nothing.
      if (after_last && !same) break;
      if (same) {
        groups_.back().accesses.push_back(access);
      } else {
        groups_.push_back({{access}});
      }
    }
    shorten();
  }

  bool has(const Group& one, const Access& wanted) const {
    return std::any_of(one.accesses.begin(), one.accesses.end(),
                       [&](const Access& access) { return access.event == wanted.event; });
  }
  bool matters(const Group& one) const {
    return has(one, found_.first) || has(one, found_.middle) || has(one, found_.last);
  }

  // What matters stays; then who wrote; then those just before the last.
  void shorten() {
    const auto reads_only = [&](const Group& one) {
      return !matters(one) && std::none_of(one.accesses.begin(), one.accesses.end(),
                                           [](const Access& access) { return access.writes; });
    };
    if (groups_.size() > kManySteps) std::erase_if(groups_, reads_only);
    if (groups_.size() <= kMostSteps) return;
    std::vector<Group> kept;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (matters(groups_[i]) || i + kMostSteps - 2 >= groups_.size()) kept.push_back(groups_[i]);
    }
    groups_ = std::move(kept);
  }

  std::set<std::size_t> interesting() const {
    std::set<std::size_t> events = {found_.first.event, found_.middle.event, found_.last.event};
    for (const Group& one : groups_) {
      for (const Access& access : one.accesses) events.insert(access.event);
    }
    return events;
  }

  void learn_names() {
    std::set<std::uint64_t> locks;
    for (const Access* access : {&found_.first, &found_.middle, &found_.last}) {
      for (const std::uint64_t lock : stacks_.held(access->event)) locks.insert(lock);
    }
    ObjectNames names;
    const std::set<std::size_t> wanted = interesting();
    trace_.tell(names, [&](std::size_t index) {
      if (!wanted.contains(index)) return;
      const Event& now = trace_.all()[index];
      if (index == found_.first.event) {
        object_ = without_frame(printable(names.name(now, NameForm::kField)));
        short_object_ = printable(names.sites()[now.site].field);
        if (short_object_.empty()) short_object_ = object_;
      }
      if (of_locks() && object_.starts_with("0x")) name_lock(now);
      for (const std::uint64_t lock : locks) {
        lock_names_[lock] = without_frame(printable(names.name(lock, NameForm::kField)));
      }
      thread_names_[raw(now.thread)] = printable(names.thread_name(now.thread));
      values_[index] = words_of(now, names);
    });
  }

  // The failure's own steps know locks by the debug information: "lock account.mutex_ in main".
  void name_lock(const Event& acquired) {
    for (const ThreadLine& thread : failure_.threads) {
      for (const StepLine& step : thread.last_steps) {
        const bool same = thread.id == raw(acquired.thread) && step.step == acquired.step;
        const std::size_t at = step.brief.find("lock ");
        if (same && at != std::string::npos) object_ = without_frame(step.brief.substr(at + 5));
      }
    }
    if (object_.starts_with("0x")) object_ = "the lock";
  }

  // A local variable without the function that it is in: the places say that.
  static std::string without_frame(const std::string& name) {
    return name.substr(0, name.find(" in "));
  }

  struct Values {
    std::string read;
    std::string written;
  };
  static Values words_of(const Event& now, const ObjectNames& names) {
    if ((now.flags & kNoValue) != 0 && is_access(now.kind)) return {};
    const std::string value = number(value_words(now.value, now.size, names));
    const std::string second = number(value_words(now.value2, now.size, names));
    if (now.kind == EventKind::read || now.kind == EventKind::atomic_load) return {value, {}};
    if (now.kind == EventKind::write) return {{}, value};
    if (now.kind == EventKind::atomic_store) return {{}, second};
    if (now.kind == EventKind::atomic_update) return {value, second};
    if (now.kind == EventKind::atomic_compare) {
      return {value, (now.flags & kSuccess) != 0 ? second : std::string()};
    }
    return {};
  }

  // Addresses say nothing here.
  static std::string number(const std::string& value) {
    return value.starts_with("&") || value.starts_with("0x") ? std::string() : printable(value);
  }

  // The function that the disturbed thread was in all the time.
  void choose_function() {
    if (found_.depth > 0) function_ = stacks_.function(found_.common);
  }

  struct Seen {
    Where where;         // in function_, or where the access itself is
    std::string callee;  // what was called there; empty if the access itself is there
  };
  Seen seen(std::size_t index) const {
    const std::vector<Where> stack = stacks_.stack(index);
    for (std::size_t i = 0; i < stack.size() && !function_.empty(); ++i) {
      if (stack[i].function != function_ || stack[i].file.empty()) continue;
      return {stack[i], i == 0 ? std::string() : stack[i - 1].function};
    }
    return {stack.empty() ? Where{} : stack.front(), {}};
  }
  std::string place(std::size_t index) const { return short_place(seen(index).where); }

  std::string group_words(const Group& one) const {
    const Seen at = seen(one.accesses.front().event);
    std::string text = at.callee.empty() ? std::string() : last_name(at.callee) + "()  ";
    if (of_locks()) return text + "locks " + object_;
    std::string read;
    std::string written;
    bool writes = false;
    bool reads = false;
    for (const Access& access : one.accesses) {
      const Values& values = values_.at(access.event);
      if (read.empty() && !writes) read = values.read;
      reads = reads || (access.reads && !writes);
      if (access.writes) written = values.written;
      writes = writes || access.writes;
    }
    if (!writes) return text + fmt::format("reads {}{}", short_object_, equals(read));
    if (reads && (read.empty() || written.empty())) return text + "changes " + short_object_;
    if (!reads) return text + fmt::format("writes {}{}", short_object_, equals(written));
    return text + fmt::format("{} {} -> {}", short_object_, read, written);
  }
  static std::string equals(const std::string& value) {
    return value.empty() ? std::string() : " = " + value;
  }
  static std::string last_name(const std::string& function) {
    const std::size_t at = function.rfind("::");
    const std::string name = at == std::string::npos ? function : function.substr(at + 2);
    return name.empty() || name.front() == '{' ? function : name;
  }

  void add_steps(Explanation& explanation) const {
    for (const Group& one : groups_) {
      const std::size_t first = one.accesses.front().event;
      ExplainedStep step;
      step.thread = raw(one.thread());
      step.step = trace_.all()[first].step;
      step.where = seen(first).where;
      step.what = group_words(one);
      step.violates =
          std::any_of(one.accesses.begin(), one.accesses.end(),
                      [&](const Access& access) { return access.event == violation(); });
      if (!explanation.steps.empty()) {
        const ExplainedStep& before = explanation.steps.back();
        const bool again = before.thread == step.thread && before.what == step.what &&
                           before.where.line == step.where.line && !before.violates;
        if (again) explanation.steps.pop_back();
      }
      explanation.steps.push_back(std::move(step));
    }
    for (const auto& [id, name] : thread_names_) {
      ThreadLine line;
      line.id = id;
      const auto known = std::find_if(failure_.threads.begin(), failure_.threads.end(),
                                      [id = id](const ThreadLine& t) { return t.id == id; });
      if (known != failure_.threads.end() && !known->name.empty()) {
        line.name = known->name;
      } else {
        line.name = name.substr(std::min(name.find(' ') + 1, name.size()));
        std::erase(line.name, '"');
      }
      explanation.threads.push_back(std::move(line));
    }
  }

  std::size_t violation() const {
    return found_.kind == InterferenceKind::kIntermediate ? found_.middle.event : found_.last.event;
  }

  // A read and a write that belong to one update, not a decision and what follows from it.
  bool is_update() const {
    return found_.kind == InterferenceKind::kCheckThenAct &&
           stacks_.stack(found_.first.event).front().line ==
               stacks_.stack(found_.last.event).front().line;
  }
  // The thread goes on to write what it read again.
  bool acts() const {
    if (found_.kind == InterferenceKind::kCheckThenAct) return true;
    if (found_.kind != InterferenceKind::kReadAgain || groups_.empty()) return false;
    const std::vector<Access>& last = groups_.back().accesses;
    return std::any_of(last.begin(), last.end(), [](const Access& a) { return a.writes; });
  }

  std::string title() const {
    switch (found_.kind) {
      case InterferenceKind::kReadAgain:
        return (acts() ? "check-then-act on " : "two reads that differ: ") + object_;
      case InterferenceKind::kOverwritten:
        return "overwritten before it was used: " + object_;
      case InterferenceKind::kCheckThenAct:
        return (is_update() ? "lost update of " : "check-then-act on ") + object_;
      case InterferenceKind::kIntermediate:
        return "seen half-way: " + object_;
      case InterferenceKind::kLockReacquired:
        return "released and taken again: " + object_;
    }
    return object_;
  }

  std::string who(const Access& access) const {
    const Seen at = seen(access.event);
    const std::string function = at.callee.empty() ? at.where.function : at.callee;
    return function.empty() ? label(access.thread) : last_name(function) + "()";
  }

  std::string summary() const {
    const std::string first = place(found_.first.event);
    const std::string last = place(found_.last.event);
    switch (found_.kind) {
      case InterferenceKind::kReadAgain:
      case InterferenceKind::kCheckThenAct:
        return fmt::format("{} {} used what {} had changed since {}", last, who(found_.last),
                           label(found_.middle.thread), first);
      case InterferenceKind::kOverwritten:
        return fmt::format("{} {} found what {} had written since {}", last, who(found_.last),
                           label(found_.middle.thread), first);
      case InterferenceKind::kIntermediate:
        return fmt::format("{} {} saw it between {} and {} of {}", place(found_.middle.event),
                           who(found_.middle), first, last, label(found_.last.thread));
      case InterferenceKind::kLockReacquired:
        return fmt::format("{} had it between {} and {} of {}", label(found_.middle.thread), first,
                           last, label(found_.last.thread));
    }
    return {};
  }

  std::string assumption() const {
    const auto value = [&](const Access& access, bool written) {
      const Values& values = values_.at(access.event);
      return written || values.read.empty() ? values.written : values.read;
    };
    const std::string first = place(found_.first.event);
    const std::string last = place(found_.last.event);
    const std::string now =
        found_.last.reads ? value(found_.last, false) : value(found_.middle, true);
    switch (found_.kind) {
      case InterferenceKind::kReadAgain:
      case InterferenceKind::kCheckThenAct:
        if (is_update()) {
          return fmt::format("{} read {} at {}, and wrote over what {} had written meanwhile{}.",
                             label(found_.first.thread), value(found_.first, false), first,
                             label(found_.middle.thread),
                             now.empty() ? std::string() : fmt::format(" ({})", now));
        }
        if (value(found_.first, false).empty() || now.empty()) {
          return fmt::format("{} looked at it at {}, and it had changed when {} used it at {}.",
                             who(found_.first), first, who(found_.last), last);
        }
        return fmt::format("{} read {} at {}, and it was {} when {} used it at {}.",
                           who(found_.first), value(found_.first, false), first, now,
                           who(found_.last), last);
      case InterferenceKind::kOverwritten:
        return fmt::format("{} wrote {} at {}, and it was {} when {} read it at {}.",
                           who(found_.first), or_it(value(found_.first, true)), first, or_it(now),
                           who(found_.last), last);
      case InterferenceKind::kIntermediate:
        return fmt::format("{} read {}, which {} wrote at {} and had not finished with before {}.",
                           who(found_.middle), or_it(value(found_.middle, false)),
                           label(found_.first.thread), first, last);
      case InterferenceKind::kLockReacquired:
        return fmt::format(
            "{} released {} after {} and took it again at {}; {} held it in between. What {} "
            "learned the first time need not be so any more.",
            label(found_.first.thread), object_, first, last, label(found_.middle.thread),
            label(found_.first.thread));
    }
    return {};
  }
  static std::string or_it(const std::string& value) { return value.empty() ? "it" : value; }

  std::vector<std::uint64_t> common_locks(std::size_t a, std::size_t b) const {
    std::vector<std::uint64_t> both;
    const std::vector<std::uint64_t> of_b = stacks_.held(b);
    for (const std::uint64_t lock : stacks_.held(a)) {
      if (std::find(of_b.begin(), of_b.end(), lock) != of_b.end()) both.push_back(lock);
    }
    return both;
  }

  // The lock that the other thread holds, and what the disturbed one does with it.
  std::optional<std::uint64_t> lock() const {
    if (of_locks()) return found_.object;
    const std::vector<std::uint64_t> both = common_locks(found_.first.event, found_.last.event);
    for (const std::uint64_t lock : stacks_.held(found_.middle.event)) {
      if (std::find(both.begin(), both.end(), lock) != both.end()) return lock;
    }
    const std::vector<std::uint64_t> other = stacks_.held(found_.middle.event);
    if (!other.empty()) return other.back();
    if (!both.empty()) return both.back();
    return std::nullopt;
  }

  std::string lock_name(std::uint64_t lock) const {
    if (of_locks()) return object_;
    const auto known = lock_names_.find(lock);
    const bool named = known != lock_names_.end() && !known->second.starts_with("block") &&
                       !known->second.starts_with("0x");
    if (named) return known->second;
    for (const Access* access : {&found_.middle, &found_.first, &found_.last}) {
      if (const auto taken = stacks_.taken(access->event, lock)) {
        return "the lock of " + short_place(stacks_.stack(*taken).front());
      }
    }
    return "the lock";
  }

  bool holds(const Access& access, std::uint64_t lock) const {
    const std::vector<std::uint64_t> held = stacks_.held(access.event);
    return std::find(held.begin(), held.end(), lock) != held.end();
  }

  std::string between() const {
    const Where first = seen(found_.first.event).where;
    const Where last = seen(found_.last.event).where;
    if (first.file == last.file && first.line != last.line) {
      return fmt::format("lines {} and {}", std::min(first.line, last.line),
                         std::max(first.line, last.line));
    }
    if (first.file == last.file) return fmt::format("the two, at {}", short_place(first));
    return fmt::format("{} and {}", short_place(first), short_place(last));
  }

  std::string lock_words() const {
    const std::optional<std::uint64_t> which = lock();
    if (of_locks()) return {};
    if (!which) return fmt::format("No lock is held at any of these places.");
    const std::string name = lock_name(*which);
    const bool first = holds(found_.first, *which);
    const bool last = holds(found_.last, *which);
    if (first && last && holds(found_.middle, *which)) {
      return fmt::format("{} is held each time, and released between {}.", name, between());
    }
    if (first && last) {
      return fmt::format("{} holds {}, and {} does not.", label(found_.first.thread), name,
                         label(found_.middle.thread));
    }
    return fmt::format("{} holds {}, and {} does not{}.", label(found_.middle.thread), name,
                       label(found_.first.thread), first || last ? " all the time" : "");
  }

  std::string region() const {
    const Where first = seen(found_.first.event).where;
    const Where last = seen(found_.last.event).where;
    const std::string in = function_.empty() ? "" : fmt::format(" in {}", function_);
    if (first.file == last.file && first.line == last.line) {
      return fmt::format("over all of {}{}", short_place(first), in);
    }
    return fmt::format("from {} to {}{}", short_place(first), short_place(last), in);
  }

  std::string suggestion() const {
    const std::optional<std::uint64_t> which = lock();
    if (!which) {
      const bool atomic = is_atomic(event(found_.first).kind) && is_atomic(event(found_.last).kind);
      return fmt::format("guard {} with a mutex, held {}, and at {}{}.", short_object_, region(),
                         place(found_.middle.event),
                         atomic && found_.kind == InterferenceKind::kCheckThenAct
                             ? "; or make it one atomic operation"
                             : "");
    }
    std::string text = fmt::format("hold {} {}", lock_name(*which), region());
    const bool everywhere = of_locks() || holds(found_.middle, *which);
    if (!everywhere) text += fmt::format(", and at {}", place(found_.middle.event));
    return text + ".";
  }

  const KeptTrace& trace_;
  const Failure& failure_;
  const Interference& found_;
  ExplainedStacks stacks_;
  std::vector<Group> groups_;
  std::string object_;
  std::string short_object_;
  std::string function_;
  std::unordered_map<std::uint64_t, std::string> lock_names_;
  std::map<std::uint16_t, std::string> thread_names_;
  std::unordered_map<std::size_t, Values> values_;
};

// A thread waits for a condition that was signalled when nobody waited.
std::optional<Explanation> lost_signal(const KeptTrace& trace, const Failure& failure) {
  if (failure.kind != OutcomeKind::kDeadlock || !failure.cycle.empty()) return std::nullopt;
  std::map<std::uint16_t, std::size_t> waiting;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].kind == EventKind::wait) waiting[raw(events[i].thread)] = i;
    if (events[i].kind == EventKind::wake) waiting.erase(raw(events[i].thread));
  }
  for (const auto& [thread, wait] : waiting) {
    for (std::size_t i = wait; i-- > 0;) {
      const Event& event = events[i];
      if (event.kind != EventKind::notify || event.object != events[wait].object) continue;
      if (event.value != 0) break;
      ObjectNames names;
      Explanation explanation;
      trace.tell(names, [&](std::size_t index) {
        if (index != i && index != wait) return;
        const Event& now = events[index];
        const SiteName& site = names.sites()[now.site];
        ExplainedStep step{raw(now.thread), now.step,
                           Where{site.file, site.line, short_function(site.function)},
                           printable(event_words(now, names, NameForm::kField)), index == wait};
        ThreadLine line;
        line.id = raw(now.thread);
        const auto known = std::find_if(failure.threads.begin(), failure.threads.end(),
                                        [&](const ThreadLine& t) { return t.id == line.id; });
        if (known != failure.threads.end()) line.name = known->name;
        const bool listed = std::any_of(explanation.threads.begin(), explanation.threads.end(),
                                        [&](const ThreadLine& t) { return t.id == line.id; });
        if (!listed) explanation.threads.push_back(std::move(line));
        explanation.title = "lost signal: " + printable(names.name(now, NameForm::kField));
        explanation.steps.push_back(std::move(step));
      });
      explanation.sentences.push_back(
          fmt::format("The signal came before T{} waited: nobody was there to be woken, and a "
                      "condition variable remembers nothing.",
                      thread));
      explanation.suggestion =
          "set a variable under the lock before the signal, and wait in a loop that looks at it.";
      return explanation;
    }
  }
  return std::nullopt;
}

bool waits_for_lock(const ThreadLine& thread) {
  return thread.blocked && thread.doing.find("lock ") != std::string::npos;
}

std::optional<Explanation> lock_cycle(const Failure& failure) {
  if (failure.kind != OutcomeKind::kDeadlock || failure.cycle.size() < 2) return std::nullopt;
  const auto waiting = static_cast<std::size_t>(
      std::count_if(failure.threads.begin(), failure.threads.end(), waits_for_lock));
  if (waiting < failure.cycle.size()) return std::nullopt;
  Explanation explanation;
  explanation.sentences.push_back("Each of them holds what the next one waits for.");
  explanation.suggestion =
      "let every thread take these locks in the same order, or all at once (std::scoped_lock).";
  return explanation;
}

}  // namespace

Explanation explain(const KeptTrace& trace, const Failure& failure, Symbolizer& symbols) {
  if (auto cycle = lock_cycle(failure)) return std::move(*cycle);
  if (failure.kind == OutcomeKind::kDeadlock) {
    return lost_signal(trace, failure).value_or(Explanation{});
  }
  const std::optional<Interference> found = find_interference(trace, ThreadId{failure.thread});
  if (!found) return {};
  return Explainer(trace, failure, *found, symbols).run();
}

}  // namespace raddle
