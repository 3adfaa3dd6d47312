#include "prevent/schedule/testing/random_schedule.hpp"

namespace raddle::schedule {
namespace {

std::string event(std::mt19937& random, bool plain) {
  std::string out(1, char('a' + below(random, 5)));
  const std::string thread = "@t" + std::to_string(below(random, 3));
  const unsigned kind = below(random, 10);
  if (kind == 0) return "start" + thread;
  if (kind == 1) return "end" + thread;
  if (kind <= 3) out += thread;
  if (plain) return out;
  const unsigned repetition = below(random, 6);
  if (repetition == 0) out += "#2";
  if (repetition == 1) out += "#3";
  if (repetition == 2) out += "+";
  return out;
}

std::string condition(std::mt19937& random, unsigned depth) {
  const unsigned kind = below(random, depth > 2 ? 3 : 6);
  if (kind < 2) return event(random, false);
  if (kind == 2) return "[" + event(random, false) + "]";
  const std::string op = kind == 3 ? " && " : " || ";
  return "(" + condition(random, depth + 1) + op + condition(random, depth + 1) + ")";
}

std::string section(std::mt19937& random) {
  const std::string begin = event(random, true);
  std::string end = event(random, true);
  while (end == begin) end = event(random, true);
  return begin + ".." + end;
}

}  // namespace

std::string random_schedule(std::mt19937& random, unsigned most) {
  std::string out;
  for (unsigned i = 1 + below(random, most); i > 0; --i) {
    if (!out.empty()) out += ", ";
    if (below(random, 5) == 0) {
      const std::string first = section(random);
      out += first + " !-> " + (below(random, 4) == 0 ? first : section(random));
    } else {
      out += condition(random, 0) + " -> " + event(random, false);
    }
  }
  return out;
}

Trace random_trace(std::mt19937& random, unsigned most) {
  enum class Life { none, runs, blocked, ended };
  Life life[3] = {Life::none, Life::none, Life::none};
  Trace out;
  for (unsigned i = below(random, most + 1); i > 0; --i) {
    const unsigned t = below(random, 3);
    const std::string thread = "t" + std::to_string(t);
    if (life[t] == Life::none) {
      out.push_back({"start", thread});
      life[t] = Life::runs;
    } else if (life[t] == Life::blocked) {
      out.push_back({"unblock", thread});
      life[t] = Life::runs;
    } else if (life[t] == Life::runs) {
      const unsigned kind = below(random, 10);
      if (kind == 0) {
        out.push_back({"end", thread});
        life[t] = Life::ended;
      } else if (kind <= 2) {
        out.push_back({"block", thread});
        life[t] = Life::blocked;
      } else {
        out.push_back({std::string(1, char('a' + below(random, 5))), thread});
      }
    }
  }
  return out;
}

}  // namespace raddle::schedule
