#include "host/describe/explain/turning/made_known.hpp"

#include <algorithm>

#include "host/describe/explain/events/given_on.hpp"
#include "host/describe/explain/search/cause_search.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostLooks = 24;   // of a thread, before it came too early
constexpr std::size_t kMostReads = 256;  // of a thread, after it has looked

}  // namespace

std::optional<MadeKnown> MadeKnownSearch::before(std::size_t read, ThreadId writer,
                                                 std::optional<std::size_t> ready) {
  std::optional<MadeKnown> best;
  const auto rank = [&](const MadeKnown& known) { return std::pair(leads_on(known), known.write); };
  for (const Access& look : history_.last_reads(events_[read].thread, read, kMostLooks)) {
    if (events_[look.event].object == events_[read].object) continue;
    const auto write = history_.last_write(events_[look.event].object, look.event);
    if (!write || write->thread != writer || !is_known_by(write->event, look.event)) continue;
    const MadeKnown known{write->event, look.event, read, ready};
    // It has written that meanwhile, so that it is there.
    const auto last = history_.last_write(events_[read].object, read);
    if (last && last->thread == writer && last->event > write->event) continue;
    if (!goes_on(write->event, ready.value_or(events_.size()))) continue;
    if (!leads_on(known) && !is_pair(known)) continue;
    if (!best || rank(known) > rank(*best)) best = known;
  }
  return best;
}

std::optional<MadeKnown> MadeKnownSearch::after(std::size_t write, std::size_t look) {
  if (!is_known_by(write, look)) return std::nullopt;
  const ThreadId reader = events_[look].thread;
  std::size_t reads = 0;
  for (std::size_t i = look + 1; i < events_.size() && reads < kMostReads; ++i) {
    if (events_[i].thread != reader || !access_of(events_[i], i).reads) continue;
    ++reads;
    if (events_[i].object == events_[look].object || !program_.contains(events_[i].site)) continue;
    const std::vector<AccessHistory::Entry>& all = history_.at(events_[i].object);
    const auto ready = std::find_if(all.begin(), all.end(), [&](const AccessHistory::Entry& entry) {
      return entry.access.writes && entry.access.thread == events_[write].thread &&
             entry.access.event > write;
    });
    if (ready == all.end() || ready->access.event < i) continue;  // it was there, or never comes
    const MadeKnown known{write, look, i, ready->access.event};
    if (goes_on(write, *known.ready) && leads_on(known)) return known;
  }
  return std::nullopt;
}

bool MadeKnownSearch::leads_on(const MadeKnown& known) const {
  const Event& set = events_[known.write];
  const auto value = value_written(set);
  if (!value) return false;
  if (set.size == 1) return *value == 1;
  const auto made = [&](std::uint64_t address) {
    const auto block = allocation_of(events_, address, known.write);
    return block && events_[*block].thread == set.thread;
  };
  return set.size == sizeof(void*) && made(*value) && made(events_[known.read].object);
}

bool MadeKnownSearch::is_pair(const MadeKnown& known) const {
  const std::size_t call = history_.call(known.write);
  return known.ready && call != 0 && call == history_.call(*known.ready) &&
         history_.call(known.look) != 0 && history_.call(known.look) == history_.call(known.read);
}

// It saw that very value, and it was news.
bool MadeKnownSearch::is_known_by(std::size_t write, std::size_t look) {
  const auto value = value_written(events_[write]);
  return write < look && value && value == value_read(events_[look]) &&
         program_.contains(events_[write].site) && program_.contains(events_[look].site) &&
         !is_no_news(history_, write);
}

// The function that made it known has not returned by then.
bool MadeKnownSearch::goes_on(std::size_t write, std::size_t later) const {
  std::size_t depth = 0;
  for (std::size_t i = write + 1; i < later; ++i) {
    if (events_[i].thread != events_[write].thread) continue;
    if (events_[i].kind == EventKind::enter) ++depth;
    if (events_[i].kind == EventKind::exit && depth-- == 0) return false;
  }
  return true;
}

}  // namespace raddle
