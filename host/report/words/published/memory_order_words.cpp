#include "host/report/words/published/memory_order_words.hpp"

namespace raddle {

const char* order_text(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::kRelaxed:
      return "relaxed";
    case MemoryOrder::kConsume:
      return "consume";
    case MemoryOrder::kAcquire:
      return "acquire";
    case MemoryOrder::kRelease:
      return "release";
    case MemoryOrder::kAcqRel:
      return "acq_rel";
    case MemoryOrder::kSeqCst:
      return "seq_cst";
    case MemoryOrder::kBarrier:
      return "full barrier";
  }
  return "unknown order";
}

}  // namespace raddle
