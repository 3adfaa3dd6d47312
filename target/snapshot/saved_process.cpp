#include "target/snapshot/saved_process.hpp"

#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <initializer_list>

#include "protocol/value_log.hpp"
#include "target/base/base.hpp"
#include "target/base/counter_trap.hpp"
#include "target/base/kernel_state.hpp"
#include "target/connection/control_pipe.hpp"
#include "target/snapshot/system_calls.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kPage = 4096;

SavedProcess* g_process;  // set before it is saved

bool has_kept(std::uint64_t begin, std::size_t size, std::size_t guard) {
  return g_process->has_kept(begin, size, guard);
}
void add_kept(std::uint64_t begin, std::size_t size, std::size_t guard) {
  g_process->keep(begin, size, guard);
}
bool park(std::uint64_t begin, std::size_t size) { return g_process->park(begin, size); }
constexpr KeptMappings kKeptMappings{has_kept, add_kept, park};

bool in_stacks(std::uint64_t address) {
  return address - kSeparateStacks < kSeparateStacksSize ||
         address - RADDLE_FIBER_AREA < RADDLE_AREA_SIZE;
}

int opened(const char* path, long flags) {
  const long fd = raw_syscall(SYS_openat, AT_FDCWD, as_arg(path), flags | O_CLOEXEC);
  if (fd < 0) return -1;
  const long high = raw_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
  raw_syscall(SYS_close, fd);
  return int(high);
}

// The stack of the main thread grows when it is touched. It does so now, as far as most executions
// need it.
__attribute__((noinline)) void grow_stack() {
  volatile char deep[256 << 10];
  deep[0] = 0;
  static_cast<void>(deep[0]);
}

bool same_kind(const Mapping& a, const Mapping& b) {
  if (a.readable != b.readable || a.writable != b.writable || a.shared != b.shared) return false;
  // Of the same part of the same file: mappings are split and joined, but do not move.
  return a.inode == b.inode && (!a.file || a.offset - a.begin == b.offset - b.begin);
}

// Limits that count what an execution uses: one after another in one process uses more.
const char* limit_in_the_way() {
  for (const int limited : {RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (raw_syscall(SYS_prlimit64, 0, limited, 0, as_arg(&limit)) != 0 ||
        limit.rlim_cur != RLIM_INFINITY)
      return limited == RLIMIT_CPU ? "its CPU time is limited" : "its memory is limited";
  }
  return nullptr;
}

}  // namespace

void SavedProcess::keep_mappings() {
  g_process = this;
  g_kept_mappings = &kKeptMappings;
}

void SavedProcess::forget() {
  g_kept_mappings = nullptr;
  if (points_ != nullptr) points_->unmap();
  descriptors_.forget();
  pages_.forget();
  for (const int fd : {sizes_, threads_})
    if (fd >= 0) raw_syscall(SYS_close, fd);
}

