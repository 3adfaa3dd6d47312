// Keeping track. How names are put into words is in object_names_text.cpp.
#include "host/trace/object_names.hpp"

#include <algorithm>
#include <limits>

namespace raddle {

namespace {

constexpr std::size_t kKeptFunctions = 1 << 16;  // of a thread's stack
constexpr std::size_t kKeptLocals = 1 << 20;     // of a thread
constexpr std::size_t kMostMembers = 1 << 12;    // of a class

std::uint64_t end_of(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address;
  // A block of no bytes still has an address that nothing else has.
  return address + std::min(std::max<std::uint64_t>(bytes, 1), room);
}

std::size_t filter_bit(std::uint64_t address) {
  return static_cast<std::size_t>((address >> 3) * 0x9e3779b97f4a7c15ULL >> 48);
}

}  // namespace

ObjectNames::ObjectNames(std::size_t most_blocks)
    : blocks_(most_blocks, [this](const Block& block) { forget(block); }) {}

ObjectNames::Thread& ObjectNames::thread(ThreadId id) {
  if (raw(id) >= threads_.size()) threads_.resize(raw(id) + std::size_t{1});
  return threads_[raw(id)];
}

ObjectNames::Class& ObjectNames::class_at(std::uint32_t cls) {
  if (cls >= classes_.size()) classes_.resize(cls + std::size_t{1});
  return classes_[cls];
}

void ObjectNames::note_member(std::uint32_t cls, std::uint32_t offset, const std::string& name,
                              std::uint32_t size) {
  std::map<std::uint32_t, Member>& members = class_at(cls).members;
  if (members.size() < kMostMembers) members.try_emplace(offset, Member{name, size});
}

void ObjectNames::define_site(SiteId id, const Site& site) {
  sites_.define(id, site);
  const SiteName& name = sites_[id];
  if (name.cls == 0) return;
  const bool says_size = name.kind == EventKind::enter || name.kind == EventKind::allocate ||
                         name.kind == EventKind::local;
  if (says_size && name.offset != 0) class_at(name.cls).size = name.offset;
  if (name.has_member() && name.offset != kUnknownOffset) {
    note_member(name.cls, name.offset, name.field, name.size);
  }
}

void ObjectNames::define_image(const LoadedObject& image) {
  std::erase_if(images_, [&](const LoadedObject& other) {
    return other.low < image.high && image.low < other.high;
  });
  images_.push_back(image);
}

void ObjectNames::define_thread(ThreadId id, const std::string& name) { thread(id).name = name; }

void ObjectNames::define_object(std::uint64_t address, std::uint64_t bytes,
                                const std::string& name) {
  if (address == std::numeric_limits<std::uint64_t>::max()) return;
  Block block;
  block.begin = address;
  block.end = end_of(address, bytes);
  block.text = texts_.index(name);
  watch(blocks_.insert(block));
}

void ObjectNames::define_member(const std::string& cls, std::uint32_t offset,
                                const std::string& member) {
  if (cls.empty()) return;
  std::map<std::uint32_t, std::string>& data = class_at(sites_.classes().index(cls)).data;
  if (data.size() < kMostMembers) data.try_emplace(offset, member);
}

void ObjectNames::events(std::span<const Event> events) {
  for (const Event& next : events) event(next);
}

void ObjectNames::event(const Event& event) {
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::read_range:
    case EventKind::write_range:
    case EventKind::atomic_load:
    case EventKind::atomic_store:
    case EventKind::atomic_update:
    case EventKind::atomic_compare: {
      if (unknown_.empty()) return;
      const SiteName& site = sites_[event.site];
      if (site.cls != 0 && (site.flags & (kSiteStatic | kSiteLocal)) == 0 &&
          site.offset != kUnknownOffset) {
        learn(event.object - site.offset, site.cls);
      }
      return;
    }
    case EventKind::enter:
      return enter(event);
    case EventKind::exit:
      return leave(event);
    case EventKind::allocate:
      return allocate(event);
    case EventKind::free:
      return release(event);
    case EventKind::local:
      return local(event);
    case EventKind::thread_begin: {
      const SiteName& site = sites_[event.site];
      Thread& begun = thread(event.thread);
      begun.routine = event.object;
      if (site.in_program) begun.function = texts_.index(site.function);
      return;
    }
    case EventKind::thread_end: {
      kill_locals(event.thread, 0);
      thread(event.thread).functions.clear();
      thread(event.thread).depth = 0;
      return;
    }
    case EventKind::none:
    case EventKind::decision:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::wait:
    case EventKind::wake:
    case EventKind::notify:
    case EventKind::signal:
    case EventKind::await:
    case EventKind::fence:
    case EventKind::block_enter:
    case EventKind::block_exit:
    case EventKind::unit_enter:
    case EventKind::unit_exit:
    case EventKind::user:
    case EventKind::destroy:
      return;
  }
}

