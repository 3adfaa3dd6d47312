#include "host/campaign/harm/left_values.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "protocol/virtual_time.hpp"

namespace raddle {
namespace {

struct Place {  // in memory
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  auto operator<=>(const Place&) const = default;
  bool overlaps(const Place& other) const {
    return address < other.address + other.bytes && other.address < address + bytes;
  }
};

constexpr std::uint64_t kLowestAddress = 1ULL << 40;   // of what is loaded or mapped, on 64 bits
constexpr std::uint64_t kHighestAddress = 1ULL << 47;  // of user space
constexpr std::uint64_t kDay = 86'400ULL * 1'000'000'000;

bool is_address(std::uint64_t value, std::uint64_t bytes) {
  return bytes == 8 && value >= kLowestAddress && value < kHighestAddress;
}

// Within a day after the program's clocks began, in a unit in which programs keep time.
bool is_time(std::uint64_t value, std::uint64_t bytes) {
  if (bytes < 4) return false;
  const auto within = [value](std::uint64_t base, std::uint64_t unit) {
    return value >= base / unit && value <= (base + kDay) / unit;
  };
  const auto since_1970 = std::uint64_t{kRealtimeBase};
  const auto since_boot = std::uint64_t{kMonotonicBase};
  return within(since_1970, 1) || within(since_1970, 1'000) || within(since_1970, 1'000'000) ||
         within(since_1970, 1'000'000'000) || within(since_boot, 1) || within(since_boot, 1'000);
}

std::string text_of(std::uint64_t value, std::uint64_t bytes) {
  if (is_address(value, bytes)) return "an address";
  if (is_time(value, bytes)) return "a time";
  const unsigned bits = static_cast<unsigned>(bytes * 8);
  const bool negative = bits < 64 ? (value >> (bits - 1) & 1) != 0 : (value >> 63) != 0;
  if (!negative) return std::to_string(value);
  const std::uint64_t extended = bits < 64 ? value | (~std::uint64_t{0} << bits) : value;
  return std::to_string(static_cast<std::int64_t>(extended));
}

// What is known of the memory of one run when both units are over.
class Memory {
 public:
  explicit Memory(const UnitRun& run) {
    for (const ObservedAccess& access : run.run->accesses()) {
      if (access.step > run.end) break;
      apply(access);
    }
    for (const ObservedBlock& block : run.run->heap()) {
      if (block.step > run.end) break;
      if (block.freed) {
        freed_[block.address] = block.bytes;
      } else {
        freed_.erase(block.address);
        allocated_[block.address] = block.bytes;
      }
    }
  }

  // Part of its heap block was written in a way that does not say what.
  bool is_hidden(const Place& place) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const Place& range) {
      if (range.overlaps(place)) return true;
      const std::optional<Place> block = block_of(range);
      return block && block->overlaps(place);
    });
  }
  bool is_freed(const Place& place) const { return contains(freed_, place); }
  bool was_allocated(const Place& place) const { return contains(allocated_, place); }
  // Nothing if nobody accessed it in this way.
  std::optional<std::uint64_t> value(const Place& place) const {
    const auto found = values_.find(place);
    return found == values_.end() ? std::nullopt : found->second;
  }
  bool touched(const Place& place) const { return values_.count(place) > 0; }
  // What it was before anybody wrote it, if somebody read it before.
  std::optional<std::uint64_t> initial(const Place& place) const {
    const auto found = initial_.find(place);
    return found == initial_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void apply(const ObservedAccess& access) {
    const Place place{access.address, access.bytes};
    if (access.writes) {
      // What lies across it has another value now.
      auto other = values_.lower_bound({place.address >= 8 ? place.address - 8 : 0, 0});
      for (; other != values_.end() && other->first.address < place.address + place.bytes; ++other)
        if (other->first != place && other->first.overlaps(place)) other->second.reset();
    }
    if (access.writes && (access.bytes > 8 || !access.known)) ranges_.insert(place);
    if (access.bytes > 8) return;
    if (access.known && !access.writes && values_.count(place) == 0)
      initial_.emplace(place, access.value);
    if (access.known) {
      values_[place] = access.value;
    } else if (access.writes) {
      values_[place].reset();
    }
  }

  static std::optional<Place> containing(const std::map<std::uint64_t, std::uint64_t>& blocks,
                                         const Place& place) {
    auto after = blocks.upper_bound(place.address);
    if (after == blocks.begin()) return std::nullopt;
    --after;
    if (place.address >= after->first + after->second) return std::nullopt;
    return Place{after->first, after->second};
  }
  static bool contains(const std::map<std::uint64_t, std::uint64_t>& blocks, const Place& place) {
    return containing(blocks, place).has_value();
  }
  std::optional<Place> block_of(const Place& place) const { return containing(allocated_, place); }

  std::map<Place, std::optional<std::uint64_t>> values_;
  std::map<Place, std::uint64_t> initial_;
  std::set<Place> ranges_;
  std::map<std::uint64_t, std::uint64_t> freed_;
  std::map<std::uint64_t, std::uint64_t> allocated_;  // also before the units; see was_allocated()
};

// Places that one instruction accesses belong together.
class Groups {
 public:
  void join(const Place& place, std::uint64_t site) {
    const std::size_t a = node(places_, place);
    const std::size_t b = node(sites_, site);
    parent_[root(a)] = root(b);
  }
  std::vector<std::vector<Place>> take() {
    std::map<std::size_t, std::vector<Place>> groups;
    for (const auto& [place, index] : places_) groups[root(index)].push_back(place);
    std::vector<std::vector<Place>> list;
    list.reserve(groups.size());
    for (auto& [index, group] : groups) list.push_back(std::move(group));
    return list;
  }

