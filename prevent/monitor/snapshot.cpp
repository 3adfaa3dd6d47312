#include "prevent/monitor/snapshot.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "prevent/monitor/stacks.hpp"
#include "prevent/monitor/watch.hpp"

namespace raddle::monitor {
namespace {

// Those that the gate knows, if the kernel does not say.
std::vector<pid_t> all_threads(const Gate& gate) {
  std::vector<pid_t> out;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) {
    for (const std::shared_ptr<Thread>& thread : gate.threads())
      if (!thread->ended) out.push_back(thread->id);
    return out;
  }
  while (const dirent* entry = readdir(folder)) {
    const int id = std::atoi(entry->d_name);
    if (id > 0) out.push_back(id);
  }
  closedir(folder);
  std::sort(out.begin(), out.end());
  return out;
}

bool timer_is_set() {
  itimerval timer{};
  return getitimer(ITIMER_REAL, &timer) == 0 &&
         (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0);
}

// ThreadSanitizer has a thread that sleeps and looks, for ever. It makes its system calls by
// itself, not through the C library.
bool is_sanitizers(const ThreadState& state) {
  static const bool there = dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
  if (!there || state.known != nullptr || state.view.activity != Activity::sleeps) return false;
  Dl_info info{};
  // The kernel gives addresses as numbers.
  const auto* place =
      reinterpret_cast<const void*>(state.view.place);  // NOLINT(performance-no-int-to-ptr)
  if (dladdr(place, &info) == 0 || info.dli_fname == nullptr) return false;
  const char* slash = std::strrchr(info.dli_fname, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : info.dli_fname, "libc", 4) != 0;
}

bool waits_for_thread(const ThreadState& state) {
  return state.view.activity == Activity::waits && !waits_across_processes(state.view);
}

Verdict verdict_of(const std::vector<ThreadState>& threads) {
  bool held = false;
  bool free = timer_is_set();
  for (const ThreadState& thread : threads) {
    if (thread.held) {
      held = true;
    } else if (!waits_for_thread(thread)) {
      free = true;
    }
  }
  if (free || threads.empty()) return held ? Verdict::waits : Verdict::moves;
  return held ? Verdict::stuck : Verdict::deadlock;
}

std::string name_of(const Snapshot& snapshot, pid_t id) {
  for (const ThreadState& thread : snapshot.threads)
    if (thread.id == id && thread.known != nullptr) return thread.known->title();
  return "thread " + std::to_string(id);
}

const char* call_name(long call) {
  switch (call) {
    case SYS_read:
      return "read";
    case SYS_write:
      return "write";
    case SYS_ppoll:
      return "ppoll";
    case SYS_pselect6:
      return "pselect";
    case SYS_epoll_pwait:
      return "epoll_pwait";
    case SYS_accept:
      return "accept";
    case SYS_accept4:
      return "accept4";
    case SYS_recvfrom:
      return "recv";
    case SYS_recvmsg:
      return "recvmsg";
    case SYS_connect:
      return "connect";
    case SYS_wait4:
      return "wait4";
    case SYS_waitid:
      return "waitid";
    case SYS_rt_sigtimedwait:
      return "sigtimedwait";
    case SYS_rt_sigsuspend:
      return "sigsuspend";
#ifdef SYS_poll
    case SYS_poll:
      return "poll";
    case SYS_select:
      return "select";
    case SYS_epoll_wait:
      return "epoll_wait";
    case SYS_pause:
      return "pause";
#endif
    default:
      return nullptr;
  }
}

std::string activity_text(const Snapshot& snapshot, const KernelView& view) {
  const std::string until = view.activity == Activity::waits_long ? ", with a time-out" : "";
  switch (view.activity) {
    case Activity::gone:
      return "has ended";
    case Activity::runs:
      return "runs";
    case Activity::sleeps:
      return "sleeps";
    case Activity::outside: {
      const char* call = call_name(view.call);
      return "waits for something outside the process, in " +
             (call != nullptr ? std::string(call) : "system call " + std::to_string(view.call));
    }
    case Activity::waits:
    case Activity::waits_long:
      break;
  }
  if (view.joins != 0) return "waits for the end of " + name_of(snapshot, view.joins) + until;
  if (view.owner != 0)
    return "waits for a mutex that " + name_of(snapshot, view.owner) + " holds" + until;
  return "waits for another thread" + until;
}

std::string thread_text(const Gate& gate, const Snapshot& snapshot, const ThreadState& state) {
  std::string out =
      state.known != nullptr ? state.known->title() : "thread " + std::to_string(state.id);
  if (state.known != nullptr && !state.known->last_event.empty())
    out += " (last event `" + state.known->last_event + "`)";
  if (!state.held) return out + " " + activity_text(snapshot, state.view);
  return out + " is held at `" + state.known->held_at + "`" + gate.reasons(*state.known);
}

Interrupted call_of(const ThreadState& state) {
  Interrupted call;
  call.call = state.view.call;
  std::copy(std::begin(state.view.arguments), std::end(state.view.arguments), call.arguments);
  call.since = state.since;
  return call;
}

bool may_be_interrupted(const ThreadState& state) {
  return state.held || state.view.activity == Activity::runs || can_resume(call_of(state));
}

// Since when the thread has been where it is.
void compare(ThreadState& state, const Snapshot& before) {
  state.ran = processor_time(state.id);
  state.since = now_ns();
  for (const ThreadState& old : before.threads)
    if (old.id == state.id && old.ran == state.ran) state.since = old.since;
}

}  // namespace

