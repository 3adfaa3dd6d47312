// Atomic operations, as the compilers call them: executed here, sequentially consistent, with a
// decision point before each while the runtime is in control.
#include "target/tsan/events.hpp"

using namespace raddle;

namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
__extension__ using U128 = unsigned __int128;

constexpr int kFlagBits = 0x7;  // the compilers may add hints above the order

std::uint8_t order_flags(int order) { return std::uint8_t(order & kFlagBits); }

template <class T>
void before(EventKind kind, const volatile T* p, std::uint64_t site) {
  if (__builtin_expect(g_active, 0)) memory_point(kind, const_cast<const T*>(p), sizeof(T), site);
}

template <class T>
void after(EventKind kind, const volatile T* p, T read, T written, std::uint8_t flags,
           std::uint64_t site) {
  if (!tsan_traced()) return;
  put_event(kind, flags, code_site(site), as_number(const_cast<const T*>(p)), std::uint64_t(read),
            sizeof(T), std::uint64_t(written));
}

// The compiler would call libatomic for 16 bytes; this is one instruction.
__attribute__((target("cx16"))) U128 compare_16(volatile U128* p, U128 expected, U128 desired) {
  return __sync_val_compare_and_swap(p, expected, desired);
}

template <class T>
T compare(volatile T* p, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    return compare_16(p, expected, desired);
  } else {
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

template <class T>
T load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    return compare_16(const_cast<volatile T*>(p), 0, 0);
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

template <class T, class Change>
T update(volatile T* p, Change change, int order, std::uint64_t site) {
  before(EventKind::atomic_update, p, site);
  T old = load(p);
  for (;;) {
    T seen = compare(p, old, change(old));
    if (seen == old) break;
    old = seen;
  }
  after(EventKind::atomic_update, p, old, change(old), order_flags(order), site);
  return old;
}

template <class T>
T load_atomic(const volatile T* p, int order, std::uint64_t site) {
  before(EventKind::atomic_load, p, site);
  T value = load(p);
  after(EventKind::atomic_load, p, value, T{}, order_flags(order), site);
  return value;
}

template <class T>
void store_atomic(volatile T* p, T value, int order, std::uint64_t site) {
  before(EventKind::atomic_store, p, site);
  T old = load(p);
  if constexpr (sizeof(T) == 16) {
    for (T seen; (seen = compare(p, old, value)) != old;) old = seen;
  } else {
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
  }
  after(EventKind::atomic_store, p, T{}, value, order_flags(order), site);
}

template <class T>
T compare_atomic(volatile T* p, T expected, T desired, int order, std::uint64_t site) {
  before(EventKind::atomic_compare, p, site);
  T seen = compare(p, expected, desired);
  bool success = seen == expected;
  after(EventKind::atomic_compare, p, seen, success ? desired : T{},
        std::uint8_t(order_flags(order) | (success ? kSuccess : 0)), site);
  return seen;
}

}  // namespace

#define RADDLE_TSAN_UPDATE(bits, name, expression)                                                \
  RADDLE_EXPORT U##bits __tsan_atomic##bits##_##name(volatile U##bits* p, U##bits v, int order) { \
    return update(p, [v](U##bits old) { return U##bits(expression); }, order, RADDLE_SITE);       \
  }
#define RADDLE_TSAN_ATOMICS(bits)                                                             \
  RADDLE_EXPORT U##bits __tsan_atomic##bits##_load(const volatile U##bits* p, int order) {    \
    return load_atomic(p, order, RADDLE_SITE);                                                \
  }                                                                                           \
  RADDLE_EXPORT void __tsan_atomic##bits##_store(volatile U##bits* p, U##bits v, int order) { \
    store_atomic(p, v, order, RADDLE_SITE);                                                   \
  }                                                                                           \
  RADDLE_TSAN_UPDATE(bits, exchange, (static_cast<void>(old), v))                             \
  RADDLE_TSAN_UPDATE(bits, fetch_add, old + v)                                                \
  RADDLE_TSAN_UPDATE(bits, fetch_sub, old - v)                                                \
  RADDLE_TSAN_UPDATE(bits, fetch_and, old& v)                                                 \
  RADDLE_TSAN_UPDATE(bits, fetch_or, old | v)                                                 \
  RADDLE_TSAN_UPDATE(bits, fetch_xor, old ^ v)                                                \
  RADDLE_TSAN_UPDATE(bits, fetch_nand, ~(old & v))                                            \
  RADDLE_EXPORT U##bits __tsan_atomic##bits##_compare_exchange_val(                           \
      volatile U##bits* p, U##bits expected, U##bits desired, int order, int) {               \
    return compare_atomic(p, expected, desired, order, RADDLE_SITE);                          \
  }                                                                                           \
  RADDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_strong(                            \
      volatile U##bits* p, U##bits* expected, U##bits desired, int order, int) {              \
    U##bits seen = compare_atomic(p, *expected, desired, order, RADDLE_SITE);                 \
    if (seen == *expected) return 1;                                                          \
    *expected = seen;                                                                         \
    return 0;                                                                                 \
  }                                                                                           \
  RADDLE_EXPORT int __tsan_atomic##bits##_compare_exchange_weak(                              \
      volatile U##bits* p, U##bits* expected, U##bits desired, int order, int) {              \
    U##bits seen = compare_atomic(p, *expected, desired, order, RADDLE_SITE);                 \
    if (seen == *expected) return 1;                                                          \
    *expected = seen;                                                                         \
    return 0;                                                                                 \
  }
RADDLE_TSAN_ATOMICS(8)
RADDLE_TSAN_ATOMICS(16)
RADDLE_TSAN_ATOMICS(32)
RADDLE_TSAN_ATOMICS(64)
RADDLE_TSAN_ATOMICS(128)
#undef RADDLE_TSAN_ATOMICS
#undef RADDLE_TSAN_UPDATE

RADDLE_EXPORT void __tsan_atomic_thread_fence(int order) {
  if (g_active) memory_point(EventKind::fence, nullptr, 0, RADDLE_SITE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (tsan_traced()) note(EventKind::fence, RADDLE_SITE, std::uint64_t{0}, 0, order_flags(order));
}
RADDLE_EXPORT void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
