#include "host/analysis/race/ordered_accesses.hpp"

#include "host/analysis/model/volatile_access.hpp"

namespace raddle {

void OrderedAccesses::on_event(const Event& event) {
  if (is_volatile(event, state_)) {
    const Event relaxed = as_relaxed(event);
    order_.before(relaxed);
    access(event, {.writes = event.kind == EventKind::write, .is_volatile = true});
    order_.after(relaxed);
    return;
  }
  switch (event.kind) {
    case EventKind::read:
    case EventKind::read_range:
      access(event, {.writes = false});
      return;
    case EventKind::write:
      if (state_.writes_vptr(event.site) && virtual_tables_.repeats(event)) return;
      access(event, {.writes = true});
      return;
    case EventKind::write_range:
      virtual_tables_.renew(event.object, event.value);
      access(event, {.writes = true});
      return;
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare: {
      const bool stores =
          event.kind == EventKind::atomic_store || event.kind == EventKind::atomic_update ||
          (event.kind == EventKind::atomic_compare && (event.flags & kSuccess) != 0);
      order_.before(event);
      access(event, {.writes = stores});
      order_.after(event);
      return;
    }
    case EventKind::free:
      virtual_tables_.renew(event.object, event.value);
      switch (own_blocks_.free(event)) {
        case OwnBlocks::End::kWrite:
          free_own(event);
          break;
        case OwnBlocks::End::kMayWrite:
          free_early(event);
          break;
        case OwnBlocks::End::kNoWrite:
          renew(event);
          break;
      }
      order_.after(event);
      return;
    case EventKind::allocate:
      virtual_tables_.renew(event.object, event.value);
      own_blocks_.allocate(event);
      renew(event);
      order_.after(event);
      return;
    case EventKind::local:
      virtual_tables_.renew(event.object, event.value);
      renew(event);
      order_.after(event);
      return;
    case EventKind::acquire:
    case EventKind::await:
    case EventKind::wake:
    case EventKind::join:
      order_.before(event);
      return;
    case EventKind::release:
    case EventKind::signal:
    case EventKind::notify:
    case EventKind::fork:
    case EventKind::destroy:
      order_.after(event);
      return;
    case EventKind::fence:
      order_.before(event);
      order_.after(event);
      return;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::wait:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
      return;
  }
}

}  // namespace raddle
