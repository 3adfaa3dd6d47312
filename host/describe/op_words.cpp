#include "host/describe/op_words.hpp"

#include <string_view>

namespace raddle {

OpWords op_words(OpKind op) {
  using C = ObjectClass;
  switch (op) {
    case OpKind::none:
      return {"nothing", "waits", C::none};
    case OpKind::thread_begin:
      return {"begin", "has not begun", C::none};
    case OpKind::thread_create:
      return {"create {}", "waits to create {}", C::thread};
    case OpKind::thread_join:
      return {"join {}", "waits to join {}", C::thread};
    case OpKind::thread_end:
      return {"end", "waits to end", C::none};
    case OpKind::process_exit:
      return {"exit", "waits to exit", C::none};
    case OpKind::mutex_lock:
      return {"lock {}", "waits to lock {}", C::mutex};
    case OpKind::mutex_trylock:
      return {"trylock {}", "waits to trylock {}", C::mutex};
    case OpKind::mutex_unlock:
      return {"unlock {}", "waits to unlock {}", C::mutex};
    case OpKind::rwlock_read:
      return {"read-lock {}", "waits to read-lock {}", C::rwlock};
    case OpKind::rwlock_tryread:
      return {"try to read-lock {}", "waits to try to read-lock {}", C::rwlock};
    case OpKind::rwlock_write:
      return {"write-lock {}", "waits to write-lock {}", C::rwlock};
    case OpKind::rwlock_trywrite:
      return {"try to write-lock {}", "waits to try to write-lock {}", C::rwlock};
    case OpKind::rwlock_unlock:
      return {"unlock {}", "waits to unlock {}", C::rwlock};
    case OpKind::cond_wait:
      return {"wait on {}", "waits on {}", C::cond};
    case OpKind::cond_wake:
      return {"wake from {}", "waits on {}", C::cond};
    case OpKind::cond_signal:
      return {"signal {}", "waits to signal {}", C::cond};
    case OpKind::cond_broadcast:
      return {"broadcast {}", "waits to broadcast {}", C::cond};
    case OpKind::destroy:
      return {"destroy {}", "waits to destroy {}", C::cond};
    case OpKind::sem_wait:
      return {"wait for {}", "waits for {}", C::semaphore};
    case OpKind::sem_trywait:
      return {"sem_trywait {}", "waits to sem_trywait {}", C::semaphore};
    case OpKind::sem_post:
      return {"post {}", "waits to post {}", C::semaphore};
    case OpKind::barrier_wait:
      return {"arrive at {}", "waits at {}", C::barrier};
    case OpKind::spin_lock:
      return {"lock {}", "waits to lock {}", C::spinlock};
    case OpKind::spin_trylock:
      return {"trylock {}", "waits to trylock {}", C::spinlock};
    case OpKind::spin_unlock:
      return {"unlock {}", "waits to unlock {}", C::spinlock};
    case OpKind::once:
      return {"call once with {}", "waits for {}", C::once};
    case OpKind::futex_wait:
      return {"wait on {}", "waits on {}", C::futex};
    case OpKind::futex_wake:
      return {"wake the waiters on {}", "waits to wake the waiters on {}", C::futex};
    case OpKind::sleep:
      return {"sleep", "sleeps", C::none};
    case OpKind::yield:
      return {"yield", "waits to yield", C::none};
    case OpKind::spin:
      return {"spin without synchronising", "spins without synchronising", C::none};
    case OpKind::read:
      return {"read from {}", "waits to read from {}", C::descriptor};
    case OpKind::write:
      return {"write to {}", "waits to write to {}", C::descriptor};
    case OpKind::accept:
      return {"accept on {}", "waits to accept on {}", C::descriptor};
    case OpKind::connect:
      return {"connect {}", "waits to connect {}", C::descriptor};
    case OpKind::poll:
      return {"poll {}", "waits in poll", C::descriptor};
    case OpKind::close:
      return {"close {}", "waits to close {}", C::descriptor};
    case OpKind::signal_wait:
      return {"wait for a signal", "waits for a signal", C::none};
    case OpKind::signal_send:
      return {"send a signal to {}", "waits to send a signal to {}", C::thread};
    case OpKind::child_wait:
      return {"wait for a child process", "waits for a child process", C::none};
    case OpKind::cancel:
      return {"cancel {}", "waits to cancel {}", C::thread};
    case OpKind::atomic_load:
      return {"load {}", "waits to load {}", C::memory};
    case OpKind::atomic_store:
      return {"store to {}", "waits to store to {}", C::memory};
    case OpKind::atomic_update:
      return {"update {}", "waits to update {}", C::memory};
    case OpKind::atomic_again:
      return {"try again with {}", "tries again and again with {}", C::memory};
    case OpKind::fence:
      return {"fence", "waits at a fence", C::none};
    case OpKind::memory_read:
      return {"read {}", "waits to read {}", C::memory};
    case OpKind::memory_again:
      return {"read {} again", "reads {} again and again", C::memory};
    case OpKind::memory_write:
      return {"write {}", "waits to write {}", C::memory};
    case OpKind::go_on:
      return {"go on", "waits to go on", C::none};
    case OpKind::value_choice:
      return {"choice", "waits for a choice", C::none};
  }
  return {"unknown operation on {}", "waits in an unknown operation on {}", C::none};
}

std::string fill(const char* phrase, const std::string& object) {
  std::string text = phrase;
  const std::size_t at = text.find("{}");
  if (at == std::string::npos) return text;
  if (!object.empty()) return text.replace(at, 2, object);
  text.erase(at);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  for (std::string_view word : {" on", " from", " for", " at", " to", " with"}) {
    if (text.size() > word.size() && text.ends_with(word)) {
      text.erase(text.size() - word.size());
      break;
    }
  }
  return text;
}

}  // namespace raddle
