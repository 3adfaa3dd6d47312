#include "target/outcome/outcome.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "target/base/forgetting.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/outcome/enabled_log.hpp"
#include "target/outcome/home.hpp"
#include "target/snapshot/snapshot.hpp"
#include "target/state/execution.hpp"
#include "target/state/heap_blocks.hpp"
#include "target/state/threads.hpp"
#include "target/unwind/stack.hpp"

namespace raddle {
namespace {

RADDLE_FORGOTTEN bool g_published;

constexpr int kStatusOfEnded = 3;  // the host goes by the report, not by this

ThreadState state_of(const Thread& thread) {
  if (thread.finished) return ThreadState::kFinished;
  // The current thread may itself be blocked: it was the last to move.
  if (thread.enabled_index < 0) return ThreadState::kBlocked;
  return &thread == g_current ? ThreadState::kRunning : ThreadState::kEnabled;
}

void fill_thread(ThreadReport& out, Thread& thread) {
  out.id = thread.pending.thread;
  out.state = state_of(thread);
  out.op = thread.pending.op;
  out.timed = thread.deadline != kNoDeadline;
  out.object = thread.pending.object;
  out.creator = thread.creator != nullptr ? thread.creator->pending.thread : kNoThread;
  memcpy(out.name, thread.name, sizeof(out.name));
  out.start_routine = reinterpret_cast<std::uint64_t>(thread.start);
  out.stack.frames = 0;
}

void fill_object(ObjectReport& out, const Object& object) {
  out.id = object.id;
  out.cls = object.cls;
  out.address = object.address;
  out.first_site = object.first_site;
  out.holders = 0;
  auto add = [&out](const Thread& holder) {
    if (out.holders < sizeof(out.holder) / sizeof(out.holder[0])) {
      out.holder[out.holders] = holder.pending.thread;
    }
    ++out.holders;
  };
  if (object.owner != nullptr) add(*object.owner);
  for (Hold* hold = object.holds; hold != nullptr; hold = hold->next) add(*hold->thread);
  out.shared = object.owner == nullptr && object.holds != nullptr;
  out.value = object.cls == ObjectClass::mutex ? object.depth : object.value;
  out.needed = object.cls == ObjectClass::barrier ? object.flags : 0;
  const HeapBlock* block = find_block(object.address);
  out.block = block != nullptr ? block->address : 0;
  out.block_bytes = block != nullptr ? block->bytes : 0;
  out.block_site = block != nullptr ? block->site : 0;
  out.block_ordinal = block != nullptr ? block->ordinal : 0;
}

bool is_held(const Object& object) {
  return object.owner != nullptr || object.holds != nullptr || object.waiters_head != nullptr;
}

bool is_pending(const Report& report, std::uint32_t threads, ObjectId id) {
  for (std::uint32_t i = 0; i < threads; ++i) {
    if (report.thread_table[i].object == id) return true;
  }
  return false;
}

// Those that somebody holds or waits for; then, as far as there is room, the others: the threads'
// steps name them.
void fill_objects(Report& report, std::uint32_t threads) {
  report.objects = 0;
  for (const bool wanted : {true, false}) {
    for (std::uint32_t i = 1; i <= object_count() && report.objects < kMaxReportObjects; ++i) {
      const Object& object = object_by_id(ObjectId{i});
      const bool is_thread = object.cls == ObjectClass::thread;
      const bool matters =
          (is_held(object) && !is_thread) || is_pending(report, threads, object.id);
      if (matters != wanted || (!wanted && is_thread)) continue;
      fill_object(report.object_table[report.objects++], object);
    }
  }
}

void fill_tables(OutcomeKind kind, Thread& failing, const Stack* own) {
  Report& report = g_region->report;
  report.threads = thread_count();
  std::uint32_t shown = report.threads < kMaxReportThreads ? report.threads : kMaxReportThreads;
  for (std::uint32_t i = 0; i < shown; ++i) {
    Thread& thread = thread_by_id(ThreadId{std::uint16_t(i)});
    ThreadReport& out = report.thread_table[i];
    fill_thread(out, thread);
    // In a livelock what matters is what each thread does again and again.
    if (kind == OutcomeKind::kLivelock && out.state == ThreadState::kRunning)
      out.state = ThreadState::kEnabled;
    if (thread.finished || !thread.begun) continue;
    if (&thread != g_current) {
      capture_other(thread, out.stack);
    } else if (own != nullptr) {
      out.stack = *own;
    } else {
      capture_stack(out.stack);
    }
  }
  report.thread = failing.pending.thread;

  fill_objects(report, shown);
}

void wait_for_host() {
  if (!has_host()) return;
  Live& live = g_region->live;
  live.acknowledged.store(0, std::memory_order_relaxed);
  live.state.store(RunState::kReporting, std::memory_order_release);
  tell_host_report_ready();
  timespec limit{2, 0};
  raw_syscall(SYS_futex, as_arg(&live.acknowledged), FUTEX_WAIT, 0, as_arg(&limit));
  live.state.store(RunState::kRunning, std::memory_order_release);
}

// Nobody reads the report of a program that a debugger started: it stops there instead, all threads
// in place.
void stop_for_debugger(OutcomeKind kind) {
  const char* parts[] = {"raddle: ", outcome_text(kind),
                         ": `thread apply all bt' shows where each thread is\n"};
  for (const char* part : parts) raw_syscall(SYS_write, 2, as_arg(part), long(strlen(part)));
  restore_default_action(SIGTRAP);
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), raw_syscall(SYS_gettid), SIGTRAP);
}

}  // namespace

