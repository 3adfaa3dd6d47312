// What the coder of events expects next. Encoder and decoder keep one each, ask it the same
// questions and teach it the same events, so that only what came out otherwise has to be in the
// file.
//
// It knows: for each site, the shape of its last event (kind, flags, size) and how its addresses
// move: by a stride, with the thread's last address (fields of one object), or with its last value
// (a pointer that was just loaded); for each thread, which site follows its last two, and the stack
// of its calling contexts; and a small copy of the program's memory, since a read mostly returns
// what was last seen there. docs/trace_format.md says the same in prose, and must when this
// changes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "trace/event.hpp"

namespace raddle {

// A cache line each.
struct SiteModel {
  std::uint64_t address = 0;       // of its last event
  std::uint64_t stride = 0;        // how that differed from the one before
  std::uint64_t from_address = 0;  // how an address that had another stride differed from the
  std::uint64_t from_value = 0;    // address, and from the value, of the thread's event before it
  std::uint64_t value = 0;         // the last one that is not in memory
  std::uint64_t value_change = 0;  // how the last unexpected value differed from what was expected
  std::uint64_t value2 = 0;        // of its last event; atomic_update: minus `value`
  std::uint32_t shape = 0;         // of its last event; 0: there was none
  std::uint32_t access = 8;        // access_of(shape)
};
static_assert(sizeof(SiteModel) == 64);

struct ThreadModel {
  static constexpr unsigned kFrames = 64;  // a power of two; older frames are forgotten
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};
  struct Frame {
    std::uint64_t context;  // of the caller
    std::uint64_t object;
  };
  std::uint64_t address = 0;
  std::uint64_t value = 0;
  std::uint64_t value_before = 0;
  std::uint64_t context = 0;  // that the next event is expected to have, if it is no enter or exit
  std::uint64_t learn_at = kNoSlot;  // of TraceModel::contexts, to which the next context goes
  // The next event has something to teach beside what the common rules say.
  std::uint64_t unusual = 0;
  std::uint32_t site = 0;
  std::uint32_t site_before = 0;
  unsigned top = 0;
  std::array<Frame, kFrames> frames{};
};

constexpr std::uint32_t shape_of(const Event& event) {
  return std::uint32_t(event.kind) | std::uint32_t(event.flags) << 8 |
         std::uint32_t(event.size) << 16;
}

struct TraceModel {
  static constexpr unsigned kSuccessorBits = 13;
  static constexpr unsigned kContextBits = 12;
  static constexpr std::uint64_t kMemory = 1 << 20;  // bytes of the program's memory

  // What an event does with memory: 1 to 4, its value is that of 1, 2, 4 or 8 bytes at its address;
  // 0, none of that. With kSpecial more than the common rules applies.
  static constexpr std::uint32_t kSpecial = 8;
  static constexpr std::uint32_t access_of(std::uint32_t shape);

  std::vector<SiteModel> sites = std::vector<SiteModel>(1);  // by SiteId, 0 is kNoSite
  std::vector<std::unique_ptr<ThreadModel>> threads;
  std::array<std::uint32_t, 1 << kSuccessorBits> successors{};
  std::array<std::uint64_t, 1 << kContextBits> contexts{};
  std::unique_ptr<unsigned char[], void (*)(void*)> memory = zeros(kMemory + 8);
  std::uint64_t step = 0;  // that the next event is expected to have, if it is no decision
  std::uint64_t last_step = 0;
  std::uint64_t step_after_decision = 1;            // differences that were seen last
  std::array<std::uint64_t, 2> step_to_decision{};  // ... [whether the event before is one too]
  bool after_decision = false;
  bool enter_has_callee = false;  // whether the last enter had its function's context, or its
  bool exit_has_caller = false;   // caller's; the same for exit
  ThreadId current{0};

  // As new, but for the number of sites.
  void reset() {
    std::fill(sites.begin(), sites.end(), SiteModel{});
    threads.clear();
    successors.fill(0);
    contexts.fill(0);
    std::memset(memory.get(), 0, kMemory + 8);
    step = last_step = 0;
    step_after_decision = 1;
    step_to_decision.fill(0);
    after_decision = enter_has_callee = exit_has_caller = false;
    current = ThreadId{0};
  }

  ThreadModel& thread(ThreadId id) {
    if (raw(id) >= threads.size()) threads.resize(raw(id) + 1);
    std::unique_ptr<ThreadModel>& slot = threads[raw(id)];
    if (!slot) slot = std::make_unique<ThreadModel>();
    return *slot;
  }

  std::uint32_t& successor(const ThreadModel& t) {
    const std::uint32_t hash = t.site * 0x9e3779b1U + t.site_before * 0x85ebca6bU;
    return successors[hash >> (32 - kSuccessorBits)];
  }

