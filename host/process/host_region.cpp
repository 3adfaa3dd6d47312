#include "host/process/host_region.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "protocol/value_log.hpp"

namespace raddle {
namespace {

// A log beyond this size gives its memory back before the next execution.
constexpr std::uint64_t kKeptRecords = 1 << 18;

template <class T>
void copy_used(T* to, const T* from, std::uint64_t count, std::uint64_t limit) {
  std::memcpy(to, from, std::min(count, limit) * sizeof(T));
}

// Everything up to `end`, a member of the report.
template <class Member>
std::size_t prefix_bytes(const Report& report, const Member& end) {
  return static_cast<std::size_t>(reinterpret_cast<const char*>(&end) -
                                  reinterpret_cast<const char*>(&report));
}

// All but the tables. Of a text the first byte is enough.
void forget(Report& report) {
  report.kind = OutcomeKind::kNone;
  report.signal = report.exit_status = 0;
  report.thread = kNoThread;
  report.message[0] = report.exception_type[0] = report.file[0] = report.function[0] = 0;
  report.line = 0;
  report.fault_address = 0;
  report.cycle_length = 0;
  report.diverged_step = 0;
  report.recorded = report.actual = StepRecord{};
  report.threads = report.objects = report.misuses = 0;
}

void forget(Uncontrolled& uncontrolled) {
  const std::uint32_t named = std::min(uncontrolled.children.load(), kNamedChildren);
  for (std::uint32_t i = 0; i < named; ++i) uncontrolled.child[i][0] = 0;
  uncontrolled.replacement[0] = 0;
  uncontrolled.children.store(0, std::memory_order_relaxed);
  uncontrolled.clones.store(0, std::memory_order_relaxed);
  uncontrolled.timed_waits.store(0, std::memory_order_relaxed);
  uncontrolled.close_waits.store(0, std::memory_order_relaxed);
  uncontrolled.kernel_timers.store(0, std::memory_order_relaxed);
  uncontrolled.outside[0] = 0;
}

// Strategies write some of the steps beyond those in use.
void forget(Realised& realised) {
  realised.pauses = realised.warnings = realised.count = 0;
  realised.used = 0;
  for (std::uint64_t& step : realised.steps) step = 0;
}

// What an execution finds, whoever runs it: nothing of the one before. Of the large tables only
// what that one used is written.
void make_fresh(SharedRegion& region) {
  Report& report = region.report;
  const std::uint32_t touched = std::min<std::uint32_t>(
      std::max(region.live.threads.load(), report.threads), kMaxReportThreads);
  for (std::uint32_t i = 0; i < touched; ++i) {
    report.thread_table[i].state = ThreadState::kUnused;
    report.thread_table[i].last_steps = 0;
  }
  forget(report);

  constexpr auto kRelaxed = std::memory_order_relaxed;  // the start of the execution orders it
  Live& live = region.live;
  live.steps.store(0, kRelaxed);
  live.state.store(RunState::kStarting, kRelaxed);
  live.pid.store(0, kRelaxed);
  live.kernel_tid.store(0, kRelaxed);
  live.acknowledged.store(0, kRelaxed);
  live.give_up.store(0, kRelaxed);
  live.switches.store(0, kRelaxed);
  live.preemptions.store(0, kRelaxed);
  live.threads.store(0, kRelaxed);

  region.enabled.used = 0;
  region.enabled.at_end = region.enabled.enabled_at_end = region.enabled.redundant = 0;
  region.enabled.stacks = 0;
  if (ValueLog* values = value_log_of(region)) values->used = 0;
  forget(region.realised);
  region.circumstances = Circumstances{};
  forget(region.uncontrolled);

  // Whoever reads the stream may look at it before the target does.
  RaddleStream& stream = region.events().stream;
  stream.cursor = stream.limit = stream.base = nullptr;
  stream.events = stream.published = stream.consumed = 0;
  stream.sites = stream.objects = 0;
}

}  // namespace

Result<HostRegion> HostRegion::create(std::uint64_t log_capacity, std::uint64_t replay_capacity,
                                      std::uint64_t enabled_capacity) {
  std::size_t bytes = SharedRegion::bytes(log_capacity, replay_capacity, enabled_capacity);
  if (enabled_capacity > 0)
    bytes = value_log_offset(log_capacity, replay_capacity, enabled_capacity) +
            ValueLog::size(log_capacity);
  UniqueFd fd(memfd_create("raddle-region", MFD_CLOEXEC));
  if (!fd || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return Error{
        fmt::format("cannot create the shared region of {} MiB: {}; try a smaller --max-steps",
                    bytes >> 20, std::strerror(errno))};
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) {
    return Error{
        fmt::format("cannot map the shared region of {} MiB: {}; try a smaller --max-steps",
                    bytes >> 20, std::strerror(errno))};
  }
  auto* region = static_cast<SharedRegion*>(memory);
  region->magic = kRegionMagic;
  region->version = kRegionVersion;
  region->header_size = sizeof(SharedRegion);
  region->log_capacity = log_capacity;
  region->replay_capacity = replay_capacity;
  region->enabled.capacity = enabled_capacity;
  if (ValueLog* values = value_log_of(*region))
    values->steps = static_cast<std::uint32_t>(log_capacity);
  return HostRegion(std::move(fd), region, bytes);
}

HostRegion::HostRegion(HostRegion&& other) noexcept
    : fd_(std::move(other.fd_)),
      region_(std::exchange(other.region_, nullptr)),
      bytes_(other.bytes_) {}

HostRegion::~HostRegion() {
  if (region_ != nullptr) munmap(region_, bytes_);
}

std::string HostRegion::path() const {
  // As long for every process and descriptor, with slashes: it is in the environment, which lies
  // above the stack, and the same program is to have the same addresses in all workers.
  constexpr int kLongest = sizeof("/proc/4194304/fd/1048576") - 1;
  return fmt::format("{:/>{}}", fmt::format("/proc/{}/fd/{}", getpid(), fd_.get()), kLongest);
}

void HostRegion::discard_large_logs() {
  const std::uint64_t used = std::max(log().size(), region_->plan.replay_steps);
  if (used <= kKeptRecords) return;
  // Both logs start somewhere inside a page; the kernel zeroes the partial pages itself.
  const auto start = static_cast<off_t>(sizeof(SharedRegion));
  fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start,
            static_cast<off_t>(bytes_) - start);
}

