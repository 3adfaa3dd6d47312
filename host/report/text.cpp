#include "host/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/printable.hpp"
#include "host/report/failure_steps.hpp"
#include "host/report/layout.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/step_words.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr std::size_t kFailingStackLines = 8;
constexpr std::size_t kOtherStackLines = 4;
constexpr std::size_t kThreadsWithStack = 3;
constexpr std::size_t kMostThreads = 8;
constexpr std::size_t kPlaceWidth = 28;

std::string place(const Where& where) {
  if (where.file.empty()) return {};
  return where.line == 0 ? where.file : fmt::format("{}:{}", where.file, where.line);
}

std::string title(const ThreadLine& thread) { return thread_title(thread.id, thread.name); }

// "bank.cpp:31 in withdraw"
std::string place_and_function(const Where& where) {
  const std::string at = place(where);
  if (at.empty() || where.function.empty()) return at + where.function;
  return at + " in " + where.function;
}

std::string short_module(const std::string& module) { return module.substr(0, module.find(".so")); }

// One line of a stack: a frame of the program, or how many of the library were left out.
struct StackLine {
  std::string place;
  std::string text;
  bool folded = false;
  std::size_t times = 1;  // in a row: a recursion
};

std::string fold_text(std::size_t count, const std::set<std::string>& modules) {
  std::string names;
  for (const std::string& module : modules) names += (names.empty() ? "" : ", ") + module;
  return fmt::format("... {} frame{} in {}", count, count == 1 ? "" : "s", names);
}

std::vector<StackLine> stack_lines(const std::vector<Frame>& stack, bool verbose) {
  std::vector<StackLine> lines;
  std::size_t folded = 0;
  std::set<std::string> modules;
  const auto flush = [&] {
    if (folded > 0) lines.push_back({"", fold_text(folded, modules), true});
    folded = 0;
    modules.clear();
  };
  for (const Frame& frame : stack) {
    if (!verbose && frame.module.rfind("libraddle", 0) == 0) continue;
    if (!frame.in_program && !verbose) {
      ++folded;
      const bool header = !frame.where.file.empty() && is_system_header(frame.where.file);
      const bool shared = frame.module.find(".so") != std::string::npos;
      modules.insert(header && !shared      ? "C++ headers"
                     : frame.module.empty() ? "unknown code"
                                            : short_module(frame.module));
      continue;
    }
    flush();
    std::string text = frame.where.function;
    if (frame.inlined && verbose) text += " (inlined)";
    if (verbose && !frame.in_program) text += fmt::format(" [{}]", frame.module);
    const std::string at = place(frame.where);
    if (!lines.empty() && !lines.back().folded && lines.back().place == at &&
        lines.back().text == text) {
      ++lines.back().times;
    } else {
      lines.push_back({at, std::move(text)});
    }
  }
  flush();
  return lines;
}

void add_stack(std::string& out, const ThreadLine& thread, std::size_t limit,
               const TextOptions& options) {
  std::vector<StackLine> lines = stack_lines(thread.stack, options.verbose);
  // A stack without a frame of the program says nothing beyond the thread's own line.
  const auto of_program = [](const StackLine& line) { return !line.folded; };
  if (std::none_of(lines.begin(), lines.end(), of_program)) return;
  // The library frames at the outer end only say how the thread was started.
  if (!options.verbose && lines.back().folded) lines.pop_back();
  std::size_t left_out = 0;
  if (!options.verbose && lines.size() > limit) {
    left_out = lines.size() - limit;
    lines.resize(limit);
  }
  std::size_t widest = 0;
  for (const StackLine& line : lines) widest = std::max(widest, text_width(line.place));
  widest = std::min(widest, kPlaceWidth);
  for (const StackLine& line : lines) {
    const bool beside = !line.folded && widest > 0;
    const std::string times = line.times > 1 ? fmt::format("  ({} times)", line.times) : "";
    const std::string row = beside ? padded(line.place, widest) + "  " + line.text : line.text;
    add_lines(out, row + times, 4, 4, line.folded ? Paint::kFaint : Paint::kPlain, options);
  }
  if (left_out > 0) {
    add_lines(out, fmt::format("... {} more", left_out), 4, 4, Paint::kFaint, options);
  }
}

const Frame* innermost_of_program(const ThreadLine& thread) {
  for (const Frame& frame : thread.stack) {
    if (frame.in_program) return &frame;
  }
  return nullptr;
}

