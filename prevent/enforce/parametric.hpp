// The monitors of a property, one for each instance of its parameters, as JavaMOP defines them.
//
// An *instance* gives objects to some of the parameters. An event concerns the instances that agree
// with its objects and may know more. The *slice* of an instance are the events that concern it and
// whose objects it has, from the first creation event among them on; its monitor is in the state
// after its slice. There is a monitor for every instance that is put together from the objects of
// events of its slice: partial ones, too. If no event of a specification is a creation event, all
// are.
//
// An event that brings objects together for which there is no monitor yet makes it from the most
// informative monitor that knows some of them: that one has seen all of the slice so far.
//
// A destroyed object takes its monitors along. Monitors that can change no more stay until then:
// without them a later event would make their instances again, and from the wrong states.
//
// No locks here: Shard (shard.hpp) has them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "prevent/enforce/domains.hpp"
#include "prevent/logics/runtime/property.hpp"

namespace raddle::enforce {

using logics::EventId;
using logics::StateId;

// How to make, copy and destroy the variables of a monitor.
struct VariableKind {
  std::size_t size = 0;
  void (*make)(void* variables) = nullptr;
  void (*copy)(void* variables, const void* from) = nullptr;
  void (*destroy)(void* variables) = nullptr;
};

// Followed in memory by its links, its objects and its variables.
struct Monitor {
  StateId state;
  Mask domain;
};

class Monitors {
 public:
  Monitors(const logics::Property& property, const Domains& domains, unsigned parameters,
           const VariableKind& variables);
  ~Monitors();
  Monitors(const Monitors&) = delete;
  Monitors& operator=(const Monitors&) = delete;

  // Calls look(state, variables) for the monitors that the event concerns, and for those that it
  // would make the state and variables that they would be made from. Stops when look says false,
  // and says so.
  template <class Look>
  bool look(EventId event, const void* const* objects, const Look& look);

  // The event happens: makes the monitors that it makes, if want(variables) says so, and calls
  // step(monitor) for each that it concerns; step advances it.
  template <class Want, class Step>
  void happens(EventId event, const void* const* objects, const Want& want, const Step& step);

  // The one monitor that the event concerns, if the specification is so simple that there can be no
  // other, and it is there already.
  Monitor* only(EventId event, const void* const* objects) const {
    const EventPlan& plan = domains_.events[event];
    return plan.simple ? first(plan.above[0], objects) : nullptr;
  }

  void destroyed(unsigned parameter, const void* object);
  void clear();
  // Copies of all monitors of others for the same property.
  void adopt(Monitors& others);

  std::size_t count() const { return count_; }
  // In bytes, of all monitors that there are and of those that there may be again.
  std::size_t memory() const;
  const void* const* objects(const Monitor& monitor) const;
  void* variables(Monitor& monitor) const;
  // The monitor of exactly this instance; null: there is none.
  Monitor* find(Mask domain, const void* const* objects) const;

 private:
  struct Link {
    Monitor* next;
    Monitor* previous;  // null: the first in its bucket
  };
  struct Table {
    std::vector<Monitor*> buckets;
    std::size_t count = 0;
  };
  // A monitor that does not exist yet: its objects, and the one that it comes from (null: none).
  struct Birth {
    Mask domain;
    const void* objects[kMostParameters];
    Monitor* from;
  };

  Link* links(Monitor& monitor) const;
  std::size_t position(std::uint32_t index) const { return position_[index]; }
  std::size_t bucket(std::uint32_t index, const void* const* objects) const;
  Monitor* first(std::uint32_t index, const void* const* objects) const;
  Monitor* next(std::uint32_t index, Monitor& monitor, const void* const* objects) const;
  bool agrees(const Monitor& monitor, Mask key, const void* const* objects) const;
  void births(EventId event, const void* const* objects, std::vector<Birth>& out) const;
  bool birth_of(Mask domain, const void* const* objects, std::vector<Birth>& out) const;
  Monitor* most_informative(Mask domain, const void* const* objects) const;
  void make(const Birth& birth);
  void end(Monitor& monitor);
  void insert(std::uint32_t index, Monitor& monitor);
  void remove(std::uint32_t index, Monitor& monitor);
  void grow(std::uint32_t index);
  void* take_memory();
  void give_memory_back();