Snapshot take_snapshot(Gate& gate, pid_t except, const Snapshot& before) {
  Snapshot out;
  out.progress = gate.progress();
  for (const pid_t id : all_threads(gate)) {
    if (id == except) continue;
    ThreadState state{id, nullptr, false, {}, 0, 0};
    for (const std::shared_ptr<Thread>& thread : gate.threads())
      if (thread->id == id && !thread->ended) state.known = thread;
    const bool at_event = state.known != nullptr && state.known->held_at != nullptr;
    state.held = at_event && gate.holds(*state.known);
    if (!at_event) state.view = look_at(id);
    compare(state, before);
    if (state.view.activity != Activity::gone && !is_sanitizers(state))
      out.threads.push_back(std::move(state));
  }
  out.verdict = verdict_of(out.threads);
  return out;
}

std::string who_moves(const Gate& gate, const Snapshot& snapshot) {
  // Rather one that takes part in the test than a stranger.
  for (const bool known : {true, false}) {
    for (const ThreadState& state : snapshot.threads) {
      if (!state.held && !waits_for_thread(state) && (state.known != nullptr) == known)
        return thread_text(gate, snapshot, state);
    }
  }
  return "a timer is set";
}

bool same(const Snapshot& a, const Snapshot& b) {
  if (a.progress != b.progress || a.verdict != b.verdict || a.threads.size() != b.threads.size())
    return false;
  for (std::size_t i = 0; i < a.threads.size(); ++i) {
    const ThreadState& x = a.threads[i];
    const ThreadState& y = b.threads[i];
    if (x.id != y.id || x.held != y.held || x.view.line != y.view.line) return false;
  }
  return true;
}

std::string describe(const Gate& gate, const Snapshot& snapshot, bool disturb) {
  std::vector<Wanted> wanted;
  wanted.reserve(snapshot.threads.size());
  for (const ThreadState& state : snapshot.threads)
    wanted.push_back(pace().stacks && (disturb || may_be_interrupted(state))
                         ? Wanted{state.id, call_of(state)}
                         : Wanted{0, {}});
  std::vector<ThreadStack> stacks = capture_stacks(wanted);
  const std::vector<std::vector<std::string>> frames = frames_of(stacks);
  std::string out;
  for (std::size_t i = 0; i < snapshot.threads.size(); ++i) {
    out += (i == 0 ? "  " : "\n  ") + thread_text(gate, snapshot, snapshot.threads[i]);
    for (const std::string& frame : frames[i]) out += "\n      " + frame;
    if (wanted[i].thread != 0 && stacks[i].addresses.empty())
      out += "\n      (no stack: the thread blocks SIGURG)";
    if (wanted[i].thread == 0 && pace().stacks)
      out += "\n      (no stack: the signal for it would end the wait early)";
  }
  for (const std::shared_ptr<Thread>& thread : gate.threads())
    if (thread->ended)
      out += "\n  " + thread->title() + " has ended" +
             (thread->last_event.empty() ? "" : ", after `" + thread->last_event + "`");
  return out;
}

}  // namespace raddle::monitor
