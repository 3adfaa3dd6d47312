// Which memory several threads touch. What one thread alone touches follows from its own history,
// whoever else writes to it unseen (a library function that fills a buffer, the kernel): nobody can
// see it. So it is no part of the causal model, and that keeps questions small, too.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "host/causal/event.hpp"

namespace raddle {

class Sharing {
 public:
  // The thread touches these bytes in some execution, or is about to. True: something that one
  // thread had for itself is shared now, so what was learned from earlier executions changes.
  bool touch(std::uint64_t address, std::uint32_t size, causal::ThreadIndex thread);

  // Several threads touch some of the bytes.
  bool is_shared(std::uint64_t address, std::uint32_t size) const;

 private:
  static constexpr causal::ThreadIndex kSeveral = ~causal::ThreadIndex{0};
  std::unordered_map<std::uint64_t, causal::ThreadIndex> owners_;  // by byte
};

}  // namespace raddle
