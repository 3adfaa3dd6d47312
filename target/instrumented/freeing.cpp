#include "target/instrumented/freeing.hpp"

#include "target/code/own_code.hpp"
#include "target/instrumented/deciding.hpp"
#include "target/sched/scheduler.hpp"
#include "target/state/quiet_heap.hpp"
#include "target/state/threads.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

// While there has been one thread only, what it frees is its own business: whoever comes later
// comes after that. That others have ended by now is no reason: they might have been slower.
void decide_to_free(const void* block, std::size_t bytes, std::uint64_t site) {
  if (!controlled() || g_quiet_heap != 0 || thread_count() <= 1) return;
  if (!decides_at(site) || !is_preemptible_code(site)) return;
  RuntimeScope scope;
  settle_looks(self(), OpKind::memory_free);
  Object& object = object_at(ObjectClass::memory, block, site);
  wait({.op = OpKind::memory_free,
        .object = &object,
        .ready = always,
        .site = site,
        .extra = touched_bytes(reinterpret_cast<std::uint64_t>(block), bytes, true),
        .memory = bytes});
}

}  // namespace raddle
