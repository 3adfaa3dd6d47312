#include "host/analysis/atomset/locations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "protocol/global_sets.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 22;
constexpr std::size_t kMostSets = std::size_t{1} << 20;
constexpr std::size_t kRecentSets = std::size_t{1} << 14;

const AtomicSite kUnknown{};

unsigned mask(std::uint64_t address, unsigned bytes) {
  return (0xffu >> (8 - bytes)) << (address & 7);
}

}  // namespace

SetLocations::SetLocations(const ExecutionState& state, bool ownership)
    : state_(state), objects_(ownership) {
  objects_.on_change(
      [this](std::uint64_t address, std::uint64_t bytes) { forget(address, bytes); });
}

std::uint32_t SetLocations::number(const std::string& text) {
  if (text.empty()) return 0;
  const auto [at, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return at->second;
}

const AtomicSite& SetLocations::site(SiteId id) {
  if (raw(id) < sites_.size() && sites_[raw(id)].known) return sites_[raw(id)];
  const Site& site = state_.site(id);
  if (site.kind == EventKind::none) return kUnknown;  // a code address, or not defined
  if (raw(id) >= sites_.size()) sites_.resize(raw(id) + std::size_t{1});
  AtomicSite& info = sites_[raw(id)];
  info.known = true;
  info.flags = is_atomic(site.kind) ? 0 : site.flags;  // those of an atomic are its order
  info.classified = !site.cls.empty();
  info.offset = site.offset;
  info.of_globals = site.set.starts_with(kSetOfGlobals);
  info.set = number(info.of_globals ? site.set.substr(std::size(kSetOfGlobals) - 1) : site.set);
  info.cls = number(site.cls);
  const bool data = is_access(site.kind);
  info.static_class = data && (info.flags & kSiteStatic) != 0 ? info.cls : 0;
  if (data && site.field.ends_with("(vptr)")) info.skip = true;
  if (data && info.set == 0 && (info.flags & (kSiteConstField | kSiteAtomicField)) != 0)
    info.skip = true;
  if (is_atomic(site.kind) && info.set == 0) info.skip = true;
  return info;
}

void SetLocations::declare(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
  auto known = std::find_if(declared_.begin(), declared_.end(),
                            [&](const Declared& set) { return set.name == name; });
  if (known == declared_.end()) {
    declared_.push_back({name, objects_.make(address)});
    known = std::prev(declared_.end());
    set_of(known->object, 0, name, true);
  }
  objects_.declare(address, bytes, known->object);
  declared_bytes_.emplace_back(address, bytes);
}

void SetLocations::declare_global(const AtomicSite& site, std::uint64_t address,
                                  std::uint64_t bytes) {
  if (declared(address)) return;
  const auto global = objects_.global_at(address);
  declare(global ? global->first : address, global ? global->second : bytes, texts_[site.set]);
}

bool SetLocations::annotated(SetNumber set) const {
  const SetInfo* info = sets_.find(set);
  return info != nullptr && info->annotated;
}

bool SetLocations::declared(std::uint64_t address) const {
  for (const auto& [base, bytes] : declared_bytes_)
    if (address >= base && address - base < bytes) return true;
  return false;
}

void SetLocations::forget(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0 || words_.empty()) return;
  const std::uint64_t first = address >> 3;
  const std::uint64_t last = (address + std::min(bytes - 1, ~address)) >> 3;
  if (last - first < words_.size()) {
    for (std::uint64_t word = first;; ++word) {
      words_.erase(word);
      if (word == last) break;
    }
  } else {
    words_.erase_if([&](std::uint64_t word, const Word&) { return first <= word && word <= last; });
  }
}

