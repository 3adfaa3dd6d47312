// A semaphore that is used as a lock is a lock: what a thread does between its wait and its post
// keeps others out. Turns the waits and posts of such a semaphore into acquires and releases,
// before anybody else sees the events.
//
// It is one as long as it never counts more than 1 and nobody posts it but the thread that waited
// for it last. The first post or wait that contradicts this says that it hands something over: from
// then on its events stay what they are. A holder of what was taken for a lock gives it up then
// (kGivenUp). Most semaphores that hand over show it at their first post.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "protocol/event.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {

class SemaphoreLocks {
 public:
  struct Seen {
    Event event{};          // as detectors are to see it
    bool gives_up = false;  // then `given_up` comes first
    Event given_up{};
  };
  Seen see(const Event& event) {
    if (event.kind == EventKind::destroy) semaphores_.erase(event.object);
    if (event.kind == EventKind::thread_end) end(event.thread);
    const bool waits = event.kind == EventKind::await;
    if ((!waits && event.kind != EventKind::signal) || (event.flags & kSemaphore) == 0)
      return {event, false, {}};
    Semaphore& semaphore = semaphores_[event.object];
    if (!semaphore.is_lock) return {event, false, {}};
    const bool fits =
        waits ? !semaphore.held && event.value == 0
              : semaphore.held && semaphore.wait.thread == event.thread && event.value == 1;
    Seen seen{event, false, {}};
    if (fits) {
      semaphore.held = waits;
      seen.event.kind = waits ? EventKind::acquire : EventKind::release;
      seen.event.value = waits ? 1 : 0;
      seen.event.flags = 0;
      semaphore.ended = false;
      if (waits) semaphore.wait = seen.event;
      return seen;
    }
    semaphore.is_lock = false;
    seen.gives_up = semaphore.held && !semaphore.ended;
    seen.given_up = semaphore.wait;
    seen.given_up.kind = EventKind::release;
    seen.given_up.value = 0;
    seen.given_up.flags = kGivenUp;
    seen.given_up.step = event.step;
    return seen;
  }

 private:
  // Nobody hears of a thread after its end.
  void end(ThreadId thread) {
    for (auto& [object, semaphore] : semaphores_)
      if (semaphore.held && semaphore.wait.thread == thread) semaphore.ended = true;
  }

  struct Semaphore {
    bool is_lock = true, held = false;
    bool ended = false;  // the holder
    Event wait{};        // of the holder, as an acquire
  };
  std::unordered_map<std::uint64_t, Semaphore> semaphores_;
};

}  // namespace raddle
