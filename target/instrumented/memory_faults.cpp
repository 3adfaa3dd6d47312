#include "target/instrumented/memory_faults.hpp"

#include "target/heap/gone_locals.hpp"
#include "target/instrumented/stack_faults.hpp"
#include "target/outcome/outcome.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

MemoryFaultKind kind_of(GuardedHeap::Place place) {
  switch (place) {
    case GuardedHeap::Place::kFreed:
      return MemoryFaultKind::kUseAfterFree;
    case GuardedHeap::Place::kBefore:
      return MemoryFaultKind::kBeforeBlock;
    case GuardedHeap::Place::kBehind:
      return MemoryFaultKind::kBehindBlock;
    case GuardedHeap::Place::kNowhere:
      return MemoryFaultKind::kNoBlock;
  }
  return MemoryFaultKind::kNoBlock;
}

MemoryFaultKind kind_of(GuardedHeap::Release why) {
  switch (why) {
    case GuardedHeap::Release::kFreedBefore:
      return MemoryFaultKind::kDoubleFree;
    case GuardedHeap::Release::kOverwritten:
      return MemoryFaultKind::kOverwritten;
    case GuardedHeap::Release::kNoBlock:
    case GuardedHeap::Release::kFreed:
      return MemoryFaultKind::kNoSuchBlock;
  }
  return MemoryFaultKind::kNoSuchBlock;
}

[[noreturn]] void end_in_fault(const MemoryFault& fault) {
  g_region->report.fault = fault;
  end_with(OutcomeKind::kMemoryFault, self(), "");
}

void describe_block(MemoryFault& fault, const GuardedBlock* block) {
  if (block == nullptr) return;
  fault.block_bytes = block->bytes;
  fault.allocated_at = block->allocated_at;
  fault.allocated_by = ThreadId{block->allocated_by};
  fault.freed_at = block->freed_at;
  fault.freed_by = ThreadId{block->freed_by};
}

// Returns if the bytes may be somebody's.
void end_at_local(std::uint64_t address, std::uint64_t bytes, bool writes) {
  const Thread* owner = owner_of_gone(address);
  if (owner == nullptr) return;
  MemoryFault fault{};
  fault.kind = MemoryFaultKind::kGoneLocal;
  fault.writes = writes;
  fault.bytes = bytes;
  fault.allocated_by = fault.freed_by = owner->pending.thread;
  if (const RaddleGoneLocal* gone = g_gone_locals.find(address)) {
    fault.offset = std::int64_t(address - gone->address);
    fault.block_bytes = gone->bytes;
    fault.freed_at = gone->code;
  }
  g_region->report.fault_address = address;
  end_in_fault(fault);
}

[[noreturn]] void end_at(const void* address, std::uint64_t bytes, bool writes) {
  const GuardedHeap::Found found = g_guarded_heap.find(reinterpret_cast<std::uint64_t>(address));
  MemoryFault fault{};
  fault.kind = kind_of(found.place);
  fault.writes = writes;
  fault.bytes = bytes;
  fault.offset = found.offset;
  describe_block(fault, found.block);
  end_in_fault(fault);
}

}  // namespace

void memory_fault(const void* address, std::uint64_t bytes, std::uint32_t writes) {
  if (!controlled()) return;
  RuntimeScope scope;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (GoneLocals::may_be_on_stack(at)) return end_at_local(at, bytes, writes != 0);
  end_at(address, bytes, writes != 0);
}

void bad_free(const void* block, GuardedHeap::Release why) {
  if (!controlled()) return;
  RuntimeScope scope;
  MemoryFault fault{};
  fault.kind = kind_of(why);
  if (why == GuardedHeap::Release::kFreedBefore) {
    describe_block(fault, static_cast<const GuardedBlock*>(block) - 1);
  } else {
    const GuardedHeap::Found found = g_guarded_heap.find(reinterpret_cast<std::uint64_t>(block));
    fault.offset = found.offset;
    describe_block(fault, found.block);
  }
  end_in_fault(fault);
}

bool is_fault(const void* address, std::uint64_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (GoneLocals::may_be_on_stack(at) && g_guarded_heap.is_mapped()) {
    const std::uint64_t gone = g_gone_locals.first_gone(at, bytes);
    return gone != 0 && owner_of_gone(gone) != nullptr;
  }
  return GuardedHeap::owns(address) && g_guarded_heap.is_mapped() &&
         g_guarded_heap.first_bad(at, bytes) != 0;
}

void judge_object(const void* address) {
  if (!is_fault(address, 1)) return;
  end_at_local(reinterpret_cast<std::uint64_t>(address), 0, true);
  end_at(address, 0, true);
}

void end_at_fault(const void* address, std::uint64_t bytes, bool writes) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  if (GoneLocals::may_be_on_stack(at))
    end_at_local(g_gone_locals.first_gone(at, bytes), bytes, writes);
  const std::uint64_t bad = g_guarded_heap.first_bad(at, bytes);
  end_at(reinterpret_cast<const void*>(bad), bytes, writes);
}

}  // namespace raddle
