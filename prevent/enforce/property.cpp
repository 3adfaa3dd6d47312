#include "prevent/enforce/property.hpp"

#include <pthread.h>

#include <mutex>
#include <thread>

#include "prevent/monitor/control.hpp"
#include "prevent/monitor/watch.hpp"

namespace raddle::enforce {
namespace {

using monitor::Answer;
using monitor::Event;
using monitor::Gate;
using monitor::Thread;

constexpr unsigned kShards = 16;

// The calling thread runs code of a specification: what it calls there has no events.
thread_local bool t_inside = false;
// What it passed last, for reports: the gate sees only events that may have to wait.
thread_local const char* t_passed = nullptr;
struct Inside {
  Inside() { t_inside = true; }
  ~Inside() { t_inside = before_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  bool before_ = t_inside;
};

std::vector<ParametricEvent> events_of(const Specification& specification) {
  std::vector<ParametricEvent> out;
  bool creates = false;
  for (unsigned i = 0; i < specification.event_count; ++i) {
    out.push_back({specification.events[i].parameters, specification.events[i].creation});
    creates = creates || specification.events[i].creation;
  }
  if (creates) return out;
  for (ParametricEvent& event : out) event.creation = true;
  return out;
}

// Whether each event has an object of the one parameter, and so concerns monitors of one shard.
bool splits(const Specification& specification) {
  if (specification.parameter_count != 1) return false;
  for (unsigned i = 0; i < specification.event_count; ++i)
    if (specification.events[i].parameters != 1) return false;
  return true;
}

}  // namespace

Property::Property(const Specification& specification)
    : specification_(specification),
      logic_(logics::Property::load(specification.program)),
      domains_(find_domains(events_of(specification), specification.parameter_count)),
      thread_shards_(
          [this] { return std::make_unique<Shard>(specification_, *logic_, domains_); }) {
  shards_ = make_shards();
  for (unsigned i = 0; i < specification.event_count; ++i) {
    titles_.push_back(std::string(specification.name) + "." + specification.events[i].name);
    waits_for_blocked_ = waits_for_blocked_ || specification.events[i].blocked != nullptr;
  }
}

Property::Shards Property::make_shards() const {
  Shards out;
  for (unsigned i = splits(specification_) ? kShards : 1; i > 0; --i)
    out.push_back(std::make_unique<Shard>(specification_, *logic_, domains_));
  return out;
}

Shard& Property::shard_of(const void* const* objects, unsigned long execution) {
  if (execution != 0 && execution != execution_) begin_execution(execution);
  const Shards& shards = execution == 0 ? shards_ : controlled_;
  if (shards.size() == 1) return *shards[0];
  const auto object = reinterpret_cast<std::uintptr_t>(objects[0]);
  return *shards[(object * 0x9E3779B97F4A7C15U) >> 60U];
}

bool Property::happens(Arrival arrival, const void* site) {
  if (t_inside) return false;
  const unsigned long execution = monitor::execution_under_control();
  if (specification_.perthread) return happens_in_thread(arrival, execution);
  Shard& shard = shard_of(arrival.objects, execution);
  if (specification_.unsynchronized) {
    const Inside inside;
    shard.commit(arrival);
    return arrival.skip;
  }
  const bool direct = !waits_for_blocked_ && (execution == 0 || !specification_.enforced);
  {
    const std::lock_guard<logics::Lock> guard(shard.lock());
    const Inside inside;
    if (direct && !specification_.enforced) {
      shard.commit(arrival);
      t_passed = titles_[arrival.event].c_str();
      return arrival.skip;
    }
    if (direct && shard.slow == 0 && shard.commit_if_it_may(arrival)) {
      t_passed = titles_[arrival.event].c_str();
      return arrival.skip;
    }
    ++shard.slow;
  }
  if (execution == 0) must_not_be_alone(shard, arrival);
  pass_gate(shard, arrival, site);
  return arrival.skip;
}

bool Property::happens_in_thread(Arrival& arrival, unsigned long execution) {
  Shard* shard = thread_shards_.own(execution);
  if (shard == nullptr) return false;
  const std::lock_guard<logics::Lock> guard(shard->lock());
  const Inside inside;
  shard->commit(arrival);
  return arrival.skip;
}

void Property::pass_gate(Shard& shard, Arrival& arrival, const void* site) {
  Pending pending{this, &shard, &arrival};
  Gate& gate = Gate::get();
  if (waits_for_blocked_) gate.adopt_name();
  gate.pass(*this, titles_[arrival.event].c_str(), t_passed, &pending, site);
  t_passed = titles_[arrival.event].c_str();
}

void Property::begin_execution(unsigned long execution) {
  execution_ = execution;
  controlled_ = make_shards();
  for (std::size_t i = 0; i < shards_.size(); ++i)
    controlled_[i]->monitors().adopt(shards_[i]->monitors());
}

void Property::must_not_be_alone(Shard& shard, Arrival& arrival) {
  {
    const std::lock_guard<logics::Lock> guard(shard.lock());
    const Inside inside;
    if (shard.slow > 1 || shard.may(arrival)) return;
  }
  if (!monitor::alone()) return;
  report("cannot be enforced: `" + std::string(specification_.events[arrival.event].name) + "`" +
             (arrival.location == nullptr ? "" : std::string(" at ") + arrival.location) +
             " would violate it, and no other thread is there to change that",
         true);
}

void Property::destroyed(unsigned parameter, const void* object) {
  if (t_inside) return;
  if (specification_.perthread) return thread_shards_.destroyed(parameter, object);
  bool waited_for = false;
  {
    Shard& shard = shard_of(&object, monitor::execution_under_control());
    const std::lock_guard<logics::Lock> guard(shard.lock());
    shard.monitors().destroyed(parameter, object);
    waited_for = shard.slow > 0;
  }
  if (waited_for) Gate::get().changed();
}

std::size_t Property::monitors() {
  std::size_t out = 0;
  for (const std::unique_ptr<Shard>& shard : shards_) {
    const std::lock_guard<logics::Lock> guard(shard->lock());
    out += shard->monitors().count();
  }
  return out;
}

bool Property::concerns(const Event& event) const {
  const auto* pending = static_cast<const Pending*>(event.thread.detail);
  return pending != nullptr && pending->property == this;
}

bool Property::is_blocked(const char* name) const {
  Gate& gate = Gate::get();
  for (const std::shared_ptr<Thread>& thread : gate.threads())
    if (!thread->ended && thread->title() == name && gate.blocked(thread->number)) return true;
  return false;
}

Answer Property::ask(const Event& event) {
  const Pending& pending = *static_cast<const Pending*>(event.thread.detail);
  const char* thread = nullptr;
  {
    const std::lock_guard<logics::Lock> guard(pending.shard->lock());
    const Inside inside;
    if (specification_.enforced && !pending.shard->may(*pending.arrival)) return Answer::wait;
    thread = pending.shard->blocked(*pending.arrival);
  }
  return thread == nullptr || is_blocked(thread) ? Answer::go : Answer::poll;
}

bool Property::asks(const Event& event) const {
  if (!concerns(event)) return false;
  const Pending& pending = *static_cast<const Pending*>(event.thread.detail);
  return specification_.events[pending.arrival->event].blocked != nullptr;
}

void Property::commit(const Event& event) {
  const Pending& pending = *static_cast<const Pending*>(event.thread.detail);
  const std::lock_guard<logics::Lock> guard(pending.shard->lock());
  const Inside inside;
  pending.shard->commit(*pending.arrival);
  --pending.shard->slow;
}

std::string Property::title() const {
  return std::string("property ") + specification_.name + " (" + specification_.file + ":" +
         std::to_string(specification_.line) + ")";
}

std::string Property::waits_for(const Event& event) const {
  const Pending& pending = *static_cast<const Pending*>(event.thread.detail);
  return std::string("property ") + specification_.name + ": event " +
         specification_.events[pending.arrival->event].name;
}

std::string Property::reason(const Event& event) {
  const Pending& pending = *static_cast<const Pending*>(event.thread.detail);
  const std::string where = pending.arrival->location == nullptr
                                ? ""
                                : std::string(" (") + pending.arrival->location + ")";
  switch (ask(event)) {
    case Answer::wait:
      return std::string("would violate ") + specification_.name + where;
    case Answer::poll:
      return "waits for a thread to be blocked" + where;
    case Answer::go:
    case Answer::gave_up:
      break;
  }
  return "";
}

void Property::give_up(const std::string& why) { report(why, false); }

void Property::report(const std::string& text, bool ends) {
  if (specification_.deadlock == nullptr) end_program(specification_, text.c_str());
  // Not on this thread: it may hold the gate's lock, and the handler may take its time.
  std::thread handler([text, this] {
    monitor::keep_out_of_executions();
    try {
      specification_.deadlock(text.c_str());
    } catch (...) {
      end_program(specification_, "its @deadlock handler threw an exception");
    }
  });
  if (!ends) return handler.detach();
  handler.join();
  end_program(specification_, text.c_str());
}

// raddle/enforce.hpp

Property* begin(const Specification& specification) { return new Property(specification); }

bool happens(Property* property, unsigned event, const void* const* objects, void* context,
             const char* location) {
  return property->happens({EventId(event), objects, context, location},
                           __builtin_return_address(0));
}

void destroyed(Property* property, unsigned parameter, const void* object) {
  property->destroyed(parameter, object);
}

}  // namespace raddle::enforce
