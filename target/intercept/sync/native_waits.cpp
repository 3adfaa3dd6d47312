#include "target/intercept/sync/native_waits.hpp"

#include <atomic>

namespace raddle {

enum class NativeState : int { unknown, trying, waits };

struct NativeWaiter {
  std::atomic<const void*> thread;
  std::atomic<const void*> object;
  std::atomic<NativeState> state;
};

namespace {

// Threads that find no place are not known: whoever asks looks at the kernel then.
constexpr unsigned kPlaces = 128;
NativeWaiter g_waiters[kPlaces];
std::atomic<int> g_listening;
std::atomic<int> g_waking;  // calls under way that may wake somebody

NativeWaiter* take_place(const void* thread) {
  for (NativeWaiter& waiter : g_waiters) {
    const void* nobody = nullptr;
    if (waiter.thread.load(std::memory_order_relaxed) == nullptr &&
        waiter.thread.compare_exchange_strong(nobody, thread))
      return &waiter;
  }
  return nullptr;
}

void leave_place(NativeWaiter& waiter) {
  waiter.state.store(NativeState::unknown);
  waiter.object.store(nullptr);
  waiter.thread.store(nullptr);
}

}  // namespace

NativeWait::NativeWait(const void* object) {
  if (object == nullptr || g_listening.load(std::memory_order_relaxed) == 0) return;
  waiter_ = take_place(thread_pointer());
  if (waiter_ == nullptr) return;
  waiter_->state.store(NativeState::trying);
  waiter_->object.store(object);
}

NativeWait::~NativeWait() {
  if (waiter_ != nullptr) leave_place(*waiter_);
}

void NativeWait::waits() {
  NativeState trying = NativeState::trying;
  if (waiter_ != nullptr) waiter_->state.compare_exchange_strong(trying, NativeState::waits);
}

NativeWake::NativeWake(const void* object) : object_(object) {
  if (g_listening.load(std::memory_order_relaxed) == 0) {
    object_ = nullptr;
    return;
  }
  g_waking.fetch_add(1);
}

NativeWake::~NativeWake() {
  if (object_ == nullptr) return;
  for (NativeWaiter& waiter : g_waiters)
    if (waiter.object.load() == object_) waiter.state.store(NativeState::unknown);
  g_waking.fetch_sub(1);
}

void listen_to_native_waits(bool begin) {
  if (g_listening.fetch_add(begin ? 1 : -1) != 0 || !begin) return;
  // Who was seen to wait before may have been woken while nobody listened.
  for (NativeWaiter& waiter : g_waiters) waiter.state.store(NativeState::unknown);
}

void forget_native_wait(const void* thread) {
  for (NativeWaiter& waiter : g_waiters)
    if (waiter.thread.load() == thread) leave_place(waiter);
}

bool waits_natively(const void* thread) {
  if (g_waking.load() != 0) return false;
  for (NativeWaiter& waiter : g_waiters)
    if (waiter.thread.load() == thread) return waiter.state.load() == NativeState::waits;
  return false;
}

}  // namespace raddle
