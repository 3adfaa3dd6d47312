#include "target/waiting/waiting.hpp"

#include <string.h>

namespace raddle {
namespace {

std::uint64_t value_at(std::uintptr_t address, std::uint16_t bytes) {
  std::uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(address),
         bytes < sizeof(value) ? bytes : sizeof(value));
  return value;
}

bool looks_only(OpKind op) {
  return is_idle_op(op) || op == OpKind::atomic_load || op == OpKind::atomic_store ||
         op == OpKind::atomic_update || op == OpKind::fence || op == OpKind::memory_read;
}

bool nothing_changed(const Thread& thread) {
  for (std::uint32_t i = 0; i < thread.looks; ++i) {
    if (thread.looked_at[i].object->value != thread.looked_at[i].version) return false;
  }
  return true;
}

}  // namespace

void settle_atomics(Thread& thread, OpKind next) {
  if (Object* variable = thread.wrote_to) {
    thread.wrote_to = nullptr;
    // Memory that was given up since (address 0) cannot be read, and counts as changed.
    if (variable->address == 0 ||
        value_at(variable->address, thread.wrote_bytes) != thread.wrote_over) {
      ++variable->value;
      thread.looks = 0;
    }
  }
  if (!looks_only(next)) thread.looks = 0;
}

bool tries_again(Thread& thread, Object& variable, std::uint16_t bytes, std::uint64_t site,
                 bool may_write) {
  settle_atomics(thread, OpKind::atomic_load);
  bool again = false;
  for (std::uint32_t i = 0; i < thread.looks && !again; ++i) {
    again = thread.looked_at[i].site == site && thread.looked_at[i].object == &variable;
  }
  if (again && !nothing_changed(thread)) {
    again = false;
    thread.looks = 0;
  }
  if (!again) {
    if (thread.looks == kMostLooks)
      thread.looks = 0;  // too long a loop to remember: it starts anew
    thread.looked_at[thread.looks++] = {site, &variable, variable.value};
  }
  if (may_write) {
    thread.wrote_to = &variable;
    thread.wrote_over = value_at(variable.address, bytes);
    thread.wrote_bytes = bytes;
  }
  return again;
}

}  // namespace raddle