  const logics::Property& property_;
  const Domains& domains_;
  unsigned parameters_;
  VariableKind variables_;
  std::vector<std::size_t> position_;  // [index]: of its link in a monitor
  std::size_t objects_at_;
  std::size_t variables_at_;
  std::size_t size_;
  std::vector<Table> tables_;  // [index]
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  void* free_ = nullptr;
  std::size_t count_ = 0;
  StateId start_;
  std::vector<std::byte> fresh_;  // variables of a monitor that comes from nowhere
  std::vector<Birth> born_;       // only while an event happens
};

// Inline: an event that finds one monitor has no time for calls.

inline Monitors::Link* Monitors::links(Monitor& monitor) const {
  return reinterpret_cast<Link*>(&monitor + 1);
}
inline const void* const* Monitors::objects(const Monitor& monitor) const {
  return reinterpret_cast<const void* const*>(reinterpret_cast<const std::byte*>(&monitor) +
                                              objects_at_);
}
inline void* Monitors::variables(Monitor& monitor) const {
  return reinterpret_cast<std::byte*>(&monitor) + variables_at_;
}

inline std::size_t Monitors::bucket(std::uint32_t index, const void* const* objects) const {
  std::uint64_t hash = 0;
  const Mask key = domains_.indexes[index].key;
  for (Mask rest = key; rest != 0; rest &= rest - 1) {
    const auto object = reinterpret_cast<std::uintptr_t>(objects[__builtin_ctz(rest)]);
    hash = (hash ^ object) * 0x9E3779B97F4A7C15U;
  }
  return (hash >> 32U) & (tables_[index].buckets.size() - 1);
}

inline bool Monitors::agrees(const Monitor& monitor, Mask key, const void* const* objects) const {
  const void* const* own = this->objects(monitor);
  for (Mask rest = key; rest != 0; rest &= rest - 1) {
    const int parameter = __builtin_ctz(rest);
    if (own[parameter] != objects[parameter]) return false;
  }
  return true;
}

inline Monitor* Monitors::first(std::uint32_t index, const void* const* objects) const {
  Monitor* monitor = tables_[index].buckets[bucket(index, objects)];
  const Mask key = domains_.indexes[index].key;
  while (monitor != nullptr && !agrees(*monitor, key, objects))
    monitor = links(*monitor)[position(index)].next;
  return monitor;
}

inline Monitor* Monitors::next(std::uint32_t index, Monitor& monitor,
                               const void* const* objects) const {
  Monitor* other = links(monitor)[position(index)].next;
  const Mask key = domains_.indexes[index].key;
  while (other != nullptr && !agrees(*other, key, objects))
    other = links(*other)[position(index)].next;
  return other;
}

template <class Look>
bool Monitors::look(EventId event, const void* const* objects, const Look& look) {
  const EventPlan& plan = domains_.events[event];
  for (const std::uint32_t index : plan.above) {
    for (Monitor* monitor = first(index, objects); monitor != nullptr;
         monitor = next(index, *monitor, objects))
      if (!look(monitor->state, variables(*monitor))) return false;
  }
  std::vector<Birth> made;
  births(event, objects, made);
  for (const Birth& birth : made) {
    const bool anew = birth.from == nullptr;
    if (!look(anew ? start_ : birth.from->state, anew ? fresh_.data() : variables(*birth.from)))
      return false;
  }
  return true;
}

template <class Want, class Step>
void Monitors::happens(EventId event, const void* const* objects, const Want& want,
                       const Step& step) {
  const EventPlan& plan = domains_.events[event];
  births(event, objects, born_);
  for (const Birth& birth : born_)
    if (want(birth.from == nullptr ? fresh_.data() : variables(*birth.from))) make(birth);
  born_.clear();
  for (const std::uint32_t index : plan.above) {
    for (Monitor* monitor = first(index, objects); monitor != nullptr;
         monitor = next(index, *monitor, objects))
      step(*monitor);
  }
}

}  // namespace raddle::enforce
