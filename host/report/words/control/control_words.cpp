#include "host/report/words/control/control_words.hpp"

#include <fmt/format.h>

#include "host/base/printable.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownCommands = 4;

std::string plural(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(number), number == 1 ? one : many);
}

std::string listed(const std::vector<std::string>& commands) {
  std::string text;
  for (std::size_t i = 0; i < commands.size() && i < kShownCommands; ++i)
    text += fmt::format("{}{}", i > 0 ? "; " : "", printable(commands[i]));
  if (commands.size() > kShownCommands) text += "; ...";
  return text;
}

std::string children_words(const OutOfControl& out_of_control, const std::string& tool) {
  std::string text = fmt::format(
      "Not controlled: {}", plural(out_of_control.children, "child process", "child processes"));
  if (out_of_control.commands.empty()) {
    return text + fmt::format(", {} of the program itself (fork without exec).",
                              out_of_control.children == 1 ? "a copy" : "copies");
  }
  return text + fmt::format(" ({}). To test {}: {} hunt -- {}", listed(out_of_control.commands),
                            out_of_control.commands.size() == 1 ? "it" : "one of them", tool,
                            printable(out_of_control.commands.front()));
}

}  // namespace

std::vector<std::string> control_words(const OutOfControl& out_of_control,
                                       const std::string& tool) {
  std::vector<std::string> words;
  if (out_of_control.children > 0) words.push_back(children_words(out_of_control, tool));
  for (const std::string& command : out_of_control.replacements) {
    words.push_back(
        fmt::format("Not controlled: what the program became (exec): {0}. To test it: {1} hunt -- "
                    "{0}",
                    printable(command), tool));
  }
  if (out_of_control.clones > 0) {
    words.push_back(fmt::format(
        "Not controlled: {} with clone(). Threads made with pthread_create or std::thread are "
        "controlled.",
        plural(out_of_control.clones, "thread made", "threads made")));
  }
  if (!out_of_control.forked_because.empty())
    words.push_back(fmt::format("Not restored but forked, which is slower: {}.",
                                printable(out_of_control.forked_because)));
  return words;
}

std::string timing_words(const OutOfControl& out_of_control, std::string_view option) {
  std::string words;
  if (out_of_control.timed_waits > 0) {
    words = fmt::format(
        "other timings: sleeps and time-outs were taken to last as long as they say ({} lets each "
        "end at any moment)",
        option);
  }
  if (out_of_control.close_waits > 0)
    words += ", and in another order where two end at nearly the same moment";
  if (out_of_control.kernel_timers > 0) {
    words += words.empty() ? "" : "; ";
    words +=
        "other timings of the kernel's timers (timerfd, setitimer, timer_create), which take real "
        "time and are not Raddle's to decide about";
  }
  return words;
}

}  // namespace raddle