const char* SavedProcess::save(OwnMemory& own, OwnMemory& frame, const SharedRegion& region) {
  own_ = &own;
  frame_ = &frame;
  if (const char* why = limit_in_the_way()) return why;
  mappings_ = static_cast<Mapping*>(own.allocate(kMostMappings * sizeof(Mapping)));
  current_ = static_cast<Mapping*>(own.allocate(kMostMappings * sizeof(Mapping)));
  text_ = static_cast<char*>(own.allocate(kTextBytes));
  thread_area_ = thread_pointer();
  grow_stack();
  raw_syscall(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0);
  raw_syscall(SYS_prctl, PR_GET_NAME, as_arg(name_));
  break_ = std::uint64_t(raw_syscall(SYS_brk, 0));
  sizes_ = opened("/proc/self/statm", O_RDONLY);
  threads_ = opened("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (sizes_ < 0 || threads_ < 0) return "/proc cannot be read";
  save_signals();
  g_changed_actions = 0;
  g_mappings_changed = false;
  g_kernel_change = nullptr;
  mapping_count_ = read_mappings(mappings_, kMostMappings, text_, kTextBytes);
  if (mapping_count_ < 0) return "it has mapped too much";
  if (const char* why = pages_.save(mappings_, mapping_count_, own, frame)) return why;
  if (pages_.watcher().can_watch()) prepare_points(region);
  mapped_ = mapped_pages();
  int ours[8] = {sizes_, threads_};
  int count = 2;
  count += control_descriptors(ours + count);
  count += pages_.watcher().descriptors(ours + count);
  if (const char* why = descriptors_.save(ours, count)) return why;
  return what_cannot_be_put_back();
}

const char* SavedProcess::what_cannot_be_put_back() const {
  if (g_kernel_change != nullptr) return g_kernel_change;
  constexpr unsigned kLinksOfOne = 3;  // of a folder with one other in it
  struct stat task{};
  if (raw_syscall(SYS_fstat, threads_, as_arg(&task)) != 0)
    return "it closes descriptors that are not its own";
  if (task.st_nlink != kLinksOfOne) return "it has threads that are not controlled";
  siginfo_t child{};
  if (raw_syscall(SYS_waitid, P_ALL, 0, as_arg(&child), WEXITED | WNOHANG | WNOWAIT | __WALL, 0) !=
      -ECHILD)
    return "it starts processes";
  return nullptr;
}

// There are none where the kernel does not tell of system calls, or where memory is shared with
// others: what is written there is outside.
void SavedProcess::prepare_points(const SharedRegion& region) {
  const auto own_code = reinterpret_cast<std::uint64_t>(&raddle_go_to);
  const auto own_region = reinterpret_cast<std::uint64_t>(&region);
  const Mapping* code = nullptr;
  for (int i = 0; i < mapping_count_; ++i) {
    const Mapping& mapping = mappings_[i];
    const auto holds = [&](std::uint64_t at) { return at >= mapping.begin && at < mapping.end; };
    if (holds(own_code)) code = &mapping;
    if (mapping.shared && mapping.writable && !holds(own_region)) return;
  }
  if (code == nullptr || !can_watch_calls(code->begin, code->end)) return;
  constexpr std::size_t kShare = 8;
  const std::size_t affordable = std::size_t{SavedPages::affordable_pages()} / kShare;
  points_ = Points::make(std::min<std::size_t>(affordable, region.restoring.point_pages));
}

const char* SavedProcess::end_execution(const SharedRegion& region) {
  const bool untouched = g_outside_untouched != 0;
  touch_outside();
  raw_syscall(SYS_arch_prctl, ARCH_SET_FS, as_arg(thread_area_));
  bool more = false;
  if (!untouched || !pages_.is_unwritten(more)) {
    own_->protect(false);
    const char* why = put_back_all_but_memory(untouched, more);
    own_->protect(true);
    if (why != nullptr) return why;
  }
  if (points_ != nullptr) points_->end(region, more);
  return nullptr;
}

// An execution that touched nothing outside has left nothing there. But the main thread's stack
// grows without a call.
const char* SavedProcess::put_back_all_but_memory(bool untouched, bool& more) {
  const bool same = untouched && mapped_pages() == mapped_;
  const char* why = same ? nullptr : put_back_kernel_state();
  if (why != nullptr) return why;
  return pages_.find_written(more) ? nullptr : "its memory is not what it was";
}

const char* SavedProcess::put_back_kernel_state() {
  if (const char* why = what_cannot_be_put_back()) return why;
  const std::uint64_t changed_actions = g_changed_actions;
  const bool mappings_changed = g_mappings_changed;
  raw_syscall(SYS_prctl, PR_SET_NAME, as_arg(name_));
  put_back_signals(changed_actions);
  if (!pages_.unpark()) return "it unmaps memory that it had at its start";
  if (std::uint64_t(raw_syscall(SYS_brk, 0)) != break_) raw_syscall(SYS_brk, long(break_));
  if (mappings_changed || mapped_pages() != mapped_) {
    if (const char* why = compare_mappings()) return why;
    if (mapped_pages() != mapped_) return "its mappings are not as they were";
  }
  return descriptors_.put_back();
}

bool SavedProcess::put_back_memory(SharedRegion& region, const Point*& point) {
  const bool cools = pages_.is_time_to_cool();
  if (points_ != nullptr && cools) points_->forget();
  point =
      points_ != nullptr && region.restoring.point_gap != 0 ? points_->point_for(region) : nullptr;
  if (point != nullptr) {
    points_->put_back(*point, pages_);
    Points::put_back(*point, region);
    return true;
  }
  if (points_ != nullptr) points_->forget();
  pages_.put_back();
  if (!cools) return true;
  own_->protect(false);
  const bool cooled = pages_.cool_down();
  own_->protect(true);
  return cooled;
}

void SavedProcess::begin_execution(const Point* point) {
  pages_.begin_execution();
  // A sample of the host that came late, say.
  const std::uint64_t all = ~std::uint64_t{0};
  const std::int64_t now[2] = {0, 0};
  while (raw_syscall(SYS_rt_sigtimedwait, as_arg(&all), 0, as_arg(now), sizeof(all)) > 0) {
  }
  renew_counter_trap();
  raw_syscall(SYS_sigaltstack, as_arg(alternate_stack_), 0);
  if (point != nullptr) raw_syscall(SYS_arch_prctl, ARCH_SET_FS, as_arg(point->thread_area));
  const std::uint64_t mask = point != nullptr ? point->mask : mask_;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask));
}

