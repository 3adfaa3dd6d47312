#include "host/describe/explain/events/accesses.hpp"

#include "host/analysis/shadow/extent.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/symbols/names.hpp"
#include "host/symbols/place.hpp"

namespace raddle {
namespace {

std::uint64_t masked(std::uint64_t value, std::uint16_t bytes) {
  return bytes == 0 || bytes >= 8 ? value : value & ((std::uint64_t{1} << (8U * bytes)) - 1);
}

}  // namespace

Access access_of(const Event& event, std::size_t index) {
  Access access{index, event.thread};
  switch (event.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
      access.reads = true;
      break;
    case EventKind::write:
    case EventKind::atomic_store:
      access.writes = true;
      break;
    case EventKind::atomic_update:
      access.reads = access.writes = true;
      break;
    case EventKind::atomic_compare:
      access.reads = true;
      access.writes = (event.flags & kSuccess) != 0;
      break;
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      break;
  }
  return access;
}

bool is_written(const std::vector<Event>& events, std::size_t read, std::size_t since) {
  const Extent wanted = extent_of(events[read]);
  for (std::size_t i = since; i < read; ++i) {
    const bool access = is_access(events[i].kind) || is_atomic(events[i].kind);
    const bool reads =
        events[i].kind == EventKind::read || events[i].kind == EventKind::read_range ||
        events[i].kind == EventKind::atomic_load || events[i].kind == EventKind::fence;
    if (!access || reads) continue;
    const Extent extent = extent_of(events[i]);
    if (extent.address < wanted.address + wanted.bytes &&
        wanted.address < extent.address + extent.bytes)
      return true;
  }
  return false;
}

std::optional<std::uint64_t> value_read(const Event& event) {
  const bool plain = is_access(event.kind);
  if ((plain && (event.flags & kNoValue) != 0) || !access_of(event, 0).reads) return std::nullopt;
  return masked(event.value, event.size);
}

std::optional<std::uint64_t> value_written(const Event& event) {
  const bool plain = is_access(event.kind);
  if ((plain && (event.flags & kNoValue) != 0) || !access_of(event, 0).writes) return std::nullopt;
  return masked(plain ? event.value : event.value2, event.size);
}

namespace {

// The optimiser moved it, and dropped its place. It may be anybody's, unless it is in an object of
// the library.
bool has_lost_its_place(const Site& site) {
  return !site.frames.empty() && !site.cls.starts_with("std::") &&
         std::all_of(site.frames.begin(), site.frames.end(),
                     [](const SiteFrame& frame) { return frame.line == 0; });
}

// What a barrier or a semaphore of the C++ library counts by is not the program's data, and nobody
// could hold a mutex around it.
bool is_inside_primitive(const Site& site) {
  return std::any_of(site.frames.begin(), site.frames.end(), [](const SiteFrame& frame) {
    return is_system_header(frame.file) && is_library_primitive(frame.function);
  });
}

// How many share an object, and whether a guard has its lock, is the library's own business.
bool is_bookkeeping(const Site& site) {
  constexpr std::string_view kClasses[] = {"std::_Sp_counted", "std::unique_lock",
                                           "std::shared_lock", "std::lock_guard",
                                           "std::scoped_lock"};
  return std::any_of(std::begin(kClasses), std::end(kClasses),
                     [&](std::string_view name) { return site.cls.starts_with(name); });
}

}  // namespace

bool ProgramSites::contains(SiteId id) {
  const auto [at, is_new] = known_.try_emplace(raw(id), false);
  if (is_new && !is_bookkeeping(trace_.site(id)) && !is_inside_primitive(trace_.site(id))) {
    at->second = has_lost_its_place(trace_.site(id));
    for (const SiteFrame& frame : trace_.site(id).frames) {
      at->second = at->second || (!frame.file.empty() && !is_system_header(frame.file));
    }
  }
  return at->second;
}

AccessHistory::AccessHistory(const KeptTrace& trace) : trace_(trace) {
  constexpr std::uint16_t kMostOfOne = 8;  // bytes of what is no array
  constexpr std::uint64_t kLeastElement = 4;
  ProgramSites program(trace);
  std::unordered_map<std::uint16_t, std::vector<std::size_t>> calls;
  const std::vector<Event>& events = trace.all();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    std::vector<std::size_t>& own = calls[raw(event.thread)];
    if (event.kind == EventKind::thread_begin) own.clear();
    if (event.kind == EventKind::enter) own.push_back(i);
    if (event.kind == EventKind::exit && !own.empty()) own.pop_back();
    if (event.kind == EventKind::fork) forks_[static_cast<std::uint16_t>(event.value)] = i;
    if (event.kind == EventKind::allocate) {
      places_.erase(places_.lower_bound(event.object),
                    places_.lower_bound(event.object + std::max<std::uint64_t>(event.value, 1)));
    }
    const Access access = access_of(event, i);
    if ((!access.reads && !access.writes) || !program.contains(event.site)) continue;
    // One store may write several elements of an array.
    const std::uint64_t end = event.object + std::max<std::uint64_t>(event.size, 1);
    const std::uint64_t step = event.size > kMostOfOne ? kLeastElement : event.size + 1U;
    for (std::uint64_t at = event.object; at < end; at += step)
      places_[at].push_back({access, own.empty() ? 0 : own.back()});
    if (access.reads) reads_[raw(event.thread)].push_back(access);
  }
}

const std::vector<AccessHistory::Entry>& AccessHistory::at(std::uint64_t address) const {
  static const std::vector<Entry> kNothing;
  const auto known = places_.find(address);
  return known == places_.end() ? kNothing : known->second;
}

std::optional<Access> AccessHistory::last_write(std::uint64_t address, std::size_t before) const {
  const std::vector<Entry>& all = at(address);
  for (auto entry = all.rbegin(); entry != all.rend(); ++entry) {
    if (entry->access.event < before && entry->access.writes) return entry->access;
  }
  return std::nullopt;
}

bool AccessHistory::is_shared(std::uint64_t address) const {
  const std::vector<Entry>& all = at(address);
  bool writes = false;
  bool others = false;
  for (const Entry& entry : all) {
    writes = writes || entry.access.writes;
    others = others || entry.access.thread != all.front().access.thread;
  }
  return writes && others;
}

std::vector<Access> AccessHistory::last_reads(ThreadId thread, std::size_t before,
                                              std::size_t most) const {
  constexpr std::size_t kLookedAt = 256;
  std::vector<Access> found;
  const auto own = reads_.find(raw(thread));
  if (own == reads_.end()) return found;
  std::size_t looked_at = 0;
  for (auto read = own->second.rbegin();
       read != own->second.rend() && found.size() < most && looked_at < kLookedAt;
       ++read, ++looked_at) {
    if (read->event >= before) continue;
    const std::uint64_t address = trace_.all()[read->event].object;
    const bool known = std::any_of(found.begin(), found.end(), [&](const Access& one) {
      return trace_.all()[one.event].object == address;
    });
    if (!known) found.push_back(*read);
  }
  return found;
}

std::optional<std::size_t> AccessHistory::creation(ThreadId thread) const {
  const auto fork = forks_.find(raw(thread));
  return fork == forks_.end() ? std::nullopt : std::optional(fork->second);
}

std::size_t AccessHistory::call(std::size_t event) const {
  for (const Entry& entry : at(trace_.all()[event].object)) {
    if (entry.access.event == event) return entry.call;
  }
  return 0;
}

}  // namespace raddle
