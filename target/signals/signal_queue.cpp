#include "target/signals/signal_queue.hpp"

#include "target/sched/scheduler.hpp"
#include "target/signals/signal_state.hpp"

namespace raddle {
namespace {

// One producer (the handler), one consumer (the runtime), on the same kernel thread or with the
// token.
constexpr std::uint32_t kRing = 256;
siginfo_t g_ring[kRing];
volatile std::uint32_t g_ring_head;  // next to write
volatile std::uint32_t g_ring_tail;  // next to read

struct Entry {
  Entry* next;
  Thread* thread;
  bool to_process;
  siginfo_t info;
};

Entry* g_first;
Entry* g_free;

// Thread::signals says what waits for the thread.
void recount(Thread& thread) {
  std::uint64_t bits = 0;
  for (Entry* e = g_first; e != nullptr; e = e->next) {
    if (e->thread == &thread) bits |= signal_bit(e->info.si_signo);
  }
  thread.signals = bits;
}

void give_to(Entry& entry, Thread& thread) {
  entry.thread = &thread;
  thread.signals |= signal_bit(entry.info.si_signo);
  if (&thread == g_current) {
    g_signals_due = true;
  } else {
    reconsider(thread);
  }
}

void remove(Entry** link) {
  Entry* entry = *link;
  *link = entry->next;
  entry->next = g_free;
  g_free = entry;
  if (entry->thread != nullptr) recount(*entry->thread);
}

}  // namespace

void note_arrival(const siginfo_t& info) {
  if (g_ring_head - g_ring_tail < kRing) {
    g_ring[g_ring_head % kRing] = info;
    g_ring_head = g_ring_head + 1;
  }
  g_signals_due = true;
}

bool any_arrived() { return g_ring_head != g_ring_tail; }

bool take_arrival(siginfo_t& info) {
  if (!any_arrived()) return false;
  info = g_ring[g_ring_tail % kRing];
  g_ring_tail = g_ring_tail + 1;
  return true;
}

void enqueue(Thread* thread, bool to_process, const siginfo_t& info) {
  Entry** link = &g_first;
  for (; *link != nullptr; link = &(*link)->next) {
    const Entry& e = **link;
    bool same = e.info.si_signo == info.si_signo && e.to_process == to_process &&
                (to_process || e.thread == thread);
    if (same && info.si_signo < 32) return;
  }
  Entry* entry = g_free;
  if (entry != nullptr) {
    g_free = entry->next;
  } else {
    entry = arena_new<Entry>();
  }
  entry->next = nullptr;
  entry->thread = nullptr;
  entry->to_process = to_process;
  entry->info = info;
  *link = entry;
  if (thread != nullptr) {
    give_to(*entry, *thread);
  } else {
    outside_changed();  // somebody may be in sigwait for it
  }
}

bool dequeue(Thread* thread, std::uint64_t set, siginfo_t& info) {
  Entry** best = nullptr;
  for (Entry** link = &g_first; *link != nullptr; link = &(*link)->next) {
    const Entry& e = **link;
    if (e.thread != thread || (set & signal_bit(e.info.si_signo)) == 0) continue;
    if (best == nullptr || e.info.si_signo < (*best)->info.si_signo) best = link;
  }
  if (best == nullptr) return false;
  info = (*best)->info;
  remove(best);
  return true;
}

std::uint64_t queued(const Thread* thread) {
  if (thread != nullptr) return thread->signals;
  std::uint64_t bits = 0;
  for (Entry* e = g_first; e != nullptr; e = e->next) {
    if (e->thread == nullptr) bits |= signal_bit(e->info.si_signo);
  }
  return bits;
}

void assign_queued(Thread* (*choose)(int)) {
  for (Entry* e = g_first; e != nullptr; e = e->next) {
    if (e->to_process && e->thread != nullptr && e->thread->finished) e->thread = nullptr;
    if (e->thread != nullptr) continue;
    if (Thread* thread = choose(e->info.si_signo)) give_to(*e, *thread);
  }
}

void discard_queued(int signal) {
  for (Entry** link = &g_first; *link != nullptr;) {
    if ((*link)->info.si_signo == signal) {
      remove(link);
    } else {
      link = &(*link)->next;
    }
  }
}

void forget_queue() {
  g_first = g_free = nullptr;
  g_ring_tail = g_ring_head;
  g_signals_due = false;
}

}  // namespace raddle