Result<bool> HostRegion::prepare(const Plan& plan, std::span<const StepRecord> replay,
                                 std::span<const AimSite> aims) {
  if (aims.size() > kMaxAims) {
    return Error{
        fmt::format("{} places are to be decision points or steps, more than {} are not "
                    "possible; try --decide sync or all",
                    aims.size(), kMaxAims)};
  }
  if (replay.size() > region_->replay_capacity) {
    return Error{
        fmt::format("the recording has {} steps, more than the limit of {}; raise --max-steps",
                    replay.size(), region_->replay_capacity)};
  }
  discard_large_logs();
  std::copy(replay.begin(), replay.end(), region_->replay_log());
  region_->plan = plan;
  region_->plan.replay_steps = replay.size();
  std::copy(aims.begin(), aims.end(), region_->aims);
  region_->plan.aims = static_cast<std::uint32_t>(aims.size());
  make_fresh(*region_);
  return true;
}

bool reset_region_at(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat file{};
  if (!fd || fstat(fd.get(), &file) != 0) return false;
  const auto bytes = static_cast<std::size_t>(file.st_size);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return false;
  make_fresh(*static_cast<SharedRegion*>(memory));
  return munmap(memory, bytes) == 0;
}

std::span<const StepRecord> HostRegion::log() const {
  const std::uint64_t steps = region_->live.steps.load(std::memory_order_acquire);
  return {region_->log(), std::min(steps, region_->log_capacity)};
}

std::unique_ptr<Report> HostRegion::copy_report() const {
  const Report& from = region_->report;
  std::unique_ptr<Report> to = empty_report();
  std::memcpy(static_cast<void*>(to.get()), &from, prefix_bytes(from, from.thread_table));
  copy_used(to->thread_table, from.thread_table, to->threads, kMaxReportThreads);
  to->objects = from.objects;
  copy_used(to->object_table, from.object_table, to->objects, kMaxReportObjects);
  to->misuses = from.misuses;
  copy_used(to->misuse_table, from.misuse_table, to->misuses, kMaxMisuses);
  // The target is not trusted to have terminated its strings.
  to->message[sizeof to->message - 1] = 0;
  to->exception_type[sizeof to->exception_type - 1] = 0;
  to->file[sizeof to->file - 1] = 0;
  to->function[sizeof to->function - 1] = 0;
  return to;
}

void HostRegion::acknowledge() {
  region_->live.acknowledged.store(1, std::memory_order_release);
  syscall(SYS_futex, &region_->live.acknowledged, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::unique_ptr<Report> empty_report() {
  // Default-initialised on purpose: the tables are large and mostly unused.
  std::unique_ptr<Report> report(new Report);
  std::memset(static_cast<void*>(report.get()), 0, prefix_bytes(*report, report->thread_table));
  report->objects = 0;
  report->misuses = 0;
  report->thread = kNoThread;
  return report;
}

}  // namespace raddle
