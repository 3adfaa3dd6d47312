#include "prevent/enforce/thread_shards.hpp"

#include <algorithm>
#include <mutex>

namespace raddle::enforce {
namespace {

// After the thread's variables are destroyed, its other variables' destructors may still have
// events.
thread_local bool t_gone = false;

struct Own {
  struct Entry {
    ThreadShards* of;
    std::unique_ptr<Shard> shard;
  };
  std::vector<Entry> entries;

  ~Own() {
    t_gone = true;
    for (const Entry& entry : entries) entry.of->thread_ends(*entry.shard);
  }
};
thread_local Own t_own;

}  // namespace

Shard* ThreadShards::own(unsigned long execution) {
  if (t_gone) return nullptr;
  for (const Own::Entry& entry : t_own.entries)
    if (entry.of == this) return entry.shard.get();
  t_own.entries.push_back({this, make_()});
  Shard* shard = t_own.entries.back().shard.get();
  const std::lock_guard<logics::Lock> guard(lock_);
  // Threads of executions that were left in the middle never end.
  known_.erase(std::remove_if(known_.begin(), known_.end(),
                              [&](const Known& other) {
                                return other.execution != 0 && other.execution != execution;
                              }),
               known_.end());
  known_.push_back({shard, execution});
  return shard;
}

void ThreadShards::destroyed(unsigned parameter, const void* object) {
  const std::lock_guard<logics::Lock> guard(lock_);
  for (const Known& known : known_) {
    const std::lock_guard<logics::Lock> inner(known.shard->lock());
    known.shard->monitors().destroyed(parameter, object);
  }
}

void ThreadShards::thread_ends(const Shard& shard) {
  const std::lock_guard<logics::Lock> guard(lock_);
  known_.erase(std::remove_if(known_.begin(), known_.end(),
                              [&](const Known& known) { return known.shard == &shard; }),
               known_.end());
}

}  // namespace raddle::enforce
