// The stacks of fibers. A thread gets the first free one in the order in which they were made, so
// which stack it gets depends on who else has one, and not on executions before. A stack has its
// thread's TLS block at its top: pthread_self() and the addresses of locals and thread_locals are
// therefore the same in every execution that makes the same choices.
//
// Called by the fiber carrier only, by whoever holds the token.
#pragma once

#include <cstddef>
#include <cstdint>

namespace raddle {

class FiberStacks {
 public:
  // Null if there is no memory. `has_tls`: the block at the top is that of a thread that has ended.
  char* take(std::size_t size, std::size_t guard, bool& has_tls);

  struct Stack {
    char* memory;
    std::size_t size;
    std::size_t guard;
    std::uint64_t used_in;  // the number of the last execution in which a thread had it
    bool has_tls;
    bool is_free;
  };

  // The stack that will be kept for the next thread; null: give_back() unmaps it.
  Stack* kept(const char* memory);
  void give_back(Stack* kept, char* memory, std::size_t size, bool has_tls);

 private:
  static constexpr std::size_t kKept = 1024;

  char* map(std::size_t size, std::size_t guard);

  Stack stacks_[kKept] = {};
  std::size_t count_ = 0;
  std::size_t first_free_ = 0;  // none before it is free
  std::size_t area_used_ = 0;   // bytes of the area in which many executions have their stacks
};

}  // namespace raddle
