#include "campaign/symbol_names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostSeen = 1 << 20;

}  // namespace

SymbolNames::SymbolNames(Symbolizer& symbols, const std::vector<DataSymbol>& variables,
                         EventSink& next)
    : symbols_(symbols), next_(next) {
  for (const DataSymbol& variable : variables)
    define_object(variable.address, variable.bytes, variable.name);
}

void SymbolNames::define_site(SiteId id, const Site& site) {
  has_class_.resize(std::size_t{raw(id)} + 1);
  has_class_[raw(id)] = !site.cls.empty() ? 1 : 0;
  names_.define_site(id, site);
  next_.define_site(id, site);
}

void SymbolNames::define_thread(ThreadId id, const std::string& name) {
  names_.define_thread(id, name);
  next_.define_thread(id, name);
}

void SymbolNames::define_object(std::uint64_t address, std::uint64_t bytes,
                                const std::string& name) {
  names_.define_object(address, bytes, name);
  next_.define_object(address, bytes, name);
}

void SymbolNames::define_member(const std::string& cls, std::uint32_t offset,
                                const std::string& member) {
  names_.define_member(cls, offset, member);
  next_.define_member(cls, offset, member);
}

void SymbolNames::events(std::span<const Event> events) {
  // Most events are accesses, and most of these have nothing to say about the class of a block.
  bool learning = names_.wants_accesses();
  for (const Event& event : events) {
    if (is_access(event.kind)) {
      if (learning && has_class_[raw(event.site)]) names_.event(event);
      continue;
    }
    names_.event(event);
    look_at(event);
    learning = names_.wants_accesses();
  }
  next_.events(events);
}

void SymbolNames::look_at(const Event& event) {
  switch (event.kind) {
    case EventKind::acquire:
    case EventKind::wait:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
      if (seen_.size() < kMostSeen && seen_.insert(event.object).second) name_object(event.object);
      return;
    case EventKind::free:
    case EventKind::local:
      seen_.erase(seen_.lower_bound(event.object), seen_.lower_bound(event.object + event.value));
      return;
    case EventKind::thread_begin:
      return name_routine(event.object);
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_end:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::release:
    case EventKind::wake:
    case EventKind::read:
    case EventKind::write:
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
    case EventKind::user:
    case EventKind::destroy:
      return;
  }
}

// A thread that enters no function of ours is called by what it was started with, unless that is
// the library's own helper.
void SymbolNames::name_routine(std::uint64_t address) {
  if (address == 0 || !symbols_.frames(address, false).back().in_program) return;
  const std::string function = symbols_.function_of(address);
  if (!function.empty()) define_object(address, 1, function);
}

void SymbolNames::name_object(std::uint64_t address) {
  if (const std::string variable = symbols_.data_name(address); !variable.empty()) {
    define_object(address, 1, variable);
    return;
  }
  const std::optional<ObjectNames::Unnamed> member = names_.unnamed_member(address);
  if (!member) return;
  const std::string name = symbols_.member_at(member->cls, member->offset);
  if (!name.empty()) define_member(member->cls, member->offset, name);
}

}  // namespace raddle
