// Programs on paper with locks and atomic blocks, for the tests of the strategies that confirm. Not
// part of the library.
#pragma once

#include <map>
#include <vector>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {

struct PaperStep {
  Pending pending;
  int block = 0;  // before this operation is announced: 1 enters an atomic block, -1 leaves one
};

// Parses the body of one thread, such as "L1 U1 L2 U2 ( L1 U1 L1 U1 )". L and U take and release a
// lock, S takes it for reading (exclusively, since no test depends on shared reading), R and W are
// accesses, parentheses enclose an atomic block. The number is the object. The site is 10,000 times
// the thread plus 100 times the object, plus 1 for a write, 2 for a lock, 3 for an unlock.
inline std::vector<PaperStep> paper(int thread, const std::string& text) {
  std::vector<PaperStep> steps;
  int block = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') block = 1;
    if (text[i] == ')') block = -1;
    if (std::strchr("LSURW", text[i]) == nullptr) continue;
    const char kind = text[i];
    const auto object = static_cast<std::uint32_t>(std::stoul(text.substr(i + 1)));
    const OpKind op = kind == 'L'   ? OpKind::mutex_lock
                      : kind == 'S' ? OpKind::rwlock_read
                      : kind == 'U' ? OpKind::mutex_unlock
                      : kind == 'R' ? OpKind::memory_read
                                    : OpKind::memory_write;
    Pending pending = operation(thread, op, object);
    pending.site = static_cast<std::uint64_t>(thread) * 10'000 + object * 100 +
                   (kind == 'W'   ? 1
                    : kind == 'L' ? 2
                    : kind == 'S' ? 2
                    : kind == 'U' ? 3
                                  : 0);
    steps.push_back({pending, block});
    block = 0;
  }
  return steps;
}

struct PaperRun {
  std::string order;  // "1L1 2L1 ...": thread, kind, object
  bool deadlock = false;
};

inline PaperRun run_paper(Strategy& strategy, const std::vector<std::string>& texts,
                          Realised& realised, const std::vector<AimSite>& aims = {}) {
  std::vector<std::vector<PaperStep>> threads;
  threads.reserve(texts.size());
  for (std::size_t t = 0; t < texts.size(); ++t)
    threads.push_back(paper(static_cast<int>(t), texts[t]));
  strategy.brief(aims, realised);
  std::vector<std::size_t> done(threads.size(), 0);
  std::vector<bool> announced(threads.size(), false);
  std::map<std::uint32_t, int> owner;
  for (std::size_t t = 1; t < threads.size(); ++t) strategy.on_create(static_cast<ThreadId>(t));
  PaperRun result;
  ThreadId current = kMainThread;
  for (std::uint64_t step = 0;; ++step) {
    std::vector<const Pending*> enabled;
    bool unfinished = false;
    for (std::size_t t = 0; t < threads.size(); ++t) {
      if (done[t] == threads[t].size()) continue;
      unfinished = true;
      const PaperStep& next = threads[t][done[t]];
      if (!announced[t] && next.block != 0)
        strategy.on_block(static_cast<ThreadId>(t), next.block > 0);
      announced[t] = true;
      const auto holder = owner.find(raw(next.pending.object));
      const bool takes =
          next.pending.op == OpKind::mutex_lock || next.pending.op == OpKind::rwlock_read;
      if (takes && holder != owner.end()) continue;
      enabled.push_back(&next.pending);
    }
    if (enabled.empty()) {
      result.deadlock = unfinished;
      return result;
    }
    const Pending& chosen = *enabled.at(strategy.choose({enabled, current, step}));
    current = chosen.thread;
    const std::size_t t = raw(current);
    const char kind = chosen.op == OpKind::mutex_lock     ? 'L'
                      : chosen.op == OpKind::rwlock_read  ? 'S'
                      : chosen.op == OpKind::mutex_unlock ? 'U'
                      : chosen.op == OpKind::memory_read  ? 'R'
                                                          : 'W';
    const bool takes = kind == 'L' || kind == 'S';
    if (takes) owner[raw(chosen.object)] = static_cast<int>(t);
    if (kind == 'U') owner.erase(raw(chosen.object));
    if (takes || kind == 'U') strategy.on_lock(current, chosen.object, takes);
    result.order += std::to_string(t) + kind + std::to_string(raw(chosen.object)) + " ";
    ++done[t];
    announced[t] = false;
  }
}

}  // namespace raddle
