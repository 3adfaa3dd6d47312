#include "target/carrier/stack_size.hpp"

#include <stdint.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

constexpr std::size_t kPage = 4096;

// pthread_attr_getstack cannot say "no stack was given": it then reports an address computed from
// null, which lies in the last pages of the address space.
bool is_given(void* address, std::size_t size) {
  return address != nullptr && reinterpret_cast<uintptr_t>(address) + size > size;
}

StackRequest request_of(const pthread_attr_t& attributes) {
  StackRequest request{};
  pthread_attr_getguardsize(&attributes, &request.guard);
  request.guard = (request.guard + kPage - 1) & ~(kPage - 1);
  void* address = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &address, &size);
  if (is_given(address, size)) {
    request.given = address;
    request.size = size;
    request.guard = 0;
  } else {
    // An attribute object without a size has 0 here; getstacksize knows the default.
    pthread_attr_getstacksize(&attributes, &request.size);
  }
  return request;
}

}  // namespace

StackRequest g_default_stack;
bool g_default_stack_known;

StackRequest find_stack_request(const pthread_attr_t* attributes) {
  if (attributes != nullptr) return request_of(*attributes);
  pthread_attr_t defaults;
  pthread_getattr_default_np(&defaults);
  g_default_stack = request_of(defaults);
  g_default_stack_known = true;
  pthread_attr_destroy(&defaults);
  return g_default_stack;
}

}  // namespace raddle

RADDLE_EXPORT int pthread_setattr_default_np(const pthread_attr_t* attributes) noexcept {
  raddle::g_default_stack_known = false;
  return RADDLE_REAL(pthread_setattr_default_np)(attributes);
}
