// Properties with infinitely many states, cfg and srs: those that occur are made when they do, each
// once, and remember where the events lead. So a program that comes by the same states again pays
// for a look into a table. States that nobody uses are forgotten when there are many of them.
#pragma once

#include <unordered_map>
#include <vector>

#include "prevent/logics/runtime/lock.hpp"
#include "prevent/logics/runtime/property.hpp"

namespace raddle::logics {

// What a state is, in words that the logic understands; equal words are equal states.
using Configuration = std::vector<std::uintptr_t>;

struct ConfigurationHash {
  std::size_t operator()(const Configuration& words) const {
    std::size_t out = words.size();
    for (const std::uintptr_t word : words) out = (out ^ word) * 0x9E3779B97F4A7C15U;
    return out ^ out >> 32U;
  }
};

class PooledProperty : public Property {
 public:
  bool may(StateId from, EventId event) const final;
  bool overran(StateId state) const final;
  // For tests: how many states are remembered.
  std::size_t pooled() const;

 protected:
  explicit PooledProperty(const Word* program) : Property(program) {}

 private:
  // Called with the lock held.
  virtual Configuration first() const = 0;
  virtual Configuration next(const Configuration& from, EventId event) const = 0;
  virtual Categories categories_of(const Configuration& configuration) const = 0;
  virtual bool overran_in(const Configuration&) const { return false; }
  // The pool keeps the configuration from now on, no more.
  virtual void kept_configuration(const Configuration&) const {}
  virtual void forgotten(const Configuration&) const {}

  StateId start_lazy() const final;
  StateId after_lazy(StateId from, EventId event) const final;
  Categories categories_lazy(StateId state) const final;
  void retain_lazy(StateId state) const final;
  void release_lazy(StateId state) const final;

  static constexpr StateId kNone = ~StateId(0);
  struct Entry {
    const Configuration* configuration;
    Categories categories;
    bool overran;
    std::uint32_t uses;
    std::vector<StateId> next;  // [event]; kNone: not known yet
  };

  StateId find(Configuration configuration) const;
  StateId follow(StateId from, EventId event) const;
  void sweep() const;

  mutable Lock lock_;
  mutable std::unordered_map<Configuration, StateId, ConfigurationHash> known_;
  mutable std::vector<Entry> entries_;
  mutable std::vector<StateId> free_;
  mutable std::size_t weight_ = 0;  // words of all configurations
  mutable std::size_t sweep_at_ = 1U << 16U;
};

}  // namespace raddle::logics
