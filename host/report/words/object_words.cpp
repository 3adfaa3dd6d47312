#include "host/report/words/object_words.hpp"

#include <fmt/format.h>

#include "host/symbols/names.hpp"

namespace raddle {

std::string thread_label(ThreadId id) {
  return id == kNoThread ? std::string("T?") : fmt::format("T{}", raw(id));
}

std::string thread_labels(const std::vector<ThreadId>& ids) {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    text += i == 0 ? "" : i + 1 == ids.size() ? " and " : ", ";
    text += thread_label(ids[i]);
  }
  return text;
}

std::string thread_title(ThreadId id, const std::string& name) {
  return name.empty() ? thread_label(id) : fmt::format("{} \"{}\"", thread_label(id), name);
}

std::string name_words(const ObjectName& name) {
  const std::string place = place_text(name.place);
  switch (name.kind) {
    case ObjectName::Kind::kNone:
      return {};
    case ObjectName::Kind::kVariable:
      return name.path;
    case ObjectName::Kind::kLocal:
      return fmt::format("{} in {}", name.path, name.owner);
    case ObjectName::Kind::kMember:
      return fmt::format("{}::{} of #{} of {} from {}", name.owner, name.path, name.ordinal,
                         name.owner, place);
    case ObjectName::Kind::kBlock:
      return fmt::format("{}block #{} from {}",
                         name.offset == 0 ? "" : fmt::format("{:#x} into ", name.offset),
                         name.ordinal, place);
  }
  return {};
}

std::string brief_name_words(const ObjectName& name) {
  const std::string place = place_text(name.place);
  switch (name.kind) {
    case ObjectName::Kind::kNone:
    case ObjectName::Kind::kVariable:
    case ObjectName::Kind::kLocal:
      return name_words(name);
    case ObjectName::Kind::kMember:
      return fmt::format("{}::{} #{}@{}", name.owner, name.path, name.ordinal, place);
    case ObjectName::Kind::kBlock:
      return fmt::format("block{} #{}@{}",
                         name.offset == 0 ? "" : fmt::format("+{:#x}", name.offset), name.ordinal,
                         place);
  }
  return {};
}

std::string object_words(const ObjectRef& object) {
  if (object.thread) return thread_label(*object.thread);
  if (!object.library.empty())
    return object.name.empty() ? "a " + object.library
                               : fmt::format("{} `{}'", object.library, name_words(object.name));
  if (object.id == kNoObject) return {};
  // Its object number would read as its own: "descriptor #2" is nobody's standard error.
  if (object.cls == ObjectClass::descriptor)
    return object.descriptor ? fmt::format("descriptor {}", *object.descriptor)
                             : std::string("a descriptor");
  const std::string text = fmt::format("{} #{}", object_class_text(object.cls), raw(object.id));
  return object.name.empty() ? text : fmt::format("{} `{}'", text, name_words(object.name));
}

std::string object_with_origin(const ObjectRef& object) {
  const std::string text = object_words(object);
  const bool nameless =
      object.id != kNoObject && !object.thread && object.library.empty() && object.name.empty();
  const std::string place = nameless ? place_text(object.first_used) : std::string();
  if (place.empty()) return text;
  // The line of a destructor may be that of its class, where nobody would look for a use.
  const std::string& function = object.first_used.function;
  return is_destructor(function) ? fmt::format("{} (first used by {}, {})", text, function, place)
                                 : fmt::format("{} (first used at {})", text, place);
}

std::string brief_object_words(const ObjectRef& object) {
  return object.name.empty() ? object_words(object) : brief_name_words(object.name);
}

}  // namespace raddle
