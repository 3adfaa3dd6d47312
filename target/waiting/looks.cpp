#include <string.h>

#include "target/waiting/waiting.hpp"

namespace raddle {
namespace {

// A loop over plain memory that ends by itself after a few rounds is no wait. The registers and
// variables of the loop would tell, but not reliably: what lies in the unused parts of a stack
// frame depends on what the runtime did there before, and so on the clock.
constexpr std::uint16_t kPlainRounds = 8;

std::uint64_t value_at(std::uintptr_t address, std::uint16_t bytes) {
  std::uint64_t words[2] = {};
  memcpy(words, reinterpret_cast<const void*>(address),
         bytes < sizeof(words) ? bytes : sizeof(words));
  return words[0] ^ words[1] * 0x9e3779b97f4a7c15ULL;
}

bool looks_only(OpKind op) {
  return is_idle_op(op) || op == OpKind::atomic_load || op == OpKind::atomic_store ||
         op == OpKind::atomic_update || op == OpKind::fence || op == OpKind::memory_read ||
         op == OpKind::memory_write;
}

bool nothing_changed(const Thread& thread) {
  for (std::uint32_t i = 0; i < thread.looks; ++i) {
    if (thread.looked_at[i].object->value != thread.looked_at[i].version) return false;
  }
  return true;
}

Look* find_look(Thread& thread, const Access& access) {
  for (std::uint32_t i = 0; i < thread.looks; ++i) {
    Look& look = thread.looked_at[i];
    if (look.site == access.site && look.object == &access.variable) return &look;
  }
  return nullptr;
}

}  // namespace

void settle_looks(Thread& thread, OpKind next) {
  if (Object* variable = thread.wrote_to) {
    thread.wrote_to = nullptr;
    // Memory that was given up since (address 0) cannot be read, and counts as changed.
    if (variable->address == 0 ||
        value_at(variable->address, thread.wrote_bytes) != thread.wrote_over) {
      ++variable->value;
      thread.looks = 0;
      end_idleness();
    }
  }
  if (!looks_only(next)) thread.looks = 0;
}

bool tries_again(Thread& thread, const Access& access) {
  settle_looks(thread, OpKind::atomic_load);
  const std::uint64_t value = value_at(access.variable.address, access.bytes);
  if (access.may_write) {
    thread.wrote_to = &access.variable;
    thread.wrote_over = value;
    thread.wrote_bytes = access.bytes;
  }
  Look* look = find_look(thread, access);
  if (look != nullptr && (look->value != value || !nothing_changed(thread))) {
    look = nullptr;
    thread.looks = 0;
  }
  if (look != nullptr) {
    if (look->times < kPlainRounds) ++look->times;
    return access.atomic || look->times == kPlainRounds;
  }
  if (thread.looked_at == nullptr) thread.looked_at = arena_array<Look>(kMostLooks);
  if (thread.looks == kMostLooks) thread.looks = 0;  // too long a loop to remember: it starts anew
  thread.looked_at[thread.looks++] = {access.site, &access.variable, access.variable.value, value,
                                      1};
  return false;
}

}  // namespace raddle
