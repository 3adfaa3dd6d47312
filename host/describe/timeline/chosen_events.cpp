#include "host/describe/timeline/chosen_events.hpp"

#include <set>
#include <unordered_map>

#include "host/describe/explain/events/accesses.hpp"
#include "host/describe/op_classes.hpp"

namespace raddle {
namespace {

enum class Part : std::uint8_t { kAlways, kDecision, kAccess, kBlock, kNever };

Part part_of(EventKind kind) {
  switch (kind) {
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::user:
      return Part::kAlways;
    case EventKind::decision:
      return Part::kDecision;
    case EventKind::read:
    case EventKind::write:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      return Part::kAccess;
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::destroy:
      return Part::kBlock;
    case EventKind::none:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::local:
      return Part::kNever;
  }
  return Part::kNever;
}

struct Users {
  ThreadId first{};
  bool more = false;
  bool written = false;
};

class Chooser {
 public:
  explicit Chooser(const KeptTrace& trace) : program_(trace) {
    std::unordered_map<std::uint64_t, Users> users;
    for (const Event& event : trace.all()) {
      if (part_of(event.kind) != Part::kAccess || !is_own(event)) continue;
      const auto [at, is_new] = users.try_emplace(event.object, Users{event.thread});
      at->second.more |= at->second.first != event.thread;
      at->second.written |= access_of(event, 0).writes;
    }
    for (const auto& [place, by] : users) {
      if (by.more && by.written) shared_.insert(place);
    }
  }

  bool wants(const Event& event) {
    switch (part_of(event.kind)) {
      case Part::kAlways:
        return true;
      case Part::kDecision:
        return !is_shown_by_event(event);
      case Part::kAccess:
        return shared_.contains(event.object) && is_own(event);
      case Part::kBlock:
        return is_around_shared(event);
      case Part::kNever:
        return false;
    }
    return false;
  }

 private:
  bool is_own(const Event& event) { return is_atomic(event.kind) || program_.contains(event.site); }

  bool is_around_shared(const Event& event) {
    std::uint64_t& bytes = bytes_[event.object];
    if (event.kind == EventKind::allocate) bytes = event.value;
    const auto inside = shared_.lower_bound(event.object);
    return inside != shared_.end() && *inside < event.object + bytes;
  }

  ProgramSites program_;
  std::set<std::uint64_t> shared_;
  std::unordered_map<std::uint64_t, std::uint64_t> bytes_;  // of blocks
};

}  // namespace

std::vector<std::size_t> chosen_events(const KeptTrace& trace) {
  Chooser chooser(trace);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < trace.all().size(); ++i) {
    if (chooser.wants(trace.all()[i])) chosen.push_back(i);
  }
  return chosen;
}

}  // namespace raddle
