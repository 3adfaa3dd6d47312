#include "host/report/words/harm_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace raddle {
namespace {

constexpr std::size_t kMostObjects = 3;
constexpr std::size_t kMostWords = 6;

constexpr char kVolatileWords[] =
    "both accesses are volatile (or one is, and the other is atomic), and the processor makes each "
    "in one step: kernels and libraries that are older than C11 use them as relaxed atomic "
    "operations. If that is meant, nothing is wrong on the processors that they know; "
    "std::atomic with memory_order_relaxed says the same, and the language defines it.";

std::string because(UnitOrigin origin, const std::string& object) {
  const std::string it = object.empty() ? "the object" : object;
  switch (origin) {
    case UnitOrigin::access:
      return {};
    case UnitOrigin::annotated:
      return "as its annotation says";
    case UnitOrigin::member_function:
      return fmt::format("because it is a function of the class of {}", it);
    case UnitOrigin::function:
      return fmt::format("because it uses {} directly", it);
    case UnitOrigin::joint_calls:
      return fmt::format("because it calls more than one function of {}", it);
    case UnitOrigin::lock_region:
      return "as long as it holds a lock";
    case UnitOrigin::lock_twice:
      return fmt::format("because it takes {} more than once", it);
  }
  return {};
}

std::string joined(const std::vector<std::string>& list, std::size_t most, const char* last) {
  std::string text;
  const std::size_t shown = std::min(list.size(), most);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "" : i + 1 == list.size() ? last : ", ") + list[i];
  if (list.size() > shown) text += ", ...";
  return text;
}

std::string object_words(const HarmedObject& object) {
  const bool named = !object.name.empty() && !object.name.starts_with("0x");
  const std::string name = named ? object.name : "memory that both use";
  return fmt::format("{} is {} serially; here it is {}", name,
                     joined(object.serially, object.serially.size(), " or "), object.here);
}

std::string output_words(const Harm& harm) {
  const std::string here = joined(harm.written_here, kMostWords, ", ");
  const std::string serially = joined(harm.written_serially, kMostWords, ", ");
  const std::string without = fmt::format("in {} executions without it the program", harm.without);
  if (here.empty()) return fmt::format("{} writes {}; not here", without, serially);
  if (serially.empty()) return fmt::format("{} never writes {}; it does here", without, here);
  return fmt::format("{} writes or returns {}; here {}", without, serially, here);
}

}  // namespace

std::string inference_words(const StoryUnit& unit, const std::string& object) {
  const std::string why = because(unit.origin, object);
  if (why.empty()) return {};
  const std::string who =
      unit.name.empty() ? "a function of " + unit.thread_name : fmt::format("`{}'", unit.name);
  return fmt::format("{} is taken for one unit, {}", who, why);
}

std::string inference_words(const FindingStory& story) {
  if (!story.rests_on_inference) return {};
  if (story.meant_as_atomic) return kVolatileWords;
  std::vector<std::string> parts;
  for (const StoryUnit& unit : story.units) {
    std::string words = inference_words(unit, story.object);
    // The other thread is in the way as soon as it holds the lock, whatever its unit is.
    if (words.empty() || (unit.origin == UnitOrigin::lock_region && !parts.empty())) continue;
    if (std::find(parts.begin(), parts.end(), words) == parts.end())
      parts.push_back(std::move(words));
  }
  if (parts.empty()) return {};
  std::string text = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) text += "; " + parts[i];
  return text + (story.harm.found
                     ? ". Nobody said so."
                     : ". Nobody said so: if it is not meant to be atomic, nothing is wrong.");
}

std::string harm_words(const Harm& harm) {
  if (!harm.found)
    return harm.why_not.empty() ? std::string() : "None found: " + harm.why_not + ".";
  if (harm.without > 0) return output_words(harm) + ".";
  std::string text;
  std::vector<std::string> said;
  for (const HarmedObject& object : harm.objects) {
    std::string words = object_words(object);
    if (said.size() < kMostObjects && std::find(said.begin(), said.end(), words) == said.end())
      said.push_back(std::move(words));
  }
  for (const std::string& words : said) text += (text.empty() ? "" : "; ") + words;
  return text + ".";
}

}  // namespace raddle
