// A compiled property at run time: states, what an event does to them, and the categories that each
// belongs to. This part is linked into users' programs; the compilers of the logics
// (prevent/logics/logic.hpp) are not. They meet in the *program*, an array of 16-bit words that
// raddle-mop writes into the generated source as a constant.
//
// A property is immutable for those who use it, and any number of threads may use it at once.
// States of table logics are numbers. Those of cfg and srs live in a pool of the property, which
// counts who uses them: so all states are as cheap to copy as numbers.
//
// The words of every program: kind, events, categories, kept in, kept out; what follows depends on
// the kind. kTable: states, then next[state][event], then the categories of each state; state 0 is
// the first one. kGrammar: see parsing.hpp. kRewriting: see rewriting.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace raddle::logics {

using EventId = std::uint16_t;  // index in the list of events that the property was compiled with
using StateId = std::uint32_t;  // of one property
using Categories = std::uint16_t;  // bit i: categories[i] of the request that was compiled
using Word = std::uint16_t;

constexpr std::size_t kMostCategories = 16;

enum Kind : Word { kTable = 1, kGrammar = 2, kRewriting = 3 };

// Where an enforced property has to stay: in all categories of `in`, and in none of `out`.
struct Kept {
  Categories in = 0;
  Categories out = 0;
  bool holds(Categories categories) const {
    return (categories & in) == in && (categories & out) == 0;
  }
};

// Offsets in a program.
enum Header : std::size_t { kKind, kEvents, kCategories, kKeptIn, kKeptOut, kHeaderSize };

struct TableView {
  std::size_t events = 0;
  std::size_t states = 0;
  const Word* next = nullptr;              // [state * events + event]
  const Categories* categories = nullptr;  // [state]
};
// The table of a program of the kind kTable.
TableView table_of(const Word* program);

class Property {
 public:
  // The program stays where it is for as long as the property lives.
  static std::unique_ptr<const Property> load(const Word* program);
  virtual ~Property() = default;
  Property(const Property&) = delete;
  Property& operator=(const Property&) = delete;

  const Kept& kept() const { return kept_; }
  std::size_t events() const { return events_; }
  const TableView* table() const { return is_table_ ? &table_ : nullptr; }

  // The state before the first event. It is used once, by the caller.
  StateId start() const { return is_table_ ? 0 : start_lazy(); }
  // The state after the event, used once by the caller; `from` is used as before.
  StateId after(StateId from, EventId event) const {
    return is_table_ ? table_.next[from * table_.events + event] : after_lazy(from, event);
  }
  Categories categories(StateId state) const {
    return is_table_ ? table_.categories[state] : categories_lazy(state);
  }
  // The event does not lead out of where the property has to stay.
  virtual bool may(StateId from, EventId event) const {
    return kept_.holds(categories(after(from, event)));
  }
  // `state` is used once more, once less.
  void retain(StateId state) const {
    if (!is_table_) retain_lazy(state);
  }
  void release(StateId state) const {
    if (!is_table_) release_lazy(state);
  }
  // The rewriting took more steps than the specification allows, which did not say what that means.
  virtual bool overran(StateId) const { return false; }
  // No further event changes a category: whoever is in this state need not be told of any.
  bool settled(StateId state) const { return is_table_ && settled_[state]; }

 protected:
  explicit Property(const Word* program);

 private:
  virtual StateId start_lazy() const { return 0; }
  virtual StateId after_lazy(StateId from, EventId) const { return from; }
  virtual Categories categories_lazy(StateId) const { return 0; }
  virtual void retain_lazy(StateId) const {}
  virtual void release_lazy(StateId) const {}

  bool is_table_;
  std::size_t events_;
  Kept kept_;
  TableView table_;
  std::unique_ptr<bool[]> settled_;
};

// One monitor: a property and the state that it is in. Whoever shares one between threads has a
// lock for it. Copies are independent, and cheap.
class MonitorState {
 public:
  explicit MonitorState(const Property& property)
      : property_(&property), state_(property.start()) {}
  ~MonitorState() { property_->release(state_); }
  MonitorState(const MonitorState& other) : property_(other.property_), state_(other.state_) {
    property_->retain(state_);
  }
  MonitorState& operator=(const MonitorState& other) {
    if (this == &other) return *this;
    other.property_->retain(other.state_);
    property_->release(state_);
    property_ = other.property_;
    state_ = other.state_;
    return *this;
  }

  MonitorState clone() const { return *this; }
  void step(EventId event) {
    const StateId next = property_->after(state_, event);
    property_->release(state_);
    state_ = next;
  }
  bool may_step(EventId event) const { return property_->may(state_, event); }
  Categories categories() const { return property_->categories(state_); }
  bool settled() const { return property_->settled(state_); }
  bool overran() const { return property_->overran(state_); }
  void reset() { *this = MonitorState(*property_); }
  const Property& property() const { return *property_; }
  StateId state() const { return state_; }

 private:
  const Property* property_;
  StateId state_;
};

}  // namespace raddle::logics
