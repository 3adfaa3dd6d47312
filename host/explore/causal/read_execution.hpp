// An execution that outlives the executor's next one: the search reads earlier executions again
// when it learns what memory threads share.
#pragma once

#include <algorithm>
#include <vector>

#include "host/explore/executor.hpp"

namespace raddle {

class ReadExecution {
 public:
  explicit ReadExecution(const Explored& e)
      : log_(e.log.begin(), e.log.end()),
        pending_(e.pending.begin(), e.pending.end()),
        first_(e.first.begin(), e.first.end()),
        values_(e.values.begin(), e.values.end()),
        bytes_(e.bytes.begin(), e.bytes.end()),
        objects_(e.objects.begin(), e.objects.begin() + static_cast<std::ptrdiff_t>(named(e))),
        facts_(e) {}

  // Valid as long as this is, and stays where it is.
  Explored view() const {
    Explored e = facts_;
    e.log = log_;
    e.pending = pending_;
    e.first = first_;
    e.values = values_;
    e.bytes = bytes_;
    e.objects = objects_;
    e.stack_of = {};
    e.stacks = {};
    e.marks = {};
    e.group = {};
    return e;
  }

 private:
  // How many of the objects pending operations may name.
  static std::size_t named(const Explored& e) {
    std::uint64_t last = 0;
    for (const Pending& p : e.pending) {
      last = std::max<std::uint64_t>(last, raw(p.object));
      if (p.op == OpKind::cond_wait) last = std::max(last, p.extra);
    }
    return std::min<std::size_t>(last + 1, e.objects.size());
  }

  std::vector<StepRecord> log_;
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> first_;
  std::vector<StepValue> values_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint64_t> objects_;
  Explored facts_;
};

}  // namespace raddle
