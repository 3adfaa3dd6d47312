#include "host/report/layout.hpp"

#include <algorithm>

#include "host/base/printable.hpp"

namespace raddle {

std::string painted(std::string text, Paint paint, const TextOptions& options) {
  if (!options.colour || text.empty()) return text;
  switch (paint) {
    case Paint::kPlain:
      return text;
    case Paint::kVerdict:
      return "\x1b[1;31m" + text + "\x1b[0m";
    case Paint::kThread:
      return "\x1b[1m" + text + "\x1b[0m";
    case Paint::kFaint:
      return "\x1b[2m" + text + "\x1b[0m";
  }
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  if (indent + 8 > width) indent = 0;
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0;  // columns of `line`
  bool fresh = true;     // nothing but the indent in it
  const auto next_line = [&] {
    while (!line.empty() && line.back() == ' ') line.pop_back();
    lines.push_back(std::move(line));
    line.assign(indent, ' ');
    used = indent;
    fresh = true;
  };
  while (!text.empty()) {
    const std::size_t gap = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', gap), text.size());
    std::string_view word = text.substr(gap, end - gap);
    text.remove_prefix(end);
    if (word.empty()) break;
    const std::size_t spaces = fresh ? 0 : gap;
    if (!fresh && used + spaces + text_width(word) > width) {
      next_line();
    } else {
      line.append(spaces, ' ');
      used += spaces;
    }
    // A word wider than the line: break it where it stands.
    for (; !word.empty(); word.remove_prefix(1)) {
      const bool starts = (static_cast<unsigned char>(word[0]) & 0xc0) != 0x80;
      if (starts && used >= width) next_line();
      line += word[0];
      used += starts ? 1 : 0;
      fresh = false;
    }
  }
  if (!fresh || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t used = text_width(text);
  if (used < width) text.append(width - used, ' ');
  return text;
}

void end_line(std::string& out) {
  while (!out.empty() && out.back() == ' ') out.pop_back();
  out += '\n';
}

std::size_t usable_width(const TextOptions& options) {
  return static_cast<std::size_t>(std::clamp(options.width, 40, 400));
}

void add_lines(std::string& out, const std::string& text, std::size_t indent, std::size_t hanging,
               Paint paint, const TextOptions& options) {
  for (const std::string& line : wrapped(text, usable_width(options) - indent, hanging)) {
    out.append(indent, ' ');
    out += painted(line, paint, options);
    end_line(out);
  }
}

void add_wrapped(std::string& out, const std::string& text, std::size_t at, std::size_t width,
                 Paint paint, const TextOptions& options) {
  // As most are, in a trace; which may have millions.
  if (text.size() <= width && (text.empty() || text.front() != ' ')) {
    out += painted(text, paint, options);
    return end_line(out);
  }
  bool first = true;
  for (const std::string& line : wrapped(text, width, 2)) {
    if (!first) out.append(at, ' ');
    first = false;
    out += painted(line, paint, options);
    end_line(out);
  }
}

std::vector<MergedStep> merged_steps(const Failure& failure) {
  std::vector<MergedStep> steps;
  for (const ThreadLine& thread : failure.threads) {
    for (const StepLine& step : thread.last_steps) steps.push_back({&thread, &step});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const MergedStep& a, const MergedStep& b) {
    return a.step->step < b.step->step;
  });
  return steps;
}

}  // namespace raddle
