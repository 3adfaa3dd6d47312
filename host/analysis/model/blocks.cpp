#include "host/analysis/model/blocks.hpp"

namespace raddle {

std::vector<Blocks::Open>& Blocks::open(const Event& event) {
  const ThreadIndex thread = state_.index(event.thread);
  if (thread >= open_.size()) open_.resize(thread + std::size_t{1});
  return open_[thread];
}

void Blocks::close(std::vector<Open>& open, std::size_t at, Change::What what) {
  changes_.push_back({what, open[at].block});
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
}

void Blocks::end_innermost(const Event& event, Source source, std::uint64_t key) {
  std::vector<Open>& blocks = open(event);
  for (std::size_t at = blocks.size(); at-- > 0;) {
    if (blocks[at].source != source || blocks[at].key != key) continue;
    close(blocks, at, Change::What::kEnd);
    return;
  }
}

void Blocks::begin(const Event& event, Source source, std::uint64_t key) {
  std::vector<Open>& blocks = open(event);
  Open block;
  block.source = source;
  block.key = key;
  block.begin = state_.events();
  block.block.thread = event.thread;
  block.block.number = number_++;
  block.block.depth = static_cast<std::uint32_t>(blocks.size());
  block.block.entered = event;
  blocks.push_back(block);
  changes_.push_back({Change::What::kBegin, block.block});
}

void Blocks::abandon(const Event& wait) {
  const std::uint64_t lock = wait.value;
  const std::uint64_t since = state_.held_since(wait.thread, lock);
  if (since == 0) return;
  std::vector<Open>& blocks = open(wait);
  for (std::size_t at = blocks.size(); at-- > 0;) {
    const Open& block = blocks[at];
    const bool own_lock = block.source == Source::kLock && block.key == lock;
    const bool own_function =
        (block.source == Source::kFunction || block.source == Source::kUnit) && since > block.begin;
    if (own_lock || own_function) close(blocks, at, Change::What::kAbandon);
  }
}

const std::vector<Blocks::Change>& Blocks::before(const Event& event) {
  changes_.clear();
  switch (event.kind) {
    case EventKind::block_exit:
      end_innermost(event, Source::kAnnotated, 0);
      break;
    case EventKind::unit_exit:
      end_innermost(event, Source::kUnit, 0);
      break;
    case EventKind::exit: {
      const std::uint64_t left = state_.depth(state_.stack(event.thread)) + std::uint64_t{1};
      end_innermost(event, Source::kFunction, left);
      end_innermost(event, Source::kAtomicFunction, left);
      break;
    }
    case EventKind::release:
      if (state_.outermost()) end_innermost(event, Source::kLock, event.object);
      break;
    case EventKind::wait:
      abandon(event);
      break;
    case EventKind::thread_end: {
      std::vector<Open>& blocks = open(event);
      while (!blocks.empty()) close(blocks, blocks.size() - 1, Change::What::kEnd);
      break;
    }
    case EventKind::none:
    case EventKind::decision:
    case EventKind::thread_begin:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare:
    case EventKind::fence:
    case EventKind::enter:
    case EventKind::block_enter:
    case EventKind::unit_enter:
    case EventKind::allocate:
    case EventKind::free:
    case EventKind::local:
    case EventKind::user:
    case EventKind::destroy:
      break;
  }
  return changes_;
}

const std::vector<Blocks::Change>& Blocks::after(const Event& event) {
  changes_.clear();
  if (event.kind == EventKind::acquire) {
    // The lock's reacquisition by a wait continues what the wait gave up: no new block.
    if (sources_.locks && state_.outermost() && (event.flags & kByWait) == 0)
      begin(event, Source::kLock, event.object);
  } else if (event.kind == EventKind::block_enter) {
    if (sources_.annotated) begin(event, Source::kAnnotated, 0);
  } else if (event.kind == EventKind::unit_enter) {
    if (sources_.functions) begin(event, Source::kUnit, 0);
  } else if (event.kind == EventKind::enter) {
    const StackId stack = state_.stack(event.thread);
    const std::uint8_t flags = state_.site(event.site).flags;
    if (sources_.annotated && (flags & kSiteAtomic) != 0)
      begin(event, Source::kAtomicFunction, state_.depth(stack));
    else if (sources_.functions && (flags & kSiteUnit) != 0 && state_.program_depth(stack) > 1)
      begin(event, Source::kFunction, state_.depth(stack));
  }
  return changes_;
}

}  // namespace raddle
