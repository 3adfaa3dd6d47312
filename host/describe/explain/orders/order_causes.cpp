// What came too early or too late.
#include <algorithm>
#include <map>

#include "host/describe/explain/events/given_on.hpp"
#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;  // of the failing thread, that its failure may depend on

bool writes_memory(OpKind op) {
  return op == OpKind::memory_write || op == OpKind::atomic_store || op == OpKind::atomic_update;
}

// The variable without its element: "table[3]" and "table[0]" are parts of one.
std::string whole_variable(const std::string& name) {
  return name.substr(0, name.find_first_of("[+"));
}

class TooEarly {
 public:
  explicit TooEarly(const CauseSearch& search)
      : search_(search), teller_(search.trace, search.failure, search.symbols) {}

  std::optional<Explanation> run() {
    const auto reads =
        search_.history.last_reads(search_.failing, search_.events().size(), kMostReads);
    for (const Access& read : reads) {
      for (const ThreadLine& line : search_.failure.threads) {
        if (line.id == search_.failing || !is_about_to_write(line, read)) continue;
        if (!nobody_else_wrote(read, line.id)) continue;
        if (auto explanation = told(read, line)) return explanation;
      }
    }
    return std::nullopt;
  }

 private:
  bool is_about_to_write(const ThreadLine& line, const Access& read) {
    if (line.doing.kind != Doing::Kind::kAboutTo || !writes_memory(line.doing.op)) return false;
    if (line.address == 0) return false;
    const Event& event = search_.events()[read.event];
    if (line.address == event.object) return true;
    const ObjectName& name = line.doing.object.name;
    const bool local = name.kind == ObjectName::Kind::kLocal;
    if (!local &&
        (name.kind != ObjectName::Kind::kVariable || name.path.find('[') == std::string::npos)) {
      return false;
    }
    teller_.look_at({read.event});
    // Another part of what a constructor is about to make.
    if (local) return makes_it(line) && teller_.object(read.event).name == name.path;
    return whole_variable(teller_.object(read.event).name) == whole_variable(name.path);
  }

  static bool makes_it(const ThreadLine& line) {
    return std::any_of(line.stack.begin(), line.stack.end(),
                       [](const Frame& frame) { return is_constructor(frame.where.function); });
  }

  // It has its first value yet: at most the writer itself made it, once, or somebody before there
  // were both threads.
  bool nobody_else_wrote(const Access& read, ThreadId writer) const {
    const std::size_t both = std::max(search_.history.creation(writer).value_or(0),
                                      search_.history.creation(search_.failing).value_or(0));
    std::size_t writes = 0;
    for (const AccessHistory::Entry& entry :
         search_.history.at(search_.events()[read.event].object)) {
      if (!entry.access.writes) continue;
      if (entry.access.thread != writer && entry.access.event < both) continue;
      if (entry.access.thread != writer || ++writes > 1) return false;
    }
    return true;
  }

  // What the writer wrote after it had created the reader, and the reader saw before it read.
  std::optional<std::pair<std::size_t, std::size_t>> made_known(const Access& read,
                                                                ThreadId writer) const {
    const auto created = search_.history.creation(search_.failing);
    const std::vector<Event>& events = search_.events();
    for (const Access& look : search_.history.last_reads(search_.failing, read.event, kMostReads)) {
      const auto write = search_.history.last_write(events[look.event].object, look.event);
      if (!write || write->thread != writer) continue;
      if (created && write->event < *created) continue;
      if (!makes_known(events[write->event], events[read.event])) continue;
      const auto outer = given_on(search_.history, events[write->event].object, look.event, writer);
      if (outer) return std::pair(outer->write, outer->look);
      return std::pair(write->event, look.event);
    }
    return std::nullopt;
  }

  // A pointer to it, a flag, or an atomic variable that stands for plain data: not another value
  // beside it.
  static bool makes_known(const Event& known, const Event& read) {
    constexpr std::uint64_t kSmallObject = 4096;
    const std::uint64_t value = value_written(known).value_or(0);
    const bool pointer =
        known.size == 8 && value <= read.object && read.object - value < kSmallObject;
    return pointer || known.size == 1 || (is_atomic(known.kind) && !is_atomic(read.kind));
  }

