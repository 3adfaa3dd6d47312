// What threads see in executions, for comparisons of explorers: every history of every thread. From
// the log and the values alone. Not part of the library.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>

#include "host/explore/executor.hpp"

namespace raddle::paper {

// What threads can see: every history of every thread, up to each of its events.
struct Seen {
  std::set<std::string> histories;
  std::set<std::string> failures;
};

inline void add_histories(const Explored& e, Seen& seen) {
  std::map<std::uint16_t, std::string> of;
  for (std::size_t i = 0; i < e.log.size(); ++i) {
    if (e.log[i].op == OpKind::value_choice) continue;
    const std::uint16_t t = raw(e.log[i].thread);
    std::string& text = of[t];
    text += fmt::format("{}:", e.log[i].site);
    const OpKind op = e.log[i].op;
    // A store that is tried again sees nothing.
    const auto stores_again = [&] {
      for (const Pending& p : e.enabled(i)) {
        if (p.thread == e.log[i].thread) return may_write(p);
      }
      return false;
    };
    const bool looks = op == OpKind::atomic_load || op == OpKind::atomic_update ||
                       (op == OpKind::atomic_again && !stores_again()) ||
                       op == OpKind::mutex_trylock;
    for (std::uint32_t b = 0; looks && b < e.values[i].size; ++b)
      text += fmt::format("{:02x}", e.bytes[e.values[i].offset + b]);
    seen.histories.insert(fmt::format("{} {}", t, text));
  }
  if (e.failing) seen.failures.insert(std::string(e.group));
}

inline std::string missing(const std::set<std::string>& there,
                           const std::set<std::string>& wanted) {
  std::string text;
  for (const std::string& item : wanted) {
    if (!there.contains(item)) text += "\n  " + item;
  }
  return text;
}

}  // namespace raddle::paper
