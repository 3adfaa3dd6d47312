// What the detectors of races share: an execution as accesses to memory with the order that is
// known at each of them (happens_before.hpp), and the ends and beginnings of memory's lives.
#pragma once

#include "host/analysis/model/detector.hpp"
#include "host/analysis/model/execution_state.hpp"
#include "host/analysis/model/happens_before.hpp"
#include "host/analysis/race/own_blocks.hpp"
#include "host/analysis/race/virtual_tables.hpp"

namespace raddle {

class OrderedAccesses : public Detector {
 public:
  void on_event(const Event& event) final;
  bool wants_blocks() const final { return false; }
  EventKinds ignores() const final { return kScopes | kinds_of({EventKind::decision}); }

 protected:
  explicit OrderedAccesses(ExecutionState& state)
      : state_(state), order_(state), own_blocks_(state) {}

  // An atomic operation that stores counts as a write, whether it also reads or not.
  struct Manner {
    bool writes = false;
    bool is_volatile = false;  // model/volatile_access.hpp: its edges are those of an atomic one
  };
  // The order is that of an atomic operation that has acquired and not yet released.
  virtual void access(const Event& event, Manner manner) = 0;
  // To free a block that code with hooks allocated and frees counts as a write of it; instead of
  // renew().
  virtual void free_own(const Event& event) = 0;
  // Code with hooks frees a block that was allocated before the trace begins, by whom is not known.
  virtual void free_early(const Event& event) { renew(event); }
  // What was known of the memory is of something else from now on.
  virtual void renew(const Event& event) = 0;

  ExecutionState& state_;
  HappensBefore order_;

 private:
  OwnBlocks own_blocks_;
  VirtualTables virtual_tables_;
};

}  // namespace raddle
