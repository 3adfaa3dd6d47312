#include "prevent/mop/matches.hpp"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

namespace raddle::mop {
namespace {

constexpr char kSection[] = ".raddle_mop";
constexpr std::size_t kMostShown = 3;

template <class T>
bool load(std::string_view from, std::size_t at, T& out) {
  if (at > from.size() || from.size() - at < sizeof(T)) return false;
  std::memcpy(&out, from.data() + at, sizeof(T));
  return true;
}

struct Near {
  std::size_t distance;
  std::string function;
  bool operator<(const Near& other) const {
    return distance != other.distance ? distance < other.distance : function < other.function;
  }
};

std::string signatures(const pointcut::TableEvent& event) {
  std::string out;
  for (const pointcut::Alternative& one : event.alternatives)
    for (const pointcut::Condition& condition : one.conditions)
      if (!condition.negated && out.find(condition.signature.text) == std::string::npos)
        out += (out.empty() ? "" : " || ") +
               std::string(condition.execution ? "execution(" : "call(") +
               condition.signature.text + ")";
  return out;
}

}  // namespace

std::string notes_in(std::string_view elf) {
  Elf64_Ehdr header;
  if (!load(elf, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  const auto section = [&](std::size_t index, Elf64_Shdr& out) {
    return load(elf, header.e_shoff + index * sizeof(Elf64_Shdr), out);
  };
  Elf64_Shdr names;
  if (!section(header.e_shstrndx, names)) return "";
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr one;
    if (!section(i, one)) return "";
    const std::size_t name = names.sh_offset + one.sh_name;
    if (name >= elf.size() ||
        elf.compare(name, sizeof(kSection), {kSection, sizeof(kSection)}) != 0)
      continue;
    if (one.sh_offset > elf.size() || one.sh_size > elf.size() - one.sh_offset) return "";
    return std::string(elf.substr(one.sh_offset, one.sh_size));
  }
  return "";
}

std::vector<std::string> unmatched(const pointcut::Table& table, std::string_view notes,
                                   const std::string& program) {
  std::set<std::string> matched;
  std::vector<std::pair<std::string, Near>> near;
  while (!notes.empty()) {
    const std::size_t end = std::min(notes.find('\n'), notes.size());
    std::string line(notes.substr(0, end));
    notes.remove_prefix(std::min(end + 1, notes.size()));
    const std::size_t first = line.find(' ');
    if (first == std::string::npos) continue;
    const std::size_t second = std::min(line.find(' ', first + 1), line.size());
    const std::string event = line.substr(first + 1, second - first - 1);
    if (line.compare(0, first, "match") == 0) matched.insert(event);
    const std::size_t third = line.find(' ', second + 1);
    if (line.compare(0, first, "near") == 0 && third != std::string::npos)
      near.push_back(
          {event, {std::strtoul(line.c_str() + second, nullptr, 10), line.substr(third + 1)}});
  }
  std::vector<std::string> out;
  for (const pointcut::TableEvent& event : table.events) {
    if (matched.count(event.name) != 0) continue;
    std::set<Near> nearest;
    for (const auto& [name, one] : near)
      if (name == event.name) nearest.insert(one);
    std::string text = event.place + ": warning: the event `" + event.name +
                       "` matches nothing in " + program + ": " + signatures(event) + "\n";
    std::size_t shown = 0;
    for (const Near& one : nearest) {
      if (shown++ == kMostShown) break;
      text += (shown == 1 ? "  the nearest functions are " : ", ") + one.function;
    }
    if (shown > 0) text += "\n";
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace raddle::mop
