#include "runtime/carrier/stack_size.hpp"

#include <stdint.h>

namespace raddle {
namespace {

constexpr std::size_t kPage = 4096;

// pthread_attr_getstack cannot say "no stack was given": it then reports an address computed from
// null, which lies in the last pages of the address space.
bool is_given(void* address, std::size_t size) {
  return address != nullptr && reinterpret_cast<uintptr_t>(address) + size > size;
}

}  // namespace

StackRequest stack_request(const pthread_attr_t* attributes) {
  StackRequest request{};
  pthread_attr_t defaults;
  bool use_defaults = attributes == nullptr;
  if (use_defaults) {
    pthread_getattr_default_np(&defaults);
    attributes = &defaults;
  }
  pthread_attr_getguardsize(attributes, &request.guard);
  request.guard = (request.guard + kPage - 1) & ~(kPage - 1);
  void* address = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(attributes, &address, &size);
  if (is_given(address, size)) {
    request.given = address;
    request.size = size;
    request.guard = 0;
  } else {
    // An attribute object without a size has 0 here; getstacksize knows the default.
    pthread_attr_getstacksize(attributes, &request.size);
  }
  if (use_defaults) pthread_attr_destroy(&defaults);
  return request;
}

}  // namespace raddle
