#include "target/snapshot/snapshot.hpp"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>

#include "target/base/base.hpp"
#include "target/base/kernel_state.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/connection/positions.hpp"
#include "target/snapshot/exit_call.hpp"
#include "target/snapshot/return_point.hpp"
#include "target/snapshot/saved_process.hpp"

namespace raddle {
namespace {

constexpr std::size_t kStackSize = 256 << 10;
constexpr std::size_t kFrameSize = 1 << 20;

// In memory that is not protected while the program runs: each end of an execution writes to it,
// and mprotect() costs as much as putting back twenty pages.
struct Snapshot {
  OwnMemory frame;  // this, and the stack
  OwnMemory own;    // tables, protected unless they change
  SavedProcess process;
  ReturnPoint return_point;
  SharedRegion* region;
  long pid;
  int wait_status;  // of the execution that has ended
  char* stack_top;
};

Snapshot* g_snapshot;  // of this process, or of one that it was forked from

bool is_remembered() { return g_snapshot != nullptr && raw_syscall(SYS_getpid) == g_snapshot->pid; }

void set_mask(std::uint64_t mask) {
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
}

// As the program would have ended, without its memory being touched.
[[noreturn]] void end_for_real(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    struct {
      void* handler;
      unsigned long flags;
      void* restorer;
      std::uint64_t mask;
    } by_default{};
    const int signal = WTERMSIG(wait_status);
    raw_syscall(SYS_rt_sigaction, signal, as_arg(&by_default), 0, 8);
    set_mask(0);
    raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), signal);
  }
  raw_syscall(SYS_exit_group, WEXITSTATUS(wait_status));
  __builtin_unreachable();
}

void decline(SharedRegion& region, const char* why) {
  copy_text(region.restoring.declined, sizeof(region.restoring.declined), why);
}

// An execution begins.
void watch_outside(Snapshot& s) {
  Points* points = s.process.points();
  if (points == nullptr) return;
  points->begin(*s.region);
  g_outside_untouched = 1;
}

// The state that every execution begins with is here. Forked ones begin with the server's, where
// nothing was ever executed: so whoever compares the two compares with what is right.
[[noreturn]] void serve_from_here(Snapshot& s) {
  for (;;) {
    wait_for_command();
    if (s.region->restoring.wanted != 0 && s.region->plan.carrier == CarrierKind::kFiber) break;
    // The other execution's logs are in the region then.
    if (s.process.points() != nullptr) s.process.points()->forget();
    let_server_fork(*s.region);
  }
  s.region->live.pid.store(std::int32_t(s.pid), std::memory_order_relaxed);
  s.region->restoring.by = s.process.is_watched() ? RestoringBy::kWrittenPages : RestoringBy::kCopy;
  const Point* point = nullptr;
  if (!s.process.put_back_memory(*s.region, point)) {
    decline(*s.region, "its memory is not what it was");
    raw_syscall(SYS_exit_group, 0);
  }
  put_back_positions();
  s.process.begin_execution(point);
  watch_outside(s);
  if (point == nullptr) raddle_go_to(&s.return_point);
  s.region->live.kernel_tid.store(std::int32_t(s.pid), std::memory_order_relaxed);
  s.region->live.state.store(RunState::kRunning, std::memory_order_release);
  s.region->restoring.went_on_at = point->step;
  raddle_go_to(&point->registers);
}

// What a process starts may outlive it, in its process group, and the host ends that with it.
const char* started_by(const SharedRegion& region) {
  const Uncontrolled& started = region.uncontrolled;
  if (started.children.load(std::memory_order_relaxed) > 0) return "it starts processes";
  return started.clones.load(std::memory_order_relaxed) > 0 ? "it makes threads with clone()"
                                                            : nullptr;
}

// On the snapshot's own stack, all signals blocked.
void go_back() {
  Snapshot& s = *g_snapshot;
  s.region->restoring.wait_status = s.wait_status;
  s.region->restoring.ended = 1;
  const char* why = started_by(*s.region);
  if (why == nullptr) why = s.process.end_execution(*s.region);
  if (why != nullptr) {
    decline(*s.region, why);
    end_for_real(s.wait_status);
  }
  // What crashed may have written anywhere before.
  if (s.process.points() != nullptr && WIFSIGNALED(s.wait_status)) s.process.points()->forget();
  tell_host_restored(int(s.pid), s.wait_status);
  serve_from_here(s);
}

[[noreturn]] void on_exit_call(int status) {
  go_back_instead_of_ending((status & 0xff) << 8);
  for (;;) raw_syscall(SYS_exit_group, status);
}

}  // namespace

void take_snapshot(SharedRegion& region) {
  if (region.restoring.wanted == 0 || region.plan.carrier != CarrierKind::kFiber) return;
  if (!commands_can_be_read()) return;
  OwnMemory frame;
  OwnMemory own;
  if (!frame.map(kFrameMemory, kFrameSize) || !own.map(kOwnMemory, kOwnMemorySize)) {
    frame.unmap();
    return decline(region, "there is no memory for a snapshot");
  }
  // Descriptors that it does not have yet are -1: forget() closes what it has.
  auto* s = ::new (frame.allocate(sizeof(Snapshot))) Snapshot;
  auto* stack = static_cast<char*>(frame.allocate(kStackSize));
  s->frame = frame;
  s->own = own;
  s->region = &region;
  s->pid = raw_syscall(SYS_getpid);
  s->stack_top = stack + kStackSize;
  const char* why = redirect_exit(on_exit_call);
  if (why == nullptr) {
    g_snapshot = s;
    s->process.keep_mappings();
    if (raddle_save_point(&s->return_point) != 0) return;
    why = s->process.save(s->own, s->frame, region);
  }
  if (why == nullptr) {
    region.restoring.by = s->process.is_watched() ? RestoringBy::kWrittenPages : RestoringBy::kCopy;
    s->own.protect(true);
    watch_outside(*s);
    return;
  }
  decline(region, why);
  g_snapshot = nullptr;
  s->process.forget();
  own = s->own;
  own.unmap();
  frame.unmap();
}

bool takes_points() {
  if (g_snapshot == nullptr || g_snapshot->process.points() == nullptr) return false;
  const SharedRegion& region = *g_snapshot->region;
  const Plan& plan = region.plan;
  return region.restoring.point_gap != 0 && plan.prefix_checked && plan.enabled_log &&
         !plan.detail && !plan.by_values && !plan.replay_turns && plan.trace == TraceLevel::kNone;
}

std::uint64_t next_point(std::uint64_t step) {
  return g_snapshot->process.points()->next_step(step);
}

bool pass_point(std::uint64_t step) {
  if (g_outside_untouched == 0 || !is_remembered()) return false;
  ReturnPoint here;
  if (raddle_save_point(&here) != 0) return true;
  Snapshot& s = *g_snapshot;
  Point* point = s.process.points()->add(step, s.process.pages(), *s.region);
  if (point == nullptr) return false;
  point->registers = here;
  point->thread_area = thread_pointer();
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, as_arg(&point->mask), sizeof(point->mask));
  return false;
}

void go_back_instead_of_ending(int wait_status) {
  if (!is_remembered()) return;
  set_mask(~std::uint64_t{0});
  g_snapshot->wait_status = wait_status;
  raddle_run_on(g_snapshot->stack_top, go_back);
}

}  // namespace raddle
