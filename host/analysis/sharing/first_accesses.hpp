// The first accesses that a thread makes, and after it synchronised: see shared_accesses.hpp. One
// thread.
#pragma once

#include <vector>

#include "protocol/event.hpp"

namespace raddle {

class FirstAccesses {
 public:
  // Ids count up from 1. `library`: the site is in the C++ library's own code.
  void define_site(SiteId id, bool library) {
    library_.resize(std::size_t{raw(id)} + 1);
    library_[raw(id)] = library;
  }

  // Every event, in order. Whether it is the first access since its thread began, acquired a lock,
  // signalled or awaited something, or the first of the program's own code since then.
  bool on_event(const Event& event) {
    const bool synchronises = event.kind == EventKind::acquire || event.kind == EventKind::signal ||
                              event.kind == EventKind::await;
    if (!synchronises && !is_access(event.kind)) return false;
    if (raw(event.thread) >= threads_.size()) threads_.resize(std::size_t{raw(event.thread)} + 1);
    Thread& self = threads_[raw(event.thread)];
    if (synchronises) {
      self = {true, true};
      return false;
    }
    const bool library = raw(event.site) < library_.size() && library_[raw(event.site)];
    const bool first = self.none || (self.none_of_program && !library);
    self.none = false;
    self.none_of_program = self.none_of_program && library;
    return first;
  }

 private:
  struct Thread {
    bool none = true;             // it made no access since,
    bool none_of_program = true;  // or none but in the library
  };
  std::vector<bool> library_;    // by SiteId
  std::vector<Thread> threads_;  // by ThreadId
};

}  // namespace raddle
