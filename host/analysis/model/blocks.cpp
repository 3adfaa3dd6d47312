#include "host/analysis/model/blocks.hpp"

#include <utility>

#include "protocol/semaphore_flags.hpp"

namespace raddle {

std::vector<Blocks::Open>& Blocks::open(const Event& event) {
  const ThreadIndex thread = state_.index(event.thread);
  if (thread >= open_.size()) {
    open_.resize(thread + std::size_t{1});
    entries_.resize(thread + std::size_t{1});
  }
  return open_[thread];
}

// Where the thread is in its entry function. Returns a region that turns out to span it.
std::optional<AtomicBlock> Blocks::follow_entry(const Event& event) {
  std::vector<Open>& blocks = open(event);
  Entry& entry = entries_[state_.index(event.thread)];
  const std::uint32_t depth = state_.program_depth(state_.stack(event.thread));
  const bool marker = event.kind == EventKind::block_enter || event.kind == EventKind::block_exit ||
                      event.kind == EventKind::unit_enter || event.kind == EventKind::unit_exit ||
                      event.kind == EventKind::local || event.kind == EventKind::none;
  if (event.kind == EventKind::enter && depth == 1 && !state_.in_library(event.site)) {
    begin_entry(event, entry, blocks);
    return std::nullopt;
  }
  if (event.kind == EventKind::exit && depth == 0) {
    if (!entry.inlined && entry.spans) entry.spanned = entry.spans;
    entry.spans.reset();
    entry.nothing_yet = false;
    // What the C library calls in the first thread is never inlined: main, and what comes before
    // and after it.
    return event.thread == kMainThread ? std::exchange(entry.spanned, std::nullopt) : std::nullopt;
  }
  if (event.kind == EventKind::thread_end) {
    const std::optional<AtomicBlock> spans = entry.spans ? entry.spans : entry.spanned;
    entry = {};
    return spans;
  }
  // Functions of the library, such as those of a std::lock_guard, are nothing by themselves.
  const bool call = event.kind == EventKind::enter || event.kind == EventKind::exit;
  if (marker || (call && depth == 1)) return std::nullopt;
  entry.spans.reset();
  if (event.kind == EventKind::release && state_.outermost()) {
    for (const Open& block : blocks)
      if (block.source == Source::kLock && block.key == event.object && block.first)
        entry.spans = block.block;
  }
  if (event.kind != EventKind::acquire) entry.nothing_yet = false;
  return std::nullopt;
}

void Blocks::begin_entry(const Event& event, Entry& entry, std::vector<Open>& blocks) {
  const bool main = event.thread == kMainThread;
  // The thread's arguments may be destroyed after its entry function.
  const std::vector<SiteFrame>& frames = state_.site(event.site).frames;
  const bool destructor = !frames.empty() && frames.front().function.find('~') != std::string::npos;
  if (entry.entered && !main && !destructor) {
    entry.inlined = true;
    entry.spanned.reset();
  }
  entry.entered = true;
  if (entry.inlined) return;
  // What was taken before it is no block.
  for (std::size_t at = blocks.size(); at-- > 0;)
    if (blocks[at].source == Source::kLock) close(blocks, at, Change::What::kAbandon);
  entry.nothing_yet = !destructor;
}

void Blocks::close(std::vector<Open>& open, std::size_t at, Change::What what) {
  changes_.push_back({what, open[at].block});
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
}

void Blocks::end_innermost(const Event& event, Source source, std::uint64_t key,
                           Change::What what) {
  std::vector<Open>& blocks = open(event);
  for (std::size_t at = blocks.size(); at-- > 0;) {
    if (blocks[at].source != source || blocks[at].key != key) continue;
    close(blocks, at, what);
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
  block.block.function = state_.innermost(state_.stack(event.thread));
  if (source == Source::kLock) {
    Entry& entry = entries_[state_.index(event.thread)];
    block.first = std::exchange(entry.nothing_yet, false) &&
                  state_.program_depth(state_.stack(event.thread)) == 1;
  }
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
  if (const std::optional<AtomicBlock> spans = follow_entry(event))
    changes_.push_back({Change::What::kAbandon, *spans});
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
      if (state_.outermost())
        end_innermost(event, Source::kLock, event.object,
                      (event.flags & kGivenUp) != 0 ? Change::What::kAbandon : Change::What::kEnd);
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
