#include "target/state/uncontrolled.hpp"

#include <string.h>

#include "target/state/execution.hpp"

namespace raddle {
namespace {

// Where the last child that this process started is named; a forked child inherits its own.
char* g_child_name;

// Text that ends with "..." when there is no room for all of it.
class Line {
 public:
  explicit Line(char* to) : to_(to) { to_[0] = 0; }

  void add(char c) {
    if (used_ + 1 == kCommandBytes) {
      for (std::size_t i = 0; i < 3; ++i) to_[used_ - 1 - i] = '.';
      return;
    }
    to_[used_++] = c;
    to_[used_] = 0;
  }
  void add(const char* text) {
    for (; *text != 0; ++text) add(*text);
  }

 private:
  char* to_;
  std::size_t used_ = 0;
};

constexpr char kPlain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+,:@%";

// As a shell would need it.
void add_quoted(Line& line, const char* argument) {
  if (*argument != 0 && argument[strspn(argument, kPlain)] == 0) return line.add(argument);
  line.add('\'');
  for (; *argument != 0; ++argument) {
    if (*argument == '\'') {
      line.add("'\\''");
    } else {
      line.add(*argument);
    }
  }
  line.add('\'');
}

void write_command(char* to, char* const* arguments) {
  Line line(to);
  for (bool first = true; arguments != nullptr && *arguments != nullptr; ++arguments) {
    if (!first) line.add(' ');
    first = false;
    add_quoted(line, *arguments);
  }
}

}  // namespace

void note_child() {
  if (g_region == nullptr) return;
  Uncontrolled& notes = g_region->uncontrolled;
  const std::uint32_t number = notes.children.fetch_add(1, std::memory_order_relaxed);
  g_child_name = number < kNamedChildren ? notes.child[number] : nullptr;
  if (g_child_name != nullptr) g_child_name[0] = 0;
}

void name_last_child(const char* command) {
  if (g_child_name == nullptr) return;
  Line line(g_child_name);
  line.add(command != nullptr ? command : "");
}

void name_last_child(char* const* arguments) {
  if (g_child_name != nullptr) write_command(g_child_name, arguments);
}

void name_child(char* const* arguments) {
  if (g_child_name != nullptr && g_child_name[0] == 0) write_command(g_child_name, arguments);
}

void note_replacement(char* const* arguments) {
  write_command(g_region->uncontrolled.replacement, arguments);
}

void forget_replacement() { g_region->uncontrolled.replacement[0] = 0; }

void note_clone() {
  if (g_region != nullptr) g_region->uncontrolled.clones.fetch_add(1, std::memory_order_relaxed);
}

void note_outside(const char* what, const char* name) {
  if (g_region == nullptr || g_region->uncontrolled.outside[0] != 0) return;
  Line line(g_region->uncontrolled.outside);
  line.add(what);
  line.add(name);
}

void note_timed_wait() {
  if (plan().clock != ClockKind::kSteady) return;
  // One thread runs at a time: no atomic addition is needed.
  std::atomic<std::uint32_t>& waits = g_region->uncontrolled.timed_waits;
  waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void note_close_waits() {
  std::atomic<std::uint32_t>& close = g_region->uncontrolled.close_waits;
  close.store(close.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void note_kernel_timer() {
  if (g_region == nullptr) return;
  g_region->uncontrolled.kernel_timers.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace raddle
