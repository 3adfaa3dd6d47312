// Test helper: an execution with shared accesses only, and executions in which some are repeated.
#pragma once

#include <map>
#include <random>

#include "host/analysis/sharing/shared_accesses.hpp"
#include "host/analysis/testing/trace_builder.hpp"

namespace raddle {

// Asks as thin_trace() does.
inline TestTrace shared_part(const TestTrace& whole) {
  SharingSurvey survey;
  whole.feed(survey);
  SharedAccesses filter(survey.owners());
  TestTrace part = whole;
  part.events.clear();
  TestTrace definitions = whole;
  definitions.events.clear();
  definitions.feed(filter);
  for (const Event& event : whole.events) {
    filter.events({&event, 1});
    if (filter.take()->keeps) part.events.push_back(event);
  }
  return part;
}

// Threads make some of their accesses again, at once or after another one, and a step is what a
// thread does without a switch.
inline TestTrace with_repetitions(TestTrace trace, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Event> events;
  std::uint64_t step = 0;
  for (const Event& event : trace.events) {
    const bool switches = !events.empty() && events.back().thread != event.thread;
    if (switches || !is_access(event.kind)) ++step;
    events.push_back(event);
    events.back().step = step;
    for (std::size_t back = 1; back <= 2 && back <= events.size(); ++back) {
      const Event again = events[events.size() - back];
      if (is_access(again.kind) && again.step == step && random() % 3 == 0) events.push_back(again);
    }
  }
  trace.events = std::move(events);
  return trace;
}

// Blocks begin and end at words, and who frees one knows how long it is, as allocators make it.
inline TestTrace with_whole_words(TestTrace trace) {
  std::map<std::uint64_t, std::uint64_t> blocks;
  for (Event& event : trace.events) {
    if (event.kind != EventKind::allocate && event.kind != EventKind::free) continue;
    event.object &= ~std::uint64_t{7};
    event.value = (event.value + 7) / 8 * 8;
    if (event.kind == EventKind::allocate) {
      blocks[event.object] = event.value;
    } else if (const auto block = blocks.find(event.object); block != blocks.end()) {
      event.value = block->second;
      blocks.erase(block);
    }
  }
  return trace;
}

}  // namespace raddle