  // The writer wrote something else that the reader saw: two values that belong together.
  bool half_seen(const Access& read, ThreadId writer) const {
    const auto created = search_.history.creation(search_.failing);
    for (const Access& look :
         search_.history.last_reads(search_.failing, search_.events().size(), kMostReads)) {
      const auto write =
          search_.history.last_write(search_.events()[look.event].object, look.event);
      const bool late = write && (!created || write->event > *created);
      if (late && write->thread == writer && look.event != read.event) return true;
    }
    return false;
  }

  // It has a value, and lies in no memory that was allocated: it was set before Raddle saw it.
  bool was_set(const Access& read) const {
    const Event& event = search_.events()[read.event];
    if (value_read(event).value_or(0) == 0) return false;
    return std::none_of(search_.events().begin(), search_.events().end(), [&](const Event& other) {
      return other.kind == EventKind::allocate && other.object <= event.object &&
             event.object < other.object + other.value;
    });
  }

  std::optional<Explanation> told(const Access& read, const ThreadLine& writer) {
    const auto known = made_known(read, writer.id);
    if (!known && half_seen(read, writer.id)) return std::nullopt;
    const auto created = search_.history.creation(search_.failing);
    const bool starter = created && search_.events()[*created].thread == writer.id;
    // What is made yet holds anything.
    if (!known && (!starter || (was_set(read) && !makes_it(writer)))) return std::nullopt;
    std::set<std::size_t> events = {read.event};
    if (known) events.insert({known->first, known->second});
    if (!known) events.insert(*created);
    teller_.look_at(events);
    Explanation explanation;
    explanation.cause = known ? Cause::kUnsafePublication : Cause::kUsedBeforeInit;
    explanation.object = teller_.object(read.event);
    // Another element of the same array: it is about the array.
    if (writer.address != search_.events()[read.event].object) {
      const std::string whole = whole_variable(explanation.object.name);
      explanation.object = {whole, whole, {}};
    }
    teller_.add_steps(explanation, events, read.event);
    if (known) {
      explanation.other = teller_.object(known->first);
      explanation.first = teller_.access(known->first);
      explanation.middle = teller_.access(known->second);
      explanation.last = teller_.access(read.event);
      explanation.suggestion = Suggestion::kPublishLast;
      explanation.made_locked = !teller_.stacks().held(known->first).empty();
    } else {
      explanation.first = teller_.access(read.event);
      explanation.last = pending(writer);
      explanation.started = teller_.where(*created);
      const std::vector<std::string>& makes = explanation.last.inside;
      const bool inside =
          std::find(makes.begin(), makes.end(), explanation.started->function) != makes.end();
      if (inside && is_constructor(explanation.started->function))
        explanation.function = explanation.started->function;
      explanation.suggestion = Suggestion::kWriteBeforeStart;
      if (teller_.is_of_vptr(read.event)) tell_as_call(explanation);
    }
    explanation.change = pending(writer);
    ExplainedStep step;
    step.thread = writer.id;
    step.step = search_.events().empty() ? 0 : search_.events().back().step + 1;
    step.where = explanation.change->where;
    step.action = StepAction::kAboutToWrite;
    teller_.add_step(explanation, std::move(step));
    return explanation;
  }

  static ExplainedAccess pending(const ThreadLine& line) {
    ExplainedAccess access;
    access.thread = line.id;
    access.writes = true;
    for (const Frame& frame : line.stack) {
      if (!frame.in_program) continue;
      if (access.inside.empty()) access.where = frame.where;
      access.inside.push_back(frame.where.function);
    }
    access.function = unqualified(access.where.function);
    return access;
  }

  const CauseSearch& search_;
  Storyteller teller_;
};

}  // namespace

std::optional<Explanation> find_use_before_write(const CauseSearch& search) {
  return TooEarly(search).run();
}

}  // namespace raddle
