// Many questions about the same histories, one after the other: where threads can meet, and in
// which orders events can come. The formula is made once, and what the solver has learned for one
// question it knows for the next.
//
// The answers depend on the questions before, so ask the same ones in the same order. Not
// thread-safe; different conversations do not share anything.
#pragma once

#include <memory>
#include <vector>

#include "host/causal/question.hpp"

namespace raddle::causal {

// How much an answer about events in some order promises.
enum class Trust : std::uint8_t {
  kProved,  // every thread sees what it saw, up to the last of the events that it is to execute
  kTried,   // from its first of the events on a thread may read something else, and is taken to go
            // on as before
};

class Conversation {
 public:
  // The histories outlive it, and do not change.
  Conversation(const Histories& histories, const Rules& rules);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Can the threads stand at these nodes at the same time, one node a thread? The schedule ends
  // when they do.
  Answer meeting(const std::vector<NodeId>& at);

  // Can these known events be executed in this order, others before and between? The schedule ends
  // with the last one. The last of each thread may see something else than it saw; with kProved its
  // thread stops there.
  Answer order(const std::vector<NodeId>& events, Trust trust);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace raddle::causal
