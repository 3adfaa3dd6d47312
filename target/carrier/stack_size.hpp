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

StackRequest stack_request(const pthread_attr_t* attributes);

}  // namespace raddle
