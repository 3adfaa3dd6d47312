#include "host/analysis/atomset/atomset.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace raddle {

AtomicSetDetector::AtomicSetDetector(ExecutionState& state, const AtomicSetOptions& options)
    : state_(state),
      options_(options),
      engine_(options.limits, [this](const AtomicSetMatch& match) { report(match); }),
      locations_(state, options.ownership),
      units_(state, locations_, engine_, options.units) {
  if (options_.fork_orders)
    engine_.set_created_at(
        [this](ThreadIndex u, ThreadIndex other) { return units_.created_at(u, other); });
}

void AtomicSetDetector::on_object(std::uint64_t address, std::uint64_t bytes) {
  locations_.objects().global(address, bytes);
}

void AtomicSetDetector::on_event(const Event& event) {
  switch (event.kind) {
    case EventKind::read:
    case EventKind::atomic_load:
      return access(event, event.size, true, false);
    case EventKind::write:
    case EventKind::atomic_store:
      return access(event, event.size, false, true);
    case EventKind::read_range:
      return access(event, std::min(event.value, options_.max_range), true, false);
    case EventKind::write_range:
      return access(event, std::min(event.value, options_.max_range), false, true);
    case EventKind::atomic_update:
      return access(event, event.size, true, true);
    case EventKind::atomic_compare:
      return access(event, event.size, true, (event.flags & kSuccess) != 0);
    case EventKind::allocate:
      locations_.objects().allocate(event.object, event.value, locations_.site(event.site).offset,
                                    units_.worker(event));
      return;
    case EventKind::local:
      locations_.objects().local(event.object, event.value, locations_.site(event.site).offset);
      return;
    case EventKind::free:
      locations_.objects().free(event.object, event.value);
      return;
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
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::exit:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
    case EventKind::destroy:
      return units_.on_event(event);
  }
}

void AtomicSetDetector::access(const Event& event, std::uint64_t bytes, bool reads, bool writes) {
  units_.on_access(event);
  if (bytes == 0) return;
  const AtomicSite& site = locations_.site(event.site);
  if (site.of_globals) locations_.declare_global(site, event.object, bytes);
  const bool skip = site.skip || (is_atomic(event.kind) && site.set == 0);
  if (skip && !locations_.declared(event.object)) return;
  const std::uint64_t first = event.object;
  const std::uint64_t last = first + std::min(bytes - 1, ~first);
  for (std::uint64_t word = first >> 3; word <= last >> 3; ++word) {
    const unsigned from = word == first >> 3 ? first & 7 : 0;
    const unsigned to = word == last >> 3 ? last & 7 : 7;
    const auto touched = static_cast<std::uint8_t>((0xffu >> (7 - to)) & (0xffu << from));
    const unsigned granule = locations_.granule(word, touched);
    for (unsigned at = from / granule * granule; at <= to; at += granule)
      touch(event, site, word * 8 + at, granule, reads, writes);
  }
}

void AtomicSetDetector::touch(const Event& event, const AtomicSite& site, std::uint64_t address,
                              unsigned granule, bool reads, bool writes) {
  SetLocations::Target target = locations_.find(site, address, granule);
  if (target.owned && !units_.inside(event, target)) {
    locations_.objects().release(target.region);
    locations_.granule(address >> 3,
                       static_cast<std::uint8_t>(((1u << granule) - 1) << (address & 7)));
    target = locations_.find(site, address, granule);
    if (target.owned) {  // by the owner's owner: seen by others all the more
      locations_.objects().release(target.region);
      target = locations_.find(site, address, granule);
    }
  }
  SetObject& object = locations_.objects()[target.object];
  const ThreadIndex index = state_.index(event.thread);
  if (object.cls == 0) object.cls = site.cls;
  if (!object.used) {
    object.used = true;
    object.user = index;
  }
  object.shared = object.shared || object.user != index;
  if (!object.shared && units_.being_born(event, target.object)) return;

  const UnitAccess access{state_.events(), address, event.step, state_.point(event)};
  const UnitTracker::Unit unit = units_.unit_of(event, target, access);
  const std::vector<std::uint64_t>& only = options_.only_at;
  const bool counts =
      only.empty() || std::find(only.begin(), only.end(), state_.stable(event.site)) != only.end();
  const auto feed = [&](AtomicSetEngine::UnitNumber number) {
    if (reads && counts) engine_.access(number, target.location, false, access);
    if (writes && counts) engine_.access(number, target.location, true, access);
  };
  if (!unit.alone) feed(unit.number);
  for (const AtomicSetEngine::UnitNumber number : unit.perhaps) feed(number);
  if (unit.single && !unit.alone) engine_.close(unit.number);
}

void AtomicSetDetector::finish() {
  if (engine_.refused() != 0)
    state_.note(fmt::format(
        "atomset: the bound of {} race automata was hit, {} were not made: violations may be "
        "missing",
        options_.limits.max_automata, engine_.refused()));
  if (not_kept_ != 0)
    state_.note(
        fmt::format("atomset: the bound of {} findings was hit, {} further violations at other "
                    "places are not shown",
                    options_.max_findings, not_kept_));
}

std::unique_ptr<Detector> make_atomset_detector(ExecutionState& state,
                                                const AnalysisOptions& options) {
  AtomicSetOptions own;
  own.ownership = options.ownership;
  own.fork_orders = options.fork_orders;
  own.units.entry_units = options.entry_units;
  own.units.split_at_wait = options.split_at_wait;
  own.limits.max_automata = options.max_automata;
  return std::make_unique<AtomicSetDetector>(state, own);
}

}  // namespace raddle
