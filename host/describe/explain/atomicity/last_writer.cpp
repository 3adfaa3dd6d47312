// No cause, but facts: who wrote what the failing thread read last.
#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/describe/explain/events/storyteller.hpp"
#include "host/describe/explain/search/cause_search.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 8;

// A name that tells the reader something: not that of a node inside the C++ library, nor of a
// variable of the C library.
bool is_telling(const ExplainedObject& object) {
  constexpr std::string_view kOfLibrary[] = {"stdin", "stdout", "stderr", "environ"};
  return !object.name.empty() && !object.name.starts_with("std::_") &&
         std::find(std::begin(kOfLibrary), std::end(kOfLibrary), object.name) ==
             std::end(kOfLibrary);
}

// What it crashed at or asserted, and read last, has the value that it began with: its writer comes
// later, or never.
std::optional<Explanation> find_unwritten(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  const OutcomeKind kind = search.failure.kind;
  if (kind != OutcomeKind::kCrash && kind != OutcomeKind::kAssertion &&
      kind != OutcomeKind::kMemoryFault)
    return std::nullopt;
  const std::vector<Access> reads = search.history.last_reads(search.failing, events.size(), 1);
  if (reads.empty()) return std::nullopt;
  const std::size_t read = reads.front().event;
  if (is_written(events, read, 0)) return std::nullopt;
  // The library's own code may have read something since, on behalf of the program.
  for (std::size_t i = read + 1; i < events.size(); ++i) {
    const bool own = events[i].thread == search.failing && access_of(events[i], i).reads;
    if (own && events[i].object != events[read].object) return std::nullopt;
  }
  Storyteller teller(search.trace, search.failure, search.symbols);
  teller.look_at({read});
  Explanation explanation;
  explanation.cause = Cause::kLastWriter;
  explanation.object = teller.object(read);
  explanation.last = teller.access(read);
  explanation.first = explanation.last;  // which is no write: there is none
  if (!is_telling(explanation.object) || explanation.last.where.line == 0) return std::nullopt;
  teller.add_steps(explanation, {read}, read);
  return explanation;
}

// Nothing that can be seen wrote there in between, the library's own code included, and what was
// read is what was written.
bool is_last(const CauseSearch& search, const Access& write, const Access& read) {
  const std::vector<Event>& events = search.events();
  const auto written = value_written(events[write.event]);
  const auto seen = value_read(events[read.event]);
  if (written && seen && *written != *seen) return false;
  for (std::size_t i = write.event + 1; i < read.event; ++i) {
    const bool same = events[i].object == events[read.event].object;
    if (same && access_of(events[i], i).writes) return false;
  }
  return true;
}

// What another thread had written there before, and the writer wrote over without a look at it.
std::optional<Access> unseen_by_writer(const CauseSearch& search, const Access& write) {
  const std::vector<Event>& events = search.events();
  const std::uint64_t address = events[write.event].object;
  const auto before = search.history.last_write(address, write.event);
  if (write.reads || !before || before->thread == write.thread) return std::nullopt;
  if (value_written(events[before->event]) == value_written(events[write.event]))
    return std::nullopt;
  const auto created = search.history.creation(write.thread);
  if (created && before->event < *created) return std::nullopt;
  bool known = false;  // the writer had been there before the other
  for (const AccessHistory::Entry& entry : search.history.at(address)) {
    const Access& own = entry.access;
    if (own.thread != write.thread || own.event >= write.event) continue;
    if (own.event > before->event) return std::nullopt;
    known = true;
  }
  return known ? before : std::nullopt;
}

}  // namespace

// main() had returned its status: what is read since destroys its variables.
static bool decides_nothing(const CauseSearch& search, const Access& read) {
  const std::vector<Event>& events = search.events();
  const std::optional<Verdict>& verdict = search.failure.verdict;
  if (search.failure.kind != OutcomeKind::kExit || !verdict || !verdict->from_main) return false;
  for (std::size_t i = read.event; i < events.size(); ++i) {
    if (events[i].thread != search.failing || !access_of(events[i], i).reads) continue;
    const std::vector<SiteFrame>& frames = search.trace.site(events[i].site).frames;
    const bool destroys = std::any_of(frames.begin(), frames.end(), [](const SiteFrame& frame) {
      return is_destructor(frame.function);
    });
    if (!destroys) return false;
  }
  return true;
}

// The thread read from a place of its own what it had just copied there: the read of the copy.
static std::optional<Access> copied_from(const CauseSearch& search, const Access& read) {
  constexpr std::size_t kMostBetween = 4;  // reads
  const std::vector<Event>& events = search.events();
  const auto copy = search.history.last_write(events[read.event].object, read.event);
  const auto value = value_read(events[read.event]);
  if (!copy || copy->thread != search.failing || !value) return std::nullopt;
  if (value_written(events[copy->event]) != value) return std::nullopt;
  std::size_t looked_at = 0;
  for (std::size_t i = copy->event; i-- > 0 && looked_at < kMostBetween;) {
    const Access access = access_of(events[i], i);
    if (events[i].thread != search.failing || !access.reads) continue;
    ++looked_at;
    const bool same = value_read(events[i]) == value && events[i].size == events[copy->event].size;
    if (same && search.history.is_shared(events[i].object)) return access;
  }
  return std::nullopt;
}

// What the line that failed read comes first, also if that was a copy.
static std::vector<Access> likely_reads(const CauseSearch& search) {
  std::vector<Access> reads =
      search.history.last_reads(search.failing, search.events().size(), kMostReads);
  const Where& failed = search.failure.where;
  if (failed.line == 0) return reads;
  ExplainedStacks stacks(search.trace, search.symbols);
  std::set<std::size_t> events;
  for (const Access& read : reads) events.insert(read.event);
  stacks.look_at(events);
  const auto others = std::stable_partition(reads.begin(), reads.end(), [&](const Access& read) {
    const Where where = stacks.place(read.event);
    return where.line == failed.line && where.function == failed.function;
  });
  std::vector<Access> likely(reads.begin(), others);
  for (auto read = reads.begin(); read != others; ++read) {
    if (const auto source = copied_from(search, *read)) likely.push_back(*source);
  }
  likely.insert(likely.end(), others, reads.end());
  return likely;
}

std::optional<Explanation> find_last_writer(const CauseSearch& search) {
  const std::vector<Event>& events = search.events();
  for (const Access& read : likely_reads(search)) {
    const auto write = search.history.last_write(events[read.event].object, read.event);
    if (!write || write->thread == search.failing || !is_last(search, *write, read)) continue;
    if (decides_nothing(search, read)) continue;
    // What was there before the thread began is what it was given to work with.
    const auto created = search.history.creation(search.failing);
    if (created && write->event < *created) continue;
    Storyteller teller(search.trace, search.failure, search.symbols);
    std::set<std::size_t> shown = {write->event, read.event};
    const std::optional<Access> lost = unseen_by_writer(search, *write);
    if (lost) shown.insert(lost->event);
    teller.look_at(shown);
    Explanation explanation;
    explanation.cause = Cause::kLastWriter;
    explanation.object = teller.object(read.event);
    explanation.first = teller.access(write->event);
    explanation.last = teller.access(read.event);
    if (lost) explanation.change = teller.access(lost->event);
    if (!is_telling(explanation.object)) continue;
    teller.add_steps(explanation, shown, read.event);
    return explanation;
  }
  return find_unwritten(search);
}

}  // namespace raddle
