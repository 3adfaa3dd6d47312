#include "host/report/words/op_words.hpp"

#include <string_view>

namespace raddle {

OpWords op_words(OpKind op) {
  switch (op) {
    case OpKind::none:
      return {"nothing", "waits"};
    case OpKind::thread_begin:
      return {"begin", "has not begun"};
    case OpKind::thread_create:
      return {"create {}", "waits to create {}"};
    case OpKind::thread_join:
      return {"join {}", "waits to join {}"};
    case OpKind::thread_end:
      return {"end", "waits to end"};
    case OpKind::process_exit:
      return {"exit", "waits to exit"};
    case OpKind::mutex_lock:
      return {"lock {}", "waits to lock {}"};
    case OpKind::mutex_trylock:
      return {"trylock {}", "waits to trylock {}"};
    case OpKind::mutex_unlock:
      return {"unlock {}", "waits to unlock {}"};
    case OpKind::rwlock_read:
      return {"read-lock {}", "waits to read-lock {}"};
    case OpKind::rwlock_tryread:
      return {"try to read-lock {}", "waits to try to read-lock {}"};
    case OpKind::rwlock_write:
      return {"write-lock {}", "waits to write-lock {}"};
    case OpKind::rwlock_trywrite:
      return {"try to write-lock {}", "waits to try to write-lock {}"};
    case OpKind::rwlock_unlock:
      return {"unlock {}", "waits to unlock {}"};
    case OpKind::cond_wait:
      return {"wait on {}", "waits on {}"};
    case OpKind::cond_wake:
      return {"wake from {}", "waits on {}"};
    case OpKind::cond_signal:
      return {"signal {}", "waits to signal {}"};
    case OpKind::cond_broadcast:
      return {"broadcast {}", "waits to broadcast {}"};
    case OpKind::init:
      return {"initialise {}", "waits to initialise {}"};
    case OpKind::destroy:
      return {"destroy {}", "waits to destroy {}"};
    case OpKind::sem_wait:
      return {"wait for {}", "waits for {}"};
    case OpKind::sem_trywait:
      return {"sem_trywait {}", "waits to sem_trywait {}"};
    case OpKind::sem_post:
      return {"post {}", "waits to post {}"};
    case OpKind::barrier_wait:
      return {"arrive at {}", "waits at {}"};
    case OpKind::spin_lock:
      return {"lock {}", "waits to lock {}"};
    case OpKind::spin_trylock:
      return {"trylock {}", "waits to trylock {}"};
    case OpKind::spin_unlock:
      return {"unlock {}", "waits to unlock {}"};
    case OpKind::once:
      return {"call once with {}", "waits for {}"};
    case OpKind::futex_wait:
      return {"wait on {}", "waits on {}"};
    case OpKind::futex_wake:
      return {"wake the waiters on {}", "waits to wake the waiters on {}"};
    case OpKind::sleep:
      return {"sleep", "sleeps"};
    case OpKind::yield:
      return {"yield", "waits to yield"};
    case OpKind::spin:
      return {"spin without synchronising", "spins without synchronising"};
    case OpKind::read:
      return {"read from {}", "waits to read from {}"};
    case OpKind::write:
      return {"write to {}", "waits to write to {}"};
    case OpKind::accept:
      return {"accept on {}", "waits to accept on {}"};
    case OpKind::connect:
      return {"connect {}", "waits to connect {}"};
    case OpKind::poll:
      return {"poll {}", "waits in poll"};
    case OpKind::close:
      return {"close {}", "waits to close {}"};
    case OpKind::signal_wait:
      return {"wait for a signal", "waits for a signal"};
    case OpKind::signal_send:
      return {"send a signal to {}", "waits to send a signal to {}"};
    case OpKind::child_wait:
      return {"wait for a child process", "waits for a child process"};
    case OpKind::cancel:
      return {"cancel {}", "waits to cancel {}"};
    case OpKind::atomic_load:
      return {"load {}", "waits to load {}"};
    case OpKind::atomic_store:
      return {"store to {}", "waits to store to {}"};
    case OpKind::atomic_update:
      return {"update {}", "waits to update {}"};
    case OpKind::atomic_again:
      return {"use {} again", "tries again and again with {}"};
    case OpKind::fence:
      return {"fence", "waits at a fence"};
    case OpKind::memory_read:
      return {"read {}", "waits to read {}"};
    case OpKind::memory_again:
      return {"read {} again", "reads {} again and again"};
    case OpKind::memory_write:
      return {"write {}", "waits to write {}"};
    case OpKind::memory_free:
      return {"free {}", "waits to free {}"};
    case OpKind::go_on:
      return {"go on", "waits to go on"};
    case OpKind::monitor_event:
      return {"event", "is held at an event"};
    case OpKind::value_choice:
      return {"choice", "waits for a choice"};
  }
  return {"unknown operation on {}", "waits in an unknown operation on {}"};
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