void ObjectNames::enter(const Event& event) {
  Thread& of = thread(event.thread);
  const SiteName& site = sites_[event.site];
  if (of.function == 0 && site.in_program) of.function = texts_.index(site.function);
  if (of.functions.size() < kKeptFunctions) of.functions.push_back(event.site);
  ++of.depth;
  if (site.cls != 0 && event.object != 0) learn(event.object, site.cls);
}

void ObjectNames::leave(const Event& event) {
  Thread& of = thread(event.thread);
  if (of.depth == 0) return;  // entered before the recording began
  if (!of.frames.empty() && of.frames.back() >= of.depth) kill_locals(event.thread, of.depth);
  --of.depth;
  if (of.functions.size() > of.depth) of.functions.pop_back();
}

// Those of functions at this depth and deeper.
void ObjectNames::kill_locals(ThreadId id, std::uint64_t depth) {
  Thread& of = thread(id);
  while (!of.frames.empty() && of.frames.back() >= depth) {
    Block* block = blocks_.starting_at(of.locals.back(), Block::Kind::kLocal);
    // Another thread may have got the memory since.
    if (block != nullptr && block->thread == id && block->frame == of.frames.back()) {
      blocks_.erase(block);
    }
    of.frames.pop_back();
    of.locals.pop_back();
  }
}

// The library allocates on behalf of the program: the function that called it says more than a line
// of <memory> does.
std::uint32_t ObjectNames::place_of(const Event& event) {
  const SiteName& site = sites_[event.site];
  if (!site.in_program) {
    const std::vector<SiteId>& functions = thread(event.thread).functions;
    for (auto at = functions.rbegin(); at != functions.rend(); ++at) {
      const SiteName& caller = sites_[*at];
      if (caller.in_program && !caller.function.empty()) return texts_.index(caller.function);
    }
  }
  return texts_.index(site.place);
}

void ObjectNames::allocate(const Event& event) {
  if (event.object == 0 || event.object == std::numeric_limits<std::uint64_t>::max()) return;
  Block block;
  block.kind = Block::Kind::kHeap;
  block.begin = event.object;
  block.end = end_of(event.object, event.value);
  block.site = event.site;
  block.text = place_of(event);
  block.cls = sites_[event.site].kind == EventKind::allocate ? sites_[event.site].cls : 0;
  if (block.text >= counts_.size()) counts_.resize(block.text + std::size_t{1});
  block.ordinal = ++counts_[block.text];
  watch(blocks_.insert(block));
}

void ObjectNames::release(const Event& event) {
  Block* block = blocks_.starting_at(event.object, Block::Kind::kHeap);
  freed_ = Block{};
  if (block == nullptr) return;
  freed_ = *block;
  blocks_.erase(block);
}

void ObjectNames::local(const Event& event) {
  if (event.object == 0 || event.object == std::numeric_limits<std::uint64_t>::max()) return;
  Thread& of = thread(event.thread);
  Block block;
  block.kind = Block::Kind::kLocal;
  block.begin = event.object;
  block.end = end_of(event.object, event.value);
  block.thread = event.thread;
  block.frame = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(of.depth, std::numeric_limits<std::uint32_t>::max()));
  block.site = event.site;
  block.cls = sites_[event.site].cls;
  // In a loop the same variable, or another in its place, comes to life again and again.
  const Block* before = blocks_.starting_at(block.begin, Block::Kind::kLocal);
  const bool again =
      before != nullptr && before->thread == block.thread && before->frame == block.frame;
  if (again && before->end == block.end && before->site == block.site) return;
  if (!again && of.locals.size() >= kKeptLocals) return;
  Block* inserted = blocks_.insert(block);
  watch(inserted);
  if (again || inserted == nullptr) return;
  of.locals.push_back(block.begin);
  of.frames.push_back(block.frame);
}

void ObjectNames::watch(Block* block) {
  if (block == nullptr || block->cls != 0) return;
  unknown_[block->begin] = block;
  const std::size_t bit = filter_bit(block->begin);
  filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
}

void ObjectNames::forget(const Block& block) {
  if (block.cls != 0) return;
  Block** const entry = unknown_.find(block.begin);
  if (entry != nullptr && *entry == &block) unknown_.erase(block.begin);
}

void ObjectNames::learn(std::uint64_t base, std::uint32_t cls) {
  const std::size_t bit = filter_bit(base);
  if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return;
  Block** const entry = unknown_.find(base);
  if (entry == nullptr) return;
  (*entry)->cls = cls;
  unknown_.erase(base);
}

}  // namespace raddle
