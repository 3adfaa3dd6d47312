// The monitors of a property that is perthread: each thread has a shard of its own, which ends with
// the thread. An object that one thread destroys ends its monitors in all of them, so a shard's
// lock is needed here, too.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "prevent/enforce/shard.hpp"

namespace raddle::enforce {

class ThreadShards {
 public:
  explicit ThreadShards(std::function<std::unique_ptr<Shard>()> make) : make_(std::move(make)) {}

  // The calling thread's; null if the thread is about to be gone. `execution` is the one under
  // Raddle's control that the thread belongs to, 0 if none.
  Shard* own(unsigned long execution);
  void destroyed(unsigned parameter, const void* object);
  void thread_ends(const Shard& shard);

 private:
  struct Known {
    Shard* shard;
    unsigned long execution;
  };

  std::function<std::unique_ptr<Shard>()> make_;
  logics::Lock lock_;
  std::vector<Known> known_;
};

}  // namespace raddle::enforce
