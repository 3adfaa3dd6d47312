#include "host/describe/object_places.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/describe/reported_objects.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr std::uint64_t kLargestFrame = 8 << 20;  // larger ones are another kind of memory
constexpr std::uint64_t kControlBlock = 16;       // in front of what std::make_shared makes

struct FrameOfStack {
  std::uint64_t pc = 0;
  std::uint64_t cfa = 0;
  bool exact = false;
};

std::vector<FrameOfStack> frames_of(const ThreadReport& thread) {
  std::vector<FrameOfStack> frames;
  const std::size_t count = std::min<std::size_t>(thread.stack.frames, kMaxFrames);
  for (std::size_t i = 0; i < count; ++i) {
    const bool exact = i == 0 && is_set(thread.stack.first_is_exact);
    frames.push_back({thread.stack.pc[i], thread.stack.cfa[i], exact});
  }
  return frames;
}

// Stacks grow down: the frame that holds an address is the one that ends closest above it.
std::optional<LocalVariable> local_at(const Report& report, std::uint64_t address,
                                      Symbolizer& symbols) {
  FrameOfStack closest;
  for (const ThreadReport* thread : reported_threads(report)) {
    for (const FrameOfStack& frame : frames_of(*thread)) {
      if (frame.cfa <= address || frame.cfa - address > kLargestFrame) continue;
      if (closest.cfa == 0 || frame.cfa < closest.cfa) closest = frame;
    }
  }
  // In the library's frames nothing has a name that the user knows, and its debug information,
  // where it is installed, takes longer to open than all the rest.
  if (closest.cfa == 0 || symbols.in_library(closest.pc)) return std::nullopt;
  return symbols.local_name(closest.pc, !closest.exact, closest.cfa, address);
}

// Classes whose member functions are at work on the object.
std::set<std::string> classes_around(const Report& report, const ObjectReport& object,
                                     Symbolizer& symbols) {
  std::set<std::string> classes;
  const std::size_t holders = std::min<std::size_t>(object.holders, std::size(object.holder));
  for (const ThreadReport* thread : reported_threads(report)) {
    const bool holds =
        std::find(object.holder, object.holder + holders, thread->id) != object.holder + holders;
    if (!holds && thread->object != object.id) continue;
    for (const FrameOfStack& frame : frames_of(*thread)) {
      for (const Frame& at : symbols.frames(frame.pc, !frame.exact)) {
        const std::size_t scope = at.where.function.rfind("::");
        if (at.in_program && scope != std::string::npos && scope > 0) {
          classes.insert(at.where.function.substr(0, scope));
        }
      }
    }
  }
  return classes;
}

struct Member {
  std::string cls;
  std::string path;
};

// A class of exactly the block's size, with something at the object's offset. Unmodified programs
// say no more of what they allocate.
std::optional<Member> member_in_block(const Report& report, const ObjectReport& object,
                                      Symbolizer& symbols) {
  const std::uint64_t offset = object.address - object.block;
  for (const std::string& cls : classes_around(report, object, symbols)) {
    const std::uint64_t size = symbols.class_size(cls);
    if (size == 0) continue;
    for (const std::uint64_t before : {std::uint64_t{0}, kControlBlock}) {
      if (object.block_bytes != size + before || offset < before) continue;
      std::string path = symbols.member_at(cls, offset - before);
      if (!path.empty()) return Member{cls, std::move(path)};
    }
  }
  return std::nullopt;
}

Where allocated_at(const ObjectReport& object, Symbolizer& symbols) {
  for (const Frame& frame : symbols.frames(object.block_site, true)) {
    if (!frame.in_program) continue;
    Where where = frame.where;
    where.file = base_name(where.file);
    return where;
  }
  return {};
}

// One line may allocate by several calls: what is inlined twice. Blocks of a call that comes later
// in the code are numbered after those of the others, as far as the report shows them.
std::uint64_t ordinal_of(const Report& report, const ObjectReport& object, const Where& place,
                         Symbolizer& symbols) {
  std::map<std::uint64_t, std::uint64_t> before;  // by call: its last block
  for (const ObjectReport& other : reported_objects(report)) {
    if (other.block == 0 || other.block_site >= object.block_site) continue;
    const Where where = allocated_at(other, symbols);
    if (where.file != place.file || where.line != place.line) continue;
    std::uint64_t& last = before[other.block_site];
    last = std::max(last, other.block_ordinal);
  }
  std::uint64_t ordinal = object.block_ordinal;
  for (const auto& [call, last] : before) ordinal += last;
  return ordinal;
}

ObjectName heap_name(const Report& report, const ObjectReport& object, Symbolizer& symbols) {
  ObjectName name;
  name.place = allocated_at(object, symbols);
  if (name.place.empty()) return {};
  name.ordinal = ordinal_of(report, object, name.place, symbols);
  if (std::optional<Member> member = member_in_block(report, object, symbols)) {
    name.kind = ObjectName::Kind::kMember;
    name.path = std::move(member->path);
    name.owner = std::move(member->cls);
    return name;
  }
  name.kind = ObjectName::Kind::kBlock;
  name.offset = object.address - object.block;
  return name;
}

}  // namespace

ObjectName placed_name(const Report& report, const ObjectReport& object, Symbolizer& symbols) {
  if (object.block != 0 && object.address >= object.block &&
      object.address - object.block < std::max<std::uint64_t>(object.block_bytes, 1)) {
    return heap_name(report, object, symbols);
  }
  const std::optional<LocalVariable> local = local_at(report, object.address, symbols);
  if (!local) return {};
  ObjectName name;
  name.kind = ObjectName::Kind::kLocal;
  name.path = local->path;
  name.owner = local->function;
  return name;
}

}  // namespace raddle
