// A cache that loads each value once, however many threads ask for it meanwhile, and keeps those
// that were used last. Any thread may call anything; a loader may not call the cache that called
// it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace components {

template <typename Key, typename Value>
class Cache {
 public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}

  // The value, from load() if there is none yet. If another thread loads it, waits for that one; if
  // that load throws, loads itself.
  template <typename Load>
  Value get(const Key& key, Load load) {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = entries_.find(key);
      if (found == entries_.end()) return load_into(lock, key, load);
      const std::shared_ptr<Entry> entry = found->second;
      if (entry->state == State::loading) {
        ++waits_;
        changed_.wait(lock, [&] { return entry->state != State::loading; });
      }
      if (entry->state == State::failed) continue;
      touch(key, entry);
      return entry->value;
    }
  }

  // Forgets the value. One that is being loaded goes to those who wait for it, and is not kept.
  void invalidate(const Key& key) {
    const std::lock_guard lock(mutex_);
    forget(key);
  }

  bool contains(const Key& key) const {
    const std::lock_guard lock(mutex_);
    return entries_.contains(key);
  }

  // How many calls have had to wait for the load of another thread so far.
  std::size_t waits() const {
    const std::lock_guard lock(mutex_);
    return waits_;
  }

 private:
  enum class State { loading, loaded, failed };
  struct Entry {
    State state = State::loading;
    Value value{};
  };

  template <typename Load>
  Value load_into(std::unique_lock<std::mutex>& lock, const Key& key, Load& load) {
    const std::shared_ptr<Entry> entry = std::make_shared<Entry>();
    entries_[key] = entry;
    lock.unlock();
    try {
      Value value = load();
      lock.lock();
      entry->value = value;
      finish(key, entry, State::loaded);
      return value;
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      finish(key, entry, State::failed);
      throw;
    }
  }

  void finish(const Key& key, const std::shared_ptr<Entry>& entry, State state) {
    entry->state = state;
    changed_.notify_all();
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second != entry) return;
    if (state == State::failed) {
      entries_.erase(found);
      return;
    }
    touch(key, entry);
    if (recent_.size() > capacity_) forget(Key(recent_.back()));
  }

  void touch(const Key& key, const std::shared_ptr<Entry>& entry) {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second != entry) return;
    recent_.remove(key);
    recent_.push_front(key);
  }

  void forget(const Key& key) {
    entries_.erase(key);
    recent_.remove(key);
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::list<Key> recent_;  // keys of loaded entries, the one used last first
  std::size_t waits_ = 0;
};

}  // namespace components