void add_threads(std::string& out, const Failure& failure, const TextOptions& options) {
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const ThreadLine& thread : failure.threads) {
    if (thread.ended && !options.verbose) continue;
    if (shown >= kMostThreads && !options.verbose) {
      ++left_out;
      continue;
    }
    const bool with_stack = shown < kThreadsWithStack || options.verbose;
    std::string line = title(thread) + "  " + doing_words(thread.doing);
    const Frame* frame = innermost_of_program(thread);
    if (!with_stack && frame != nullptr) line += "  " + place_and_function(frame->where);
    add_lines(out, line, 2, 4, Paint::kThread, options);
    const bool failing = thread.id == failure.thread;
    if (with_stack) {
      add_stack(out, thread, failing ? kFailingStackLines : kOtherStackLines, options);
    }
    ++shown;
  }
  if (left_out > 0) {
    add_lines(out, fmt::format("and {} more threads", left_out), 2, 4, Paint::kFaint, options);
  }
}

void add_list(std::string& out, const char* title, const std::vector<std::string>& lines,
              const TextOptions& options) {
  if (lines.empty()) return;
  end_line(out);
  add_lines(out, title, 2, 4, Paint::kThread, options);
  for (const std::string& line : lines) add_lines(out, line, 4, 2, Paint::kPlain, options);
}

std::vector<std::string> cycle_lines(const Failure& failure) {
  std::vector<std::string> lines;
  if (!failure.verdict) return lines;
  for (const WaitingThread& member : failure.verdict->cycle) lines.push_back(cycle_words(member));
  return lines;
}

std::vector<std::string> misuse_lines(const Failure& failure) {
  std::vector<std::string> lines;
  for (const MisuseLine& misuse : failure.misuses) lines.push_back(misuse_words(misuse));
  return lines;
}

const ThreadLine* failing_thread(const Failure& failure) {
  for (const ThreadLine& thread : failure.threads) {
    if (thread.id == failure.thread) return &thread;
  }
  return nullptr;
}

std::string verdict(const Failure& failure, const TextOptions& options) {
  std::string out;
  add_lines(out, headline(failure), 0, 2, Paint::kVerdict, options);
  std::string where = place_and_function(failure.where);
  if (const ThreadLine* thread = failing_thread(failure)) {
    where += (where.empty() ? "thread " : ", thread ") + title(*thread);
  }
  if (!where.empty()) add_lines(out, where, 2, 2, Paint::kPlain, options);
  return out;
}

}  // namespace

std::string failure_text(const Failure& failure, const std::string& picture,
                         const TextOptions& options) {
  std::string out = verdict(failure, options) + "\n" + picture;
  add_list(out, "The cycle:", cycle_lines(failure), options);
  Failure alone = failure;
  std::erase_if(alone.threads, [&](const ThreadLine& line) { return line.id != failure.thread; });
  std::string threads;
  if (cycle_lines(failure).empty())
    add_threads(threads, options.verbose ? failure : alone, options);
  if (!threads.empty()) out += "\n" + threads;
  add_list(out, "Misuse on the way:", misuse_lines(failure), options);
  return out;
}

std::string failure_text(const Failure& failure, const TextOptions& options) {
  std::string out = verdict(failure, options);
  const std::string steps = failure_steps(failure, options);
  if (!steps.empty()) out += "\n" + steps;
  add_list(out, "The cycle:", cycle_lines(failure), options);
  std::string threads;
  add_threads(threads, failure, options);
  if (!threads.empty()) out += "\n" + threads;
  add_list(out, "Misuse on the way:", misuse_lines(failure), options);
  return out;
}

std::string text_summary(const Failure& failure, std::uint64_t count, std::uint64_t executions,
                         const TextOptions& options) {
  const std::size_t width = usable_width(options);
  const std::string tail = fmt::format("  {} of {}", count, executions);
  // The place says the function too.
  std::string text = headline(failure, InFunction::kLeftOut);
  std::string place = place_and_function(failure.where);
  const std::size_t room = width - std::min(width, tail.size());
  const auto too_wide = [&] { return text_width(text) + 2 + text_width(place) > room; };
  Where in_short = failure.where;
  in_short.file = base_name(in_short.file);
  if (too_wide()) place = place_and_function(in_short);
  if (too_wide()) place = short_place(failure.where);
  if (too_wide()) {
    const std::size_t for_text = room - std::min(room, text_width(place) + 2);
    text = cut_to_width(text, std::max<std::size_t>(for_text, 20));
  }
  return painted(text, Paint::kVerdict, options) + (place.empty() ? "" : "  " + place) + tail;
}

}  // namespace raddle
