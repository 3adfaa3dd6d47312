#include "host/report/words/published/published_words.hpp"

#include <fmt/format.h>

#include "host/report/words/published/memory_order_words.hpp"

namespace raddle {
namespace {

std::string at(const StoryStep& step) {
  std::string order;
  // What is more than C++ has is told as the most that it has.
  if (step.order == MemoryOrder::kBarrier) {
    order = " with memory_order_seq_cst";
  } else if (step.order) {
    order = fmt::format(" with memory_order_{}", order_text(*step.order));
  }
  return (step.place.empty() ? "" : " at " + step.place) + order;
}

std::string short_thread(const StoryStep& step) { return fmt::format("T{}", raw(step.thread)); }

std::string in_brackets(const StoryStep& step) {
  return step.place.empty() ? "" : fmt::format(" ({})", step.place);
}

// There may be other reads, that of a double check before the lock for one.
std::string for_one(const StoryStep& step) {
  return step.place.empty() ? "" : fmt::format(" ({}, for one)", step.place);
}

// That the step holds for itself; empty if there is none, or none that has a name of its own.
std::string lock_of(const StoryStep& step) {
  if (step.locks.empty()) return {};
  const std::string& lock = step.locks.back();
  const bool by_place = lock.starts_with("the lock ") || lock.starts_with("a lock ");
  return by_place || lock.ends_with(kForReading) ? std::string() : lock;
}

bool is_named(const std::vector<StoryStep>& steps) {
  return steps.size() == 2 && !steps[0].object.empty();
}

std::string announced_words(const StoryStep& store, const StoryStep& load) {
  return fmt::format(
      "After that {} wrote {}{}, and {} read it{} before it came here: that orders nothing.",
      short_thread(store), store.object, at(store), short_thread(load), at(load));
}

std::string release_and_acquire(const StoryStep& store, const StoryStep& load) {
  const std::string name = store.object.substr(0, store.object.find(" in "));
  return fmt::format(
      "write {} with memory_order_release{}, and read it with memory_order_acquire{}.", name,
      in_brackets(store), in_brackets(load));
}

}  // namespace

std::string published_words(const FindingStory& story) {
  if (is_named(story.announced)) return announced_words(story.announced[0], story.announced[1]);
  if (!is_named(story.published)) return {};
  const StoryStep& store = story.published[0];
  const StoryStep& load = story.published[1];
  const bool plain = !store.order || !load.order;
  return fmt::format(
      "{} got there by {}, which {} wrote{}, after what it wrote there, and {} read{}: {} orders "
      "nothing.",
      short_thread(load), store.object, short_thread(store), at(store), short_thread(load),
      at(load), plain ? "a plain access" : "that");
}

std::string published_suggestion(const FindingStory& story) {
  if (is_named(story.announced)) return release_and_acquire(story.announced[0], story.announced[1]);
  if (!is_named(story.published)) return {};
  const StoryStep& store = story.published[0];
  const StoryStep& load = story.published[1];
  if (store.order && load.order) return release_and_acquire(store, load);
  const std::string name = store.object.substr(0, store.object.find(" in "));
  const std::string lock = lock_of(store);
  const std::string guard =
      lock.empty() ? fmt::format("hold one mutex where {} is written{} and where it is read{}",
                                 name, in_brackets(store), in_brackets(load))
                   : fmt::format("hold {} wherever {} is read{}, too", lock, name, for_one(load));
  return guard +
         "; or, if it is a pointer of your own, make it a std::atomic that is written with "
         "memory_order_release and read with memory_order_acquire.";
}

}  // namespace raddle