// The runtime cannot go on. Its exit status would look like one of the program's.
void report_fatal_errors() {
  g_tell_host = [](const char* text) {
    Report& report = g_region->report;
    if (report.kind != OutcomeKind::kNone) return;
    copy_text(report.message, sizeof(report.message), text);
    report.kind = OutcomeKind::kInconclusive;
  };
}

bool already_reported() { return g_in_process && g_published; }

void publish(OutcomeKind kind, Thread& failing, const char* message, const Stack* own) {
  g_in_runtime = 1;
  if (already_reported()) return;
  g_published = true;
  Report& report = g_region->report;
  fill_tables(kind, failing, own);
  if (message != report.message) copy_text(report.message, sizeof(report.message), message);
  report.kind = kind;
  log_end(false);
  wait_for_host();
}

void end_with(OutcomeKind kind, Thread& failing, const char* message) {
  publish(kind, failing, message);
  return_home();
  if (!has_host()) stop_for_debugger(kind);
  go_back_instead_of_ending(kStatusOfEnded << 8);
  raw_syscall(SYS_exit_group, kStatusOfEnded);
  __builtin_unreachable();
}

void end_in_livelock() { end_with(OutcomeKind::kLivelock, self(), ""); }

void end_in_possible_hang(Thread& waits) { end_with(OutcomeKind::kPossibleHang, waits, ""); }

void end_at_limit(const char* message) { end_with(OutcomeKind::kLimit, self(), message); }

void end_as_diverged(const Divergence& divergence) {
  Report& report = g_region->report;
  report.diverged_step = divergence.step;
  report.recorded = divergence.recorded;
  report.actual = divergence.actual;
  end_with(OutcomeKind::kDiverged, self(), "the execution does not follow its recording");
}

void give_up_if_asked() {
  switch (static_cast<GiveUp>(g_region->live.give_up.load(std::memory_order_relaxed))) {
    case GiveUp::kNo:
      return;
    case GiveUp::kTimeLimit:
      end_at_limit("time limit reached; --timeout raises it");
    case GiveUp::kBlockedInKernel:
      end_with(OutcomeKind::kInconclusive, self(),
               "the thread is blocked in the kernel in a call that Raddle does not control");
  }
}

void report_misuse(OpKind op, Object& object, std::uint64_t site, const char* text,
                   const void* address) {
  Report& report = g_region->report;
  if (report.misuses < kMaxMisuses) {
    Misuse& misuse = report.misuse_table[report.misuses];
    misuse.thread = self().pending.thread;
    misuse.op = op;
    misuse.object = object.id;
    misuse.cls = object.cls;
    misuse.site = site;
    // The step that is being made: it was counted when it was decided.
    const std::uint64_t made = g_region->live.steps.load(std::memory_order_relaxed);
    misuse.step = made > 0 ? made - 1 : 0;
    misuse.address = address != nullptr ? reinterpret_cast<std::uint64_t>(address) : object.address;
    misuse.frames = capture_frames(misuse.pc, kMaxStepFrames);
    copy_text(misuse.text, sizeof(misuse.text), text);
  }
  ++report.misuses;
}

void note_step(Thread& thread, std::uint64_t step) {
  std::uint16_t id = raw(thread.pending.thread);
  if (id >= kMaxReportThreads) return;
  ThreadReport& out = g_region->report.thread_table[id];
  DetailedStep& entry = out.last[out.last_steps++ % kMaxLastSteps];
  const Pending& p = thread.pending;
  entry.step = step;
  entry.record = {p.thread, p.op, std::uint8_t(p.outcome), p.object, p.site};
  entry.frames = thread.site_frames;
  memcpy(entry.pc, thread.site_pc, thread.site_frames * sizeof(entry.pc[0]));
}

}  // namespace raddle
