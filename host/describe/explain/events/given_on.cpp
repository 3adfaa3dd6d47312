#include "host/describe/explain/events/given_on.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostReads = 24;  // that may have led there

std::optional<GivenOn> pointer_to(const AccessHistory& history, std::uint64_t place,
                                  std::size_t read, ThreadId writer) {
  const std::vector<Event>& events = history.trace().all();
  const auto made = allocation_of(events, place, read);
  if (!made || events[*made].thread != writer) return std::nullopt;
  const Event& block = events[*made];
  for (const Access& look : history.last_reads(events[read].thread, read, kMostReads)) {
    const Event& event = events[look.event];
    const std::uint64_t pointer = value_read(event).value_or(0);
    const bool into = event.size == 8 && pointer >= block.object &&
                      pointer - block.object < block.value && pointer <= place;
    if (!into) continue;
    const auto write = history.last_write(event.object, look.event);
    const bool fits = write && write->thread == writer && write->event > *made &&
                      value_written(events[write->event]) == pointer;
    if (fits) return GivenOn{write->event, look.event};
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> allocation_of(const std::vector<Event>& events, std::uint64_t address,
                                         std::size_t before) {
  for (std::size_t i = before; i-- > 0;) {
    if (events[i].kind == EventKind::allocate && events[i].object <= address &&
        address - events[i].object < events[i].value)
      return i;
  }
  return std::nullopt;
}

std::optional<GivenOn> given_on(const AccessHistory& history, std::uint64_t place, std::size_t read,
                                ThreadId writer) {
  const std::vector<Event>& events = history.trace().all();
  std::optional<GivenOn> given = pointer_to(history, place, read, writer);
  while (given) {
    const auto outer = pointer_to(history, events[given->write].object, given->look, writer);
    if (!outer) break;
    given = outer;
  }
  return given;
}

}  // namespace raddle
