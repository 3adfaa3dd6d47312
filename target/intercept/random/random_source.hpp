// Random bytes that the program asks the system for, for the other way in: syscall().
#pragma once

#include <cstddef>

namespace raddle {

// Whether the calling code gets ours: it is controlled, or a constructor before control.
bool random_is_ours();

// The next bytes of the execution's stream. Only if random_is_ours().
void random_bytes(void* buffer, std::size_t size);

// Body of getrandom: the number of bytes, or a negative errno.
long get_random(void* buffer, std::size_t size, unsigned flags);

}  // namespace raddle