 private:
  template <typename Key>
  std::size_t node(std::map<Key, std::size_t>& nodes, const Key& key) {
    const auto [at, is_new] = nodes.emplace(key, parent_.size());
    if (is_new) parent_.push_back(parent_.size());
    return at->second;
  }
  std::size_t root(std::size_t index) {
    while (parent_[index] != index) index = parent_[index] = parent_[parent_[index]];
    return index;
  }

  std::map<Place, std::size_t> places_;
  std::map<std::uint64_t, std::size_t> sites_;
  std::vector<std::size_t> parent_;
};

// Places that both units access, in whichever run, if all accesses are to the same bytes.
std::set<Place> shared_places(const std::vector<UnitRun>& runs) {
  std::array<std::set<Place>, 2> used;
  std::set<Place> ranges;
  for (const UnitRun& run : runs) {
    for (const ObservedAccess& access : run.run->accesses()) {
      const std::optional<int> unit = run.unit_of(access);
      if (!unit) continue;
      const Place place{access.address, access.bytes};
      if (place.bytes > 8 || place.bytes == 0) {
        ranges.insert(place);
      } else {
        used[static_cast<std::size_t>(*unit)].insert(place);
      }
    }
  }
  std::set<Place> all;
  std::set_union(used[0].begin(), used[0].end(), used[1].begin(), used[1].end(),
                 std::inserter(all, all.end()));
  std::set<Place> shared;
  std::set_intersection(used[0].begin(), used[0].end(), used[1].begin(), used[1].end(),
                        std::inserter(shared, shared.end()));
  std::erase_if(shared, [&](const Place& place) {
    const bool in_range = std::any_of(ranges.begin(), ranges.end(),
                                      [&](const Place& range) { return range.overlaps(place); });
    if (in_range) return true;
    auto near = all.lower_bound({place.address >= 8 ? place.address - 8 : 0, 0});
    for (; near != all.end() && near->address < place.address + place.bytes; ++near)
      if (*near != place && near->overlaps(place)) return true;
    return false;
  });
  return shared;
}

// What a run left in the places of a group, in no order. Nothing if something of it is not known.
std::optional<std::vector<std::string>> left_in(const Memory& memory,
                                                const std::vector<Place>& group,
                                                const std::vector<Memory>& others) {
  std::vector<std::string> left;
  for (const Place& place : group) {
    // A container that has grown: its elements are elsewhere now, and nobody saw them go there.
    if (memory.is_hidden(place)) return std::nullopt;
    if (memory.is_freed(place)) continue;
    if (const std::optional<std::uint64_t> value = memory.value(place)) {
      left.push_back(text_of(*value, place.bytes));
      if (left.back() == "a time") return std::nullopt;
      continue;
    }
    if (memory.touched(place)) return std::nullopt;
    // Memory that only another run allocated is none of this run's.
    const bool elsewhere = !memory.was_allocated(place) &&
                           std::any_of(others.begin(), others.end(), [&](const Memory& other) {
                             return other.was_allocated(place);
                           });
    if (elsewhere) continue;
    const auto who = std::find_if(others.begin(), others.end(), [&](const Memory& other) {
      return other.initial(place).has_value();
    });
    if (who == others.end()) return std::nullopt;
    left.push_back(text_of(*who->initial(place), place.bytes));
  }
  std::sort(left.begin(), left.end());
  return left;
}

// A part of it is alive in some runs and not in others, and they leave different numbers of
// elements. That need not be the units' doing: a third thread may not have come yet to free it, or
// both units use it only where it happens to have the same address.
bool lives_differ(const std::vector<Place>& group, const std::vector<Memory>& memories,
                  const std::vector<std::vector<std::string>>& left) {
  const bool as_many = std::all_of(left.begin(), left.end(),
                                   [&](const auto& one) { return one.size() == left[0].size(); });
  if (as_many) return false;
  return std::any_of(group.begin(), group.end(), [&](const Place& place) {
    const auto alive = [&](const Memory& memory) {
      return memory.was_allocated(place) && !memory.is_freed(place);
    };
    return std::any_of(memories.begin(), memories.end(), alive) &&
           !std::all_of(memories.begin(), memories.end(), alive);
  });
}

std::string listed(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text.empty() ? "nothing" : text;
}

}  // namespace

LeftDifference compare_left(const std::vector<UnitRun>& runs) {
  const std::set<Place> shared = shared_places(runs);
  Groups groups;
  std::vector<Memory> memories;
  for (const UnitRun& run : runs) {
    memories.emplace_back(run);
    for (const ObservedAccess& access : run.run->accesses()) {
      const Place place{access.address, access.bytes};
      if (run.unit_of(access) && shared.count(place) > 0) groups.join(place, access.place);
    }
  }
  LeftDifference difference;
  difference.same.assign(runs.size(), true);
  for (const std::vector<Place>& group : groups.take()) {
    std::vector<std::vector<std::string>> left;
    for (const Memory& memory : memories) {
      std::optional<std::vector<std::string>> one = left_in(memory, group, memories);
      if (!one) break;
      left.push_back(std::move(*one));
    }
    if (left.size() != runs.size()) continue;
    ++difference.compared;
    const bool all_same =
        std::all_of(left.begin(), left.end(), [&](const auto& one) { return one == left[0]; });
    if (all_same || lives_differ(group, memories, left)) continue;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (left[i] != left[0]) difference.same[i] = false;
    LeftValue value{group.front().address, {}};
    for (const std::vector<std::string>& one : left) value.left.push_back(listed(one));
    difference.objects.push_back(std::move(value));
  }
  return difference;
}

}  // namespace raddle
