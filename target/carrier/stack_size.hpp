// The stack a program asks for when it creates a thread.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace raddle {

struct StackRequest {
  void* given;  // lowest address of a stack that the program provides, or null
  std::size_t size;
  std::size_t guard;  // rounded up to pages; 0 with a given stack
};

// What `attributes` ask for; without any, the default.
StackRequest find_stack_request(const pthread_attr_t* attributes);

// Of threads without attributes. Asking for it costs as much as two switches.
extern StackRequest g_default_stack;
extern bool g_default_stack_known;

inline StackRequest stack_request(const pthread_attr_t* attributes) {
  return attributes == nullptr && g_default_stack_known ? g_default_stack
                                                        : find_stack_request(attributes);
}

}  // namespace raddle
