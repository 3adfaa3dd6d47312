// Ground rules of code that lives in somebody else's process:
//  - no allocation through malloc, no C++ library at run time, no exceptions, no static
//  constructors;
//  - no thread_local: exactly one program thread runs at a time, so what is "current" is a global;
//  - system calls that the runtime makes for itself go through raw_syscall: no errno, no
//  interposition;
//  - own invariants are always checked, and a broken one says so before the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

namespace raddle {

// Result of the kernel: negative errno on failure.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
long as_arg(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// The thread pointer: what pthread_self() returns on x86-64.
inline void* thread_pointer() {
  void* pointer;
  asm("movq %%fs:16, %0" : "=r"(pointer));
  return pointer;
}

// To standard error, as it is.
void write_text(const char* text);

// Prints "raddle: <text>" on standard error and ends the process with status 3.
[[noreturn, gnu::cold]] void fatal(const char* text);
// What fatal() calls first, if it is set: see outcome/outcome.hpp.
extern void (*g_tell_host)(const char* text);

#define RADDLE_CHECK(condition, text)                                                \
  do {                                                                               \
    if (__builtin_expect(!(condition), 0)) ::raddle::fatal("internal error: " text); \
  } while (false)

// strcmp() == 0, for code that runs before a sanitizer in front of libc's strcmp is ready.
inline bool same_text(const char* a, const char* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// Copies as much as fits, always ending with a zero; null counts as empty.
void copy_text(char* to, std::size_t size, const char* from);

// The chunk of memory that arena_allocate() cuts its pieces from, and what it does without one.
inline constexpr std::size_t kArenaChunk = 1 << 20;
inline char* g_arena_next;
inline std::size_t g_arena_left;
[[gnu::cold]] void* arena_allocate_beyond(std::size_t bytes);

// Memory for the runtime's own structures: zero-filled, 16-byte aligned, lives as long as the
// process.
inline void* arena_allocate(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (__builtin_expect(bytes > g_arena_left || bytes > kArenaChunk / 4, 0))
    return arena_allocate_beyond(bytes);
  void* result = g_arena_next;
  g_arena_next += bytes;
  g_arena_left -= bytes;
  return result;
}

// Where executions follow each other in one process: everything allocated after the mark is given
// back, and what is allocated next is zero again.
void mark_arena();
void rewind_arena();

// The address lies in that memory.
bool in_arena(std::uint64_t address);

template <class T>
T* arena_new() {
  return ::new (arena_allocate(sizeof(T))) T();
}

// Of plain data whose first state is all zero: nothing is written.
template <class T>
T* arena_array(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  return static_cast<T*>(arena_allocate(count * sizeof(T)));
}

// An array that grows, in the arena. It starts small: an execution should touch few pages. Elements
// are plain data, and zero at first.
template <class T>
class GrowingArray {
 public:
  T& operator[](std::size_t i) { return data_[i]; }
  T* data() { return data_; }
  std::size_t size() const { return size_; }

  // Makes index `i` valid; size() never shrinks.
  void reach(std::size_t i) {
    if (__builtin_expect(i >= capacity_, 0)) grow(i + 1);
    if (i >= size_) size_ = i + 1;
  }

 private:
  // Not inline: every reach() would save registers for it.
  [[gnu::noinline]] void grow(std::size_t wanted) {
    std::size_t capacity = capacity_ == 0 ? 8 : capacity_;
    while (capacity < wanted) capacity *= 2;
    T* data = static_cast<T*>(arena_allocate(capacity * sizeof(T)));
    for (std::size_t i = 0; i < size_; ++i) data[i] = data_[i];
    data_ = data;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Address of `name` in the next object after libraddle.so, i.e. the function that the program would
// have called without us. Ends the process if there is none.
[[gnu::cold]] void* next_symbol(const char* name);

// Makes next_symbol() quick for the functions that most executions need; once, before any fork.
void look_up_often_used();

// The real function behind an intercepted one: RADDLE_REAL(read)(fd, buffer, size).
#define RADDLE_REAL(function)                                                              \
  ([]() {                                                                                  \
    static decltype(&::function) pointer;                                                  \
    if (__builtin_expect(pointer == nullptr, 0)) {                                         \
      pointer = reinterpret_cast<decltype(&::function)>(::raddle::next_symbol(#function)); \
    }                                                                                      \
    return pointer;                                                                        \
  }())

}  // namespace raddle

// Marks a function that replaces one of libc's.
#define RADDLE_EXPORT extern "C" __attribute__((visibility("default")))

// Return address of the intercepted call: the site of the operation in the program.
#define RADDLE_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))
