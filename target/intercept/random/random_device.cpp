// std::random_device reads the processor's generator, which nobody can intercept; but programs call
// it through these functions of libstdc++ and libc++, and get the execution's own random numbers
// instead.
#include <cstdint>

#include "target/base/base.hpp"
#include "target/intercept/random/random_source.hpp"

// std::random_device::_M_getval() and std::__1::random_device::operator()(), by their names in the
// ABI.
#define RADDLE_RANDOM_DEVICE(function, name)                                     \
  RADDLE_EXPORT unsigned function(void* device) asm(name);                       \
  RADDLE_EXPORT unsigned function(void* device) {                                \
    if (!raddle::random_is_ours()) {                                             \
      static unsigned (*real)(void*);                                            \
      if (real == nullptr) {                                                     \
        real = reinterpret_cast<unsigned (*)(void*)>(raddle::next_symbol(name)); \
      }                                                                          \
      return real(device);                                                       \
    }                                                                            \
    unsigned value = 0;                                                          \
    raddle::random_bytes(&value, sizeof(value));                                 \
    return value;                                                                \
  }

RADDLE_RANDOM_DEVICE(libstdcxx_random_device, "_ZNSt13random_device9_M_getvalEv")
RADDLE_RANDOM_DEVICE(libcxx_random_device, "_ZNSt3__113random_deviceclEv")
