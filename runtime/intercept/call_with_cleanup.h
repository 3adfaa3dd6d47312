// Calls function(), sets *finished to 1 when it came back, and calls cleanup(data) in any case: also when an
// exception or a cancellation unwinds through it. In C with -fexceptions, because the C++ way would need
// the C++ library's personality routine.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void raddle_call_with_cleanup(void (*function)(void), int* finished, void (*cleanup)(void*), void* data);

#ifdef __cplusplus
}
#endif
