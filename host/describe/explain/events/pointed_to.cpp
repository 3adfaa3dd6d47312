#include "host/describe/explain/events/pointed_to.hpp"

#include <iterator>

#include "host/base/printable.hpp"
#include "host/describe/explain/events/accesses.hpp"
#include "host/symbols/member_names.hpp"

namespace raddle {

PointedTo::PointedTo(const KeptTrace& trace, const std::set<std::size_t>& events) : trace_(trace) {
  struct Block {
    std::uint64_t end = 0;
    std::size_t allocation = 0;
  };
  std::map<std::uint64_t, Block> blocks;
  const std::vector<Event>& all = trace.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Event& event = all[i];
    if (events.contains(i)) {
      const auto after = blocks.upper_bound(event.object);
      const bool inside = after != blocks.begin() && event.object < std::prev(after)->second.end;
      if (inside) blocks_[i] = std::prev(after)->second.allocation;
    }
    if (event.kind == EventKind::allocate) blocks[event.object] = {event.object + event.value, i};
    if (event.kind == EventKind::free) blocks.erase(event.object);
  }
  for (const auto& [event, allocation] : blocks_) wanted_.insert(allocation);
}

void PointedTo::on(std::size_t index, const ObjectNames& names) {
  const Event& event = trace_.all()[index];
  if (event.kind == EventKind::allocate) {
    if (wanted_.contains(index)) {
      current_[event.object] = index;
    } else {
      current_.erase(event.object);
    }
  }
  constexpr std::uint16_t kPointer = 8;
  const std::optional<std::uint64_t> value = value_written(event);
  if (!value || event.size != kPointer) return;
  const auto block = current_.find(*value);
  if (block == current_.end() || names.name_kind(event) != NameKind::kName) return;
  const std::string name =
      without_library_members(printable(names.name(event, NameForm::kVariable)));
  // What the library needs for itself, and variables that nobody named, say nothing.
  const bool telling = !name.empty() && !name.starts_with("std::") &&
                       !name.starts_with("element") && name.find("temporary") == std::string::npos;
  if (telling) pointers_[block->second] = name;
}

ExplainedObject PointedTo::object(std::size_t event) const {
  const auto block = blocks_.find(event);
  const auto pointer = block == blocks_.end() ? pointers_.end() : pointers_.find(block->second);
  if (pointer == pointers_.end()) return {};
  return {"the memory of " + pointer->second, "the memory of " + last_member(pointer->second), {}};
}

}  // namespace raddle
