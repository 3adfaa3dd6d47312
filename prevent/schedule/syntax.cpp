#include "prevent/schedule/syntax.hpp"

namespace raddle::schedule {

std::string EventRef::text() const {
  std::string out = name;
  if (!thread.empty()) out += "@" + thread;
  if (every) return out + "+";
  return number > 1 ? out + "#" + std::to_string(number) : out;
}

std::string Condition::text() const {
  if (kind == Kind::event) return event.text();
  if (kind == Kind::block) return "[" + event.text() + "]";
  std::string out;
  for (const Condition& part : parts) {
    if (!out.empty()) out += kind == Kind::both ? " && " : " || ";
    const bool inner = kind == Kind::both && part.kind == Kind::either;
    out += inner ? "(" + part.text() + ")" : part.text();
  }
  return out;
}

std::string Ordering::text() const { return condition.text() + " -> " + target.text(); }
std::string Section::text() const { return begin.text() + ".." + end.text(); }

std::string with_caret(const std::string& text, std::size_t at) {
  if (at > text.size()) at = text.size();
  std::size_t begin = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  begin = begin == std::string::npos ? 0 : begin + 1;
  std::size_t end = text.find('\n', at);
  if (end == std::string::npos) end = text.size();
  std::string pad;
  for (std::size_t i = begin; i < at; ++i) pad += text[i] == '\t' ? '\t' : ' ';
  return "  " + text.substr(begin, end - begin) + "\n  " + pad + "^";
}

}  // namespace raddle::schedule
