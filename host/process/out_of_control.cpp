#include "host/process/out_of_control.hpp"

#include <string.h>

#include <algorithm>

namespace raddle {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (!text.empty() && std::find(list.begin(), list.end(), text) == list.end())
    list.push_back(text);
}

std::string text_of(const char (&bytes)[kCommandBytes]) {
  return std::string(bytes, strnlen(bytes, sizeof bytes));
}

}  // namespace

void OutOfControl::add(const OutOfControl& other) {
  children = std::max(children, other.children);
  for (const std::string& command : other.commands) add_once(commands, command);
  for (const std::string& command : other.replacements) add_once(replacements, command);
  clones = std::max(clones, other.clones);
  timed_waits = std::max(timed_waits, other.timed_waits);
  close_waits = std::max(close_waits, other.close_waits);
  kernel_timers = std::max(kernel_timers, other.kernel_timers);
  if (outside.empty()) outside = other.outside;
  if (forked_because.empty()) forked_because = other.forked_because;
}

OutOfControl out_of_control_in(const Uncontrolled& uncontrolled) {
  OutOfControl out_of_control;
  out_of_control.children = uncontrolled.children.load(std::memory_order_relaxed);
  const std::uint64_t named = std::min<std::uint64_t>(out_of_control.children, kNamedChildren);
  for (std::uint64_t i = 0; i < named; ++i)
    add_once(out_of_control.commands, text_of(uncontrolled.child[i]));
  add_once(out_of_control.replacements, text_of(uncontrolled.replacement));
  out_of_control.clones = uncontrolled.clones.load(std::memory_order_relaxed);
  out_of_control.timed_waits = uncontrolled.timed_waits.load(std::memory_order_relaxed);
  out_of_control.close_waits = uncontrolled.close_waits.load(std::memory_order_relaxed);
  out_of_control.kernel_timers = uncontrolled.kernel_timers.load(std::memory_order_relaxed);
  out_of_control.outside = text_of(uncontrolled.outside);
  return out_of_control;
}

}  // namespace raddle