unsigned SetLocations::granule(std::uint64_t word, std::uint8_t bytes) {
  if (words_.size() >= kMostWords) words_.clear();
  Word& at = words_[word];
  if (bytes == 0xff && at.granule == 8) return 8;
  // The largest power of two that both the first byte and the length are multiples of.
  const unsigned start = static_cast<unsigned>(std::countr_zero(unsigned(bytes) | 0x100u));
  const unsigned length = static_cast<unsigned>(std::popcount(bytes));
  const unsigned fits = (start | length) & (~(start | length) + 1);
  if (at.granule == 0 || fits < at.granule) {
    at.granule = static_cast<std::uint8_t>(fits);
  }
  return at.granule;
}

SetNumber SetLocations::set_of(ObjectNumber object, std::uint32_t name, const std::string& given,
                               bool annotated) {
  SetNumber& set = objects_[object].sets[name];
  if (set != 0) return set;
  set = next_set_++;
  const SetObject& owner = objects_[object];
  if (annotated || !given.empty()) {
    keep(set, {given, owner.base, annotated});
    return set;
  }
  // Most sets are of objects that live shortly. Whoever outlives so many others is kept.
  const std::size_t at = set % kRecentSets;
  if (at >= recent_.size()) recent_.resize(at + 1);
  Recent& recent = recent_[at];
  if (recent.set != 0 && objects_[recent.object].life == recent.life)
    keep(recent.set, {{}, recent.base, false});
  recent = {set, object, owner.base, owner.life};
  return set;
}

void SetLocations::keep(SetNumber set, SetInfo info) {
  if (sets_.size() >= kMostSets) {  // names of what is long gone
    sets_.erase_if([&](std::uint64_t old, const SetInfo& known) {
      return known.name.empty() && old + kMostSets / 2 < next_set_;
    });
  }
  sets_[set] = std::move(info);
}

SetLocations::Word SetLocations::resolve(const AtomicSite& site, std::uint64_t address) {
  Word word;
  if (site.static_class != 0 && !declared(address)) {
    ObjectNumber* members = classes_.find(site.static_class);
    if (members == nullptr) {
      const ObjectNumber object = objects_.make(address);
      classes_[site.static_class] = object;
      members = classes_.find(site.static_class);
    }
    word.object = *members;
    word.static_class = site.static_class;
    word.set =
        set_of(word.object, site.set,
               fmt::format("static members of {}", texts_[site.static_class]), site.set != 0);
    return word;
  }
  const ObjectTracker::Place place = objects_.find(address, site.classified, site.offset);
  word.object = place.object;
  word.owned = place.owned;
  word.life = place.life;
  word.region = place.region;
  word.set = set_of(place.object, place.owned ? 0 : site.set,
                    site.set != 0 && !place.owned ? texts_[site.set] : std::string(),
                    site.set != 0 && !place.owned);
  return word;
}

SetLocations::Target SetLocations::find(const AtomicSite& site, std::uint64_t address,
                                        unsigned granule) {
  Word& cached = words_[address >> 3];
  const unsigned bytes = mask(address, granule);
  if ((cached.resolved & bytes) != bytes) {
    Word fresh = resolve(site, address);  // leaves the words alone
    // Two sets in one word: the last one is kept.
    const bool same = cached.resolved != 0 && cached.set == fresh.set;
    fresh.resolved = static_cast<std::uint8_t>(same ? cached.resolved | bytes : bytes);
    fresh.granule = static_cast<std::uint8_t>(granule);
    cached = fresh;
  }
  Target target;
  target.set = cached.set;
  target.object = cached.object;
  target.static_class = cached.static_class;
  target.owned = cached.owned;
  target.region = cached.region;
  // Memory that is used again is another location.
  target.location = (address & 0xffff'ffff'ffffULL) | std::uint64_t(cached.life) << 48;
  return target;
}

std::string SetLocations::set_name(SetNumber set) const {
  const SetInfo* info = sets_.find(set);
  return info == nullptr ? std::string() : info->name;
}

std::uint64_t SetLocations::set_base(SetNumber set) const {
  const std::size_t at = set % kRecentSets;
  if (at < recent_.size() && recent_[at].set == set) return recent_[at].base;
  const SetInfo* info = sets_.find(set);
  return info == nullptr ? 0 : info->base;
}

}  // namespace raddle
