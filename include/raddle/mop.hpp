// What the code that raddle-mop generates needs beside raddle/enforce.hpp. Users include the
// generated header, which says which functions they may call by hand.
#pragma once

#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>

#include <raddle/enforce.hpp>

// For calls by hand: "queue.cpp:31", the place of an event.
#define RADDLE_HERE __FILE__ ":" RADDLE_HERE_TEXT(__LINE__)
#define RADDLE_HERE_TEXT(line) RADDLE_HERE_TEXT2(line)
#define RADDLE_HERE_TEXT2(line) #line

// Memory that held objects of one size: `tell` hears of each. The compiler's pass calls it.
extern "C" void raddle_mop_objects(void (*tell)(const void* object), const void* memory,
                                   std::uint64_t bytes, std::uint64_t size);

namespace raddle::mop {

// A place in the program where an event is woven in. The compiler's pass makes these.
struct Site {
  const char* location;  // "queue.cpp:31"
  std::uint32_t cases;   // bit i: the i-th alternative of the pointcut fits the place
};

// Whether the calling thread has the name: that of raddle::name_thread(), or of
// pthread_setname_np().
bool thread_is(const char* name);

// A handler or an event's code threw, which would leave a monitor half changed: says so, and ends
// the program.
[[noreturn]] void threw(const char* where, const char* location, const char* what);

// For startThread(), endThread() and endProgram(). Called before main.
void at_thread_start(void (*event)());
void at_thread_end(void (*event)());
void at_program_end(void (*event)());

// Values travel as 64 bits.
template <class T>
std::uint64_t bits(const T& value) {
  if constexpr (std::is_integral_v<T>) return static_cast<std::uint64_t>(value);
  std::uint64_t out = 0;
  static_assert(sizeof(T) <= sizeof(out), "too large for an event");
  std::memcpy(&out, &value, sizeof(T));
  return out;
}
template <class T>
T value(std::uint64_t from) {
  std::remove_const_t<T> out;
  static_assert(sizeof(T) <= sizeof(from), "too large for an event");
  std::memcpy(&out, &from, sizeof(T));
  return out;
}
// `Fork f` and `Fork& f` are references to the object, `Fork* f` is a pointer.
template <class T>
decltype(auto) object(std::uint64_t address) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(address);
  } else {
    return static_cast<std::add_lvalue_reference_t<T>>(
        *reinterpret_cast<std::remove_reference_t<T>*>(address));
  }
}

// What threadBlocked(..) is given: the name stays valid until the thread asks again.
inline const char* name_of(const char* name) { return name; }
inline const char* name_of(const std::string& name) {
  static thread_local std::string kept;
  kept = name;
  return kept.c_str();
}

template <class Function>
void guarded(const char* where, const char* location, const Function& function) {
#if defined(__cpp_exceptions)
  try {
    function();
  } catch (const std::exception& error) {
    threw(where, location, error.what());
  } catch (...) {
    threw(where, location, "");
  }
#else
  (void)where;
  (void)location;
  function();
#endif
}

}  // namespace raddle::mop
