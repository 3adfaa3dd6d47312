#pragma once

#include <stdio.h>

#include <cstdint>

namespace raddle {

// If the stream's buffer is empty and its descriptor can make a reader wait: waits until it is
// readable, as read() does. Called as program code, before libc's function.
void await_input(FILE* stream, std::uint64_t site);

}  // namespace raddle
