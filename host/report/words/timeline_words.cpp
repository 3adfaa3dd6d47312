#include "host/report/words/timeline_words.hpp"

#include <fmt/format.h>

#include "host/report/words/object_words.hpp"
#include "host/report/words/op_words.hpp"

namespace raddle {
namespace {

// "reads x = 1"; without the value where it is not known.
std::string with(const std::string& words, const char* before, const std::string& value) {
  return value.empty() ? words : words + before + value;
}

std::string on(const char* verb, const TimelineEvent& event) {
  return event.object.empty() ? std::string(verb) : fmt::format("{} {}", verb, event.object);
}

std::string lock_words(const char* verb, const TimelineEvent& event) {
  std::string words = on(verb, event);
  if ((event.flags & kShared) != 0) words += " for reading";
  if ((event.flags & kByWait) != 0) words += ", by the wait";
  return words;
}

std::string wake_words(const TimelineEvent& event) {
  const char* how = event.woken == 0 ? "" : event.woken == 1 ? " (timed out)" : " (not notified)";
  return on("wakes from", event) + how;
}

}  // namespace

std::string timeline_words(const TimelineEvent& event) {
  switch (event.kind) {
    case EventKind::decision:
      return fill(op_words(event.op).step, event.object);
    case EventKind::thread_begin:
      return "begins";
    case EventKind::thread_end:
      return "ends";
    case EventKind::fork:
      return event.other ? "creates " + thread_label(*event.other) : "creates a thread";
    case EventKind::join:
      return event.other ? "joins " + thread_label(*event.other) : "joins a thread";
    case EventKind::acquire:
      return lock_words("locks", event);
    case EventKind::release:
      return lock_words("unlocks", event);
    case EventKind::wait:
      return on("waits on", event);
    case EventKind::wake:
      return wake_words(event);
    case EventKind::notify:
      return fmt::format("{}, {} woken",
                         on((event.flags & kAll) != 0 ? "notifies all of" : "notifies", event),
                         event.woken);
    case EventKind::signal:
      return on("signals", event);
    case EventKind::await:
      return on("has awaited", event);
    case EventKind::read:
    case EventKind::read_range:
      return with(on("reads", event), " = ", event.read);
    case EventKind::write:
    case EventKind::write_range:
      return with(on("writes", event), " = ", event.written);
    case EventKind::atomic_load:
      return with(on("atomically reads", event), " = ", event.read);
    case EventKind::atomic_store:
      return with(on("atomically writes", event), " = ", event.written);
    case EventKind::atomic_update:
      return with(with(on("atomically updates", event), ": ", event.read), " -> ", event.written);
    case EventKind::atomic_compare:
      if ((event.flags & kSuccess) == 0)
        return with(on("compares", event), ", which is ", event.read) + ", and leaves it";
      return with(with(on("compares and exchanges", event), ": ", event.read), " -> ",
                  event.written);
    case EventKind::fence:
      return "fence";
    case EventKind::enter:
    case EventKind::block_enter:
    case EventKind::unit_enter:
      return on("enters", event);
    case EventKind::exit:
    case EventKind::block_exit:
    case EventKind::unit_exit:
      return on("leaves", event);
    case EventKind::allocate:
      return on("allocates", event);
    case EventKind::free:
      return on("frees", event);
    case EventKind::destroy:
      return on("destroys", event);
    case EventKind::local:
      return on("makes", event);
    case EventKind::user:
      return on("event", event);
    case EventKind::none:
      return "nothing";
  }
  return "nothing";
}

}  // namespace raddle