  // Each expectation only depends on what is decoded before it.

  std::uint64_t expected_context(EventKind kind, std::uint32_t site, const ThreadModel& t) const {
    if (kind == EventKind::enter && enter_has_callee) return contexts[context_slot(t, site)];
    if (kind == EventKind::exit && exit_has_caller) return frame(t).context;
    return t.context;
  }
  std::uint64_t expected_step(EventKind kind) const {
    return kind == EventKind::decision ? last_step + step_to_decision[after_decision] : step;
  }
  // The third guess at an address, after the site's stride and the thread's last address.
  std::uint64_t address_by_value(EventKind kind, const SiteModel& s, const ThreadModel& t) const {
    return kind == EventKind::exit ? frame(t).object : t.value + s.from_value;
  }
  std::uint64_t expected_value(std::uint64_t address, const SiteModel& s) const {
    const std::uint32_t width = s.access % kSpecial;
    if (width == 0) return s.value;
    std::uint64_t bytes;
    std::memcpy(&bytes, memory.get() + address % kMemory, sizeof bytes);
    return bytes & kMasks[width];
  }
  std::uint64_t expected_value2(EventKind kind, std::uint64_t value, const SiteModel& s) const {
    return kind == EventKind::atomic_update ? value + s.value2 : s.value2;
  }

  // In this order, after each event. What turned out as the first guess has nothing to teach.

  void learn_address(std::uint64_t address, bool by_stride, SiteModel& s, const ThreadModel& t) {
    if (!by_stride) {
      s.stride = address - s.address;
      s.from_address = address - t.address;
      s.from_value = address - t.value;
    }
    s.address = address;
  }
  void learn_value(const Event& e, std::uint64_t expected, SiteModel& s) {
    if (e.value == expected) return;
    s.value_change = e.value - expected;
    if (s.access % kSpecial == 0) {
      s.value = e.value;
    } else {
      store(e.object, e.size, e.value);
    }
  }
  static void learn_thread(const Event& e, ThreadModel& t) {
    t.site_before = t.site;
    t.site = raw(e.site);
    t.address = e.object;
    t.value_before = t.value;
    t.value = e.value;
  }

  // Only for an event that has another shape than its site's last one, is special, is in an unusual
  // thread, or has a thread, step, context or value2 that was not expected; for any other they
  // would change nothing. The one before, the other between learn_value() and learn_thread().
  void learn_rest(const Event& e, SiteModel& s, ThreadModel& t);
  void learn_written(const Event& e) {
    if (e.kind == EventKind::atomic_store || e.kind == EventKind::atomic_update ||
        (e.kind == EventKind::atomic_compare && (e.flags & kSuccess) != 0)) {
      store(e.object, e.size, e.value2);
    }
  }

 private:
  // Pages that are not used are never touched: most traces are short.
  static std::unique_ptr<unsigned char[], void (*)(void*)> zeros(std::size_t bytes) {
    void* memory = std::calloc(bytes, 1);
    if (memory == nullptr) throw std::bad_alloc();
    return {static_cast<unsigned char*>(memory), std::free};
  }

  static constexpr std::array<std::uint64_t, 5> kMasks{0, 0xff, 0xffff, 0xffff'ffff,
                                                       ~std::uint64_t{0}};

  void store(std::uint64_t address, unsigned size, std::uint64_t value) {
    unsigned char* place = memory.get() + address % kMemory;
    switch (size) {
      case 1:
        *place = static_cast<unsigned char>(value);
        break;
      case 2:
        std::memcpy(place, &value, 2);
        break;
      case 4:
        std::memcpy(place, &value, 4);
        break;
      case 8:
        std::memcpy(place, &value, 8);
        break;
    }
  }

  static const ThreadModel::Frame& frame(const ThreadModel& t) {
    return t.frames[(t.top - 1) % ThreadModel::kFrames];
  }
  static std::uint64_t context_slot(const ThreadModel& t, std::uint32_t site) {
    const std::uint64_t hash =
        (t.context ^ site ^ std::uint64_t(t.site) << 32) * 0x9e3779b97f4a7c15ULL;
    return hash >> (64 - kContextBits);
  }
};

constexpr std::uint32_t TraceModel::access_of(std::uint32_t shape) {
  const std::uint32_t size = shape >> 16;
  const std::uint32_t width = size == 1 ? 1 : size == 2 ? 2 : size == 4 ? 3 : size == 8 ? 4 : 0;
  switch (static_cast<EventKind>(shape & 0xff)) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::atomic_load:
      return width;
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      return width | kSpecial;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::enter:
    case EventKind::exit:
      return kSpecial;
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::fence:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      return 0;
  }
  return kSpecial;
}

}  // namespace raddle
