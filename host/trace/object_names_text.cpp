// ObjectNames' answers.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/symbols/member_names.hpp"
#include "host/trace/object_names.hpp"

namespace raddle {

namespace {

constexpr std::size_t kSearchedLocals = 4096;  // for how deep a recursion is

std::string at_offset(std::uint64_t rest) {
  return rest == 0 ? std::string() : fmt::format("+{:#x}", rest);
}

// Not a part of the object that it names.
bool concerns_whole(EventKind kind) {
  return kind == EventKind::allocate || kind == EventKind::local || kind == EventKind::enter ||
         kind == EventKind::exit || kind == EventKind::unit_enter || kind == EventKind::unit_exit ||
         kind == EventKind::block_enter || kind == EventKind::block_exit;
}

// What a class of the library's own is to the program: its nodes are nobody's word for an element.
std::string readable_class(const std::string& cls) {
  struct Reading {
    std::string_view begins;
    std::string_view is;
  };
  static constexpr Reading kReadings[] = {
      {"std::_Rb_tree_node", "element of a map or set"},
      {"std::__detail::_Hash_node", "element of an unordered container"},
      {"std::_List_node", "element of a list"},
      {"std::__cxx11::_List_node", "element of a list"},
      {"std::_Fwd_list_node", "element of a forward list"},
      {"std::_Sp_counted", "object of a shared_ptr"},
  };
  for (const Reading& reading : kReadings) {
    if (cls.rfind(reading.begins, 0) == 0) return std::string(reading.is);
  }
  return cls;
}

// Nothing but its elements.
bool is_library_array(const std::string& cls) { return cls.rfind("std::array<", 0) == 0; }

bool is_lock_class(const std::string& cls) {
  return cls == "std::mutex" || cls == "std::__mutex_base" || cls == "std::shared_mutex" ||
         cls == "std::recursive_mutex";
}

// "buffers_[1].samples[0]" -> ".buffers_.samples."
std::string members_of(const std::string& path) {
  std::string members = ".";
  bool in_index = false;
  for (const char letter : path) {
    in_index = letter == '[' || (in_index && letter != ']');
    if (!in_index && letter != ']') members += letter;
  }
  return members + ".";
}

// The field is one of the members on the way.
bool leads_to(const std::string& path, const std::string& field) {
  return path.find('+') == std::string::npos &&
         members_of(path).find(members_of(field)) != std::string::npos;
}

// Not told apart by instance.
bool is_general(NameForm form) { return form == NameForm::kField || form == NameForm::kVariable; }

// A trace of an unmodified program defines a local variable as "done in main".
std::string without_function(const std::string& defined) {
  return defined.substr(0, defined.find(" in "));
}

}  // namespace

std::string ObjectNames::answer(const Question& question, NameForm form) const {
  const Block* block = blocks_.innermost(question.address);
  if (block == nullptr) return nameless(question.address, question.site, form);
  // A first field that was given a name of its own is not the whole.
  while (question.whole && block->kind == Block::Kind::kNamed && block->outer != nullptr &&
         block->outer->begin == question.address &&
         block->end - block->begin < std::min(question.bytes, block->outer->end - block->begin)) {
    block = block->outer;
  }
  return text(*block, question, form);
}

std::string ObjectNames::name(std::uint64_t address, NameForm form) const {
  return answer({address}, form);
}

std::string ObjectNames::whole_name(std::uint64_t address, NameForm form) const {
  return answer({address, nullptr, true}, form);
}

std::string ObjectNames::name(const Event& event, NameForm form) const {
  if (event.kind == EventKind::decision) {
    return event.object == 0 ? std::string() : fmt::format("#{}", event.object);
  }
  if (event.kind == EventKind::free && event.object != 0 && freed_.begin == event.object) {
    return text(freed_, {event.object, nullptr, true}, form);
  }
  if (event.kind == EventKind::fork || event.kind == EventKind::join || event.object == 0) {
    return {};
  }
  Question question = question_of(event);
  question.element = form == NameForm::kVariable;
  return answer(question, form);
}

// Of an event that has an object.
ObjectNames::Question ObjectNames::question_of(const Event& event) const {
  const SiteName& site = sites_[event.site];
  Question question{event.object};
  if (is_access(event.kind) || is_atomic(event.kind)) {
    if (!site.field.empty()) question.site = &site;
  } else if (concerns_whole(event.kind)) {
    question.whole = true;
    const bool sized = site.kind == EventKind::enter && site.offset != 0;
    if (sized) question.bytes = site.offset;
  }
  return question;
}

NameKind ObjectNames::kind_of(const Question& question) const {
  const Block* block = blocks_.innermost(question.address);
  if (block == nullptr) {
    const SiteName* site = question.site;
    const bool named =
        site != nullptr && ((site->flags & (kSiteStatic | kSiteLocal)) != 0 || site->has_member());
    return named ? NameKind::kName : NameKind::kAddress;
  }
  if (block->kind != Block::Kind::kHeap || block->cls != 0) return NameKind::kName;
  const Spot where = spot(*block, question);
  const bool known = !where.field.empty() || (where.indexed && !where.owner.empty());
  return known ? NameKind::kName : NameKind::kBlock;
}

NameKind ObjectNames::name_kind(std::uint64_t address) const { return kind_of({address}); }

NameKind ObjectNames::name_kind(const Event& event) const { return kind_of(question_of(event)); }

std::uint64_t ObjectNames::instance(std::uint64_t address) const {
  const Block* block = blocks_.innermost(address);
  return block == nullptr ? address : block->begin;
}

ThreadName ObjectNames::named_thread(ThreadId id) const {
  if (id == kNoThread) return {};
  const Thread* known = raw(id) < threads_.size() ? &threads_[raw(id)] : nullptr;
  if (known != nullptr && !known->name.empty()) {
    const bool is_label = known->name == fmt::format("T{}", raw(id));
    return is_label ? ThreadName{} : ThreadName{known->name, true};
  }
  if (id == kMainThread) return {"main"};
  if (known == nullptr) return {};
  if (known->function != 0) return {texts_.text(known->function)};
  // What the thread was started with, if that was given a name.
  const Block* routine = known->routine == 0 ? nullptr : blocks_.innermost(known->routine);
  const bool named = routine != nullptr && routine->kind == Block::Kind::kNamed;
  return named ? ThreadName{texts_.text(routine->text)} : ThreadName{};
}

std::string ObjectNames::thread_name(ThreadId id) const {
  if (id == kNoThread) return "T?";
  const ThreadName known = named_thread(id);
  if (known.name.empty()) return fmt::format("T{}", raw(id));
  return known.given ? fmt::format("T{} \"{}\"", raw(id), known.name)
                     : fmt::format("T{} {}", raw(id), known.name);
}

// Of the object that is at its beginning, the element, the field.
ObjectNames::Spot ObjectNames::spot(const Block& block, const Question& question) const {
  Spot spot;
  const SiteName* const site = question.site;
  std::uint64_t offset = question.address - block.begin;
  // An element of an array in the object: it is in the instance around the address.
  const bool somewhere = site != nullptr && site->offset == kUnknownOffset;
  const bool by_site =
      site != nullptr && site->has_member() && (somewhere || site->offset <= offset);
  std::uint32_t cls = block.cls;
  if (by_site) {
    spot.owner = sites_.class_text(site->cls);
    spot.field = site->field;
    offset -= somewhere ? 0 : site->offset;
    if (cls == 0 || is_library_array(sites_.classes().text(cls))) cls = site->cls;
  }
  const std::uint64_t bytes = block.end - block.begin;
  const Class* known = cls < classes_.size() && cls != 0 ? &classes_[cls] : nullptr;
  // A part that begins where the whole does, and has a name of its own.
  if (known != nullptr && block.kind == Block::Kind::kNamed && known->end() > bytes)
    known = nullptr;
  // A variable has no room besides its elements: this is the class of its first member. So is a
  // lock's: nobody accesses an array of locks.
  const bool larger = known != nullptr && block.kind != Block::Kind::kHeap && known->size != 0 &&
                      bytes > known->size;
  const bool lock = larger && is_lock_class(sites_.classes().text(cls));
  if (larger && (bytes % known->size != 0 || lock)) known = nullptr;
  if (known != nullptr && known->size != 0 && bytes >= 2 * known->size) {
    // `new T[n]` may keep n in front of the elements.
    const std::uint64_t extra = bytes % known->size;
    const bool counted = block.kind == Block::Kind::kHeap && extra == 8;
    if (!counted || offset >= extra) {
      offset -= counted ? extra : 0;
      spot.indexed = true;
      spot.index = offset / known->size;
      offset %= known->size;
    }
  }
  spot.rest = by_site && somewhere ? 0 : offset;
  if (known == nullptr || (question.whole && offset == 0)) return spot;
  // The class of the whole object says best what lies in it: its own name for a container rather
  // than the library's for a part of that.
  const bool inside = by_site && !somewhere;
  const bool begins = inside && offset == 0 && !is_library_member(site->field);
  if (begins && cls != site->cls && block.kind != Block::Kind::kHeap) {
    // A member that begins where the whole does: "low_.value_" of a room, and not "value_".
    const std::string path = member_at(*known, site->offset);
    if (path.ends_with("." + site->field)) spot.field = path;
  }
  // Of an element of an array the class of the whole object knows the way there.
  if (by_site && somewhere) {
    const std::string path = member_at(*known, offset);
    if ((cls != site->cls || question.element) && leads_to(path, site->field)) spot.field = path;
  }
  if (by_site && (!inside || begins)) return spot;
  if (by_site && cls != block.cls && offset != 0) return spot;  // begins somewhere inside
  const std::string member = member_at(*known, offset + (inside ? site->offset : 0));
  if (member.empty()) return spot;
  // The counts, and the room for the object, are the library's.
  const std::string shared =
      is_library_member(member) ? "" : class_in_shared(sites_.classes().text(cls));
  spot.owner = shared.empty() ? sites_.class_text(cls) : shared;
  spot.field = member;
  spot.rest = 0;
  return spot;
}

// "m_", "limits+0x4"; empty if nothing is known of that place.
std::string ObjectNames::member_at(const Class& of, std::uint64_t offset) const {
  if (offset > std::numeric_limits<std::uint32_t>::max()) return {};
  const auto at = static_cast<std::uint32_t>(offset);
  if (auto defined = of.data.upper_bound(at); defined != of.data.begin()) {
    --defined;
    // The inside of a member is the library's, or a part of a number.
    if (!defined->second.empty()) return defined->second;
  }
  auto member = of.members.upper_bound(at);
  if (member == of.members.begin()) return {};
  --member;
  const std::uint32_t into = at - member->first;
  if (into >= std::max<std::uint32_t>(member->second.size, 1)) return {};
  return member->second.name + at_offset(into);
}

std::string ObjectNames::text(const Block& block, const Question& question, NameForm form) const {
  const SiteName* const site = question.site;
  const Spot where = spot(block, question);
  switch (block.kind) {
    case Block::Kind::kNamed: {
      const std::string& name = texts_.text(block.text);
      // The site may know which part of the global it is: "limits.daily" of limits.
      if (site != nullptr && (site->flags & kSiteStatic) != 0 && site->field.size() > name.size() &&
          site->field.rfind(name, 0) == 0) {
        return site->field;
      }
      // It is the name of that very member: "pool.slots[0].next" of the field "slots[].next".
      const bool whole = !where.field.empty() && !where.indexed && where.rest == 0 &&
                         members_of(name).ends_with(members_of(where.field));
      const std::string text = whole ? name : variable_text(name, where);
      return form == NameForm::kVariable ? without_function(text) : text;
    }
    case Block::Kind::kLocal: {
      const SiteName& declared = sites_[block.site];
      const std::string variable = declared.field.empty() ? "a temporary" : declared.field;
      return variable_text(variable, where) + local_owner(block, form);
    }
    case Block::Kind::kHeap:
      return heap_text(block, where, form);
  }
  return {};
}

std::string ObjectNames::variable_text(const std::string& variable, const Spot& spot) const {
  std::string text = variable;
  if (spot.indexed) text += fmt::format("[{}]", spot.index);
  if (spot.field.empty()) return text + at_offset(spot.rest);
  return fmt::format("{}{}.{}", text, at_offset(spot.rest), spot.field);
}

std::string ObjectNames::local_owner(const Block& block, NameForm form) const {
  if (form == NameForm::kVariable) return {};
  const SiteName& site = sites_[block.site];
  std::string text = site.function.empty() ? std::string() : " in " + site.function;
  if (form != NameForm::kLong) return text;
  text += fmt::format(" of T{}", raw(block.thread));
  // Recursion: the same variable of the same thread, once for each call.
  const Thread& of = threads_[raw(block.thread)];
  std::uint32_t level = 0;
  for (std::size_t i = 0; i < std::min(of.locals.size(), kSearchedLocals); ++i) {
    if (of.frames[i] >= block.frame) break;
    const Block* other = blocks_.innermost(of.locals[i]);
    while (other != nullptr && other->kind != Block::Kind::kLocal) other = other->outer;
    if (other != nullptr && other->site == block.site && other->begin == of.locals[i]) ++level;
  }
  return level == 0 ? text : fmt::format("{}, call {}", text, level + 1);
}

std::string ObjectNames::heap_text(const Block& block, const Spot& spot, NameForm form) const {
  const std::string& place = texts_.text(block.text);
  const std::string index = spot.indexed ? fmt::format("[{}]", spot.index) : std::string();
  // An array's class may be known from its elements alone.
  const std::string cls =
      readable_class(block.cls == 0 && spot.indexed ? spot.owner : sites_.class_text(block.cls));
  const std::string owner = readable_class(spot.owner);
  const bool library = owner != spot.owner;
  const std::string what = library              ? owner
                           : spot.field.empty() ? (cls.empty() ? std::string("block") : cls)
                                                : fmt::format("{}::{}", owner, spot.field);
  // Inside a node of the library's: how far the element lies behind its links, or behind the counts
  // of a shared_ptr, is the library's own business.
  const bool inside_node = cls != sites_.class_text(block.cls) && !spot.indexed;
  const std::string offset = library || inside_node ? std::string() : at_offset(spot.rest);
  if (is_general(form)) return what + offset;
  if (form == NameForm::kShort) {
    const std::string at = place.empty() ? std::string() : "@" + place;
    return fmt::format("{}{} #{}{}{}", what, offset, block.ordinal, index, at);
  }
  std::string text = cls.empty() ? fmt::format("block #{}{}", block.ordinal, index)
                     : library   ? fmt::format("{} #{}{}", cls, block.ordinal, index)
                                 : fmt::format("#{}{} of {}", block.ordinal, index, cls);
  if (!place.empty()) text += " from " + place;
  if (library) return text;
  if (spot.rest != 0 && !inside_node) text = fmt::format("{:#x} into {}", spot.rest, text);
  return spot.field.empty() ? text : fmt::format("{} of {}", what, text);
}

std::string ObjectNames::nameless(std::uint64_t address, const SiteName* site,
                                  NameForm form) const {
  if (site == nullptr) return fmt::format("{:#x}", address);
  if ((site->flags & kSiteStatic) != 0) {
    const std::string cls = sites_.class_text(site->cls);
    const bool qualified = cls.empty() || site->field.find("::") != std::string::npos;
    return qualified ? site->field : fmt::format("{}::{}", cls, site->field);
  }
  if ((site->flags & kSiteLocal) != 0) {
    return site->function.empty() || form == NameForm::kVariable
               ? site->field
               : fmt::format("{} in {}", site->field, site->function);
  }
  if (!site->has_member()) return fmt::format("{:#x}", address);
  std::string field = fmt::format("{}::{}", sites_.class_text(site->cls), site->field);
  if (is_general(form)) return field;
  if (site->offset == kUnknownOffset) return fmt::format("{} at {:#x}", field, address);
  return fmt::format("{} at {:#x}", field, address - site->offset);
}

}  // namespace raddle