void SavedProcess::save_signals() {
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, as_arg(&mask_), sizeof(mask_));
  raw_syscall(SYS_sigaltstack, 0, as_arg(alternate_stack_));
  for (int signal = 1; signal <= kSignals; ++signal)
    raw_syscall(SYS_rt_sigaction, signal, 0, as_arg(&actions_[signal]), sizeof(mask_));
}

void SavedProcess::put_back_signals(std::uint64_t changed) const {
  for (int signal = 1; changed != 0; ++signal, changed >>= 1)
    if ((changed & 1) != 0)
      raw_syscall(SYS_rt_sigaction, signal, as_arg(&actions_[signal]), 0, sizeof(mask_));
}

long SavedProcess::mapped_pages() const {
  char text[128] = {};
  if (raw_syscall(SYS_pread64, sizes_, as_arg(text), sizeof(text), 0) <= 0) return -1;
  long pages = 0;
  for (const char* at = text; *at >= '0' && *at <= '9'; ++at) pages = pages * 10 + (*at - '0');
  return pages;
}

bool SavedProcess::is_ours(std::uint64_t address) const {
  return pages_.is_own(address) || frame_->contains(address) || in_stacks(address) ||
         (points_ != nullptr && points_->contains(address));
}

// Goes through both lists at once, piece by piece: mappings are joined and split as the kernel
// likes.
const char* SavedProcess::compare_mappings() {
  const int count = read_mappings(current_, kMostMappings, text_, kTextBytes);
  if (count < 0) return "it maps too much";
  int before = 0;
  int now = 0;
  for (std::uint64_t at = 0;;) {
    while (before < mapping_count_ && mappings_[before].end <= at) ++before;
    while (now < count && current_[now].end <= at) ++now;
    const Mapping* saved = before < mapping_count_ ? &mappings_[before] : nullptr;
    const Mapping* current = now < count ? &current_[now] : nullptr;
    if (saved == nullptr && current == nullptr) return nullptr;
    const bool was = saved != nullptr && saved->begin <= at;
    const bool is = current != nullptr && current->begin <= at;
    std::uint64_t next = ~std::uint64_t{0};
    if (saved != nullptr) next = was ? saved->end : saved->begin;
    if (current != nullptr) {
      const std::uint64_t border = is ? current->end : current->begin;
      if (border < next) next = border;
    }
    if ((was || is) && !is_ours(at)) {
      if (was && !is) return "it unmaps memory that it had at its start";
      if (was && !same_kind(*saved, *current)) return "it protects memory that it had at its start";
      if (!was && current->stack) {
        if (!pages_.adopt(at, next)) return "its stack grows";
        mappings_[before].begin = at;
        mapped_ += long((next - at) / kPage);
      } else if (!was && !current->kernel) {
        raw_syscall(SYS_munmap, long(at), long(next - at));
      }
    }
    at = next;
  }
}

bool SavedProcess::has_kept(std::uint64_t begin, std::size_t size, std::size_t guard) {
  for (int i = 0; i < kept_count_; ++i) {
    const Kept& kept = kept_[i];
    if (kept.begin == begin && kept.size == size && kept.guard == guard) return true;
  }
  own_->protect(false);
  drop_kept(begin, begin + size);
  own_->protect(true);
  return false;
}

void SavedProcess::keep(std::uint64_t begin, std::size_t size, std::size_t guard) {
  own_->protect(false);
  mapped_ += long(size / kPage);
  if (kept_count_ < kMostKept && pages_.adopt(begin + guard, begin + size)) {
    kept_[kept_count_++] = {begin, size, guard};
  } else {
    note_kernel_change("it has too many threads");
  }
  own_->protect(true);
}

bool SavedProcess::park(std::uint64_t begin, std::size_t size) {
  if (begin % kPage != 0) return false;
  own_->protect(false);
  const bool parked = pages_.park(begin, begin + (size + kPage - 1) / kPage * kPage);
  own_->protect(true);
  return parked;
}

void SavedProcess::drop_kept(std::uint64_t begin, std::uint64_t end) {
  int left = 0;
  for (int i = 0; i < kept_count_; ++i) {
    const Kept kept = kept_[i];
    if (kept.begin >= end || kept.begin + kept.size <= begin) {
      kept_[left++] = kept;
      continue;
    }
    raw_syscall(SYS_munmap, long(kept.begin), long(kept.size));
    if (points_ != nullptr) points_->forget();
    pages_.abandon(kept.begin, kept.begin + kept.size);
    mapped_ -= long(kept.size / kPage);
  }
  kept_count_ = left;
}

}  // namespace raddle
