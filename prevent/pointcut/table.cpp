#include "prevent/pointcut/table.hpp"

#include <algorithm>
#include <cstdlib>

namespace raddle::pointcut {
namespace {

constexpr char kTitle[] = "raddle-mop 1";

constexpr const char* kWhen[] = {"before", "after", "returning"};
constexpr const char* kKinds[] = {"object", "integer", "floating"};
constexpr const char* kFrom[] = {"target", "this", "argument", "argument-from-end", "result"};

std::string line_of(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return text;
}

template <std::size_t N>
int find(const char* const (&names)[N], std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return int(i);
  return -1;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::variant<Table, std::string> run() {
    if (!next_line() || line_ != kTitle) return std::string(line_);
    while (next_line()) {
      whole_ = line_;
      if (!line_.empty() && !one()) return std::string(whole_);
    }
    return out_;
  }

 private:
  bool next_line() {
    if (text_.empty()) return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return true;
  }
  std::string_view word() {
    const std::size_t end = std::min(line_.find(' '), line_.size());
    const std::string_view out = line_.substr(0, end);
    line_.remove_prefix(std::min(end + 1, line_.size()));
    return out;
  }
  unsigned number() { return unsigned(std::strtoul(std::string(word()).c_str(), nullptr, 10)); }
  template <class T, std::size_t N>
  bool choice(const char* const (&names)[N], T& out) {
    const int found = find(names, word());
    if (found < 0) return false;
    out = T(found);
    return true;
  }
  Alternative* alternative() {
    if (out_.events.empty() || out_.events.back().alternatives.empty()) return nullptr;
    return &out_.events.back().alternatives.back();
  }

  bool one() {
    const std::string_view what = word();
    if (what == "event") {
      TableEvent event;
      event.name = word();
      event.symbol = word();
      if (!choice(kWhen, event.when)) return false;
      event.may_skip = word() == "skip";
      event.place = line_;
      out_.events.push_back(std::move(event));
      return true;
    }
    if (what == "class") {
      TableClass one;
      one.symbol = word();
      one.type = line_;
      out_.classes.push_back(std::move(one));
      return true;
    }
    if (out_.events.empty()) return false;
    if (what == "value") {
      Value value;
      if (!choice(kKinds, value.kind)) return false;
      value.type = line_;
      out_.events.back().values.push_back(std::move(value));
      return true;
    }
    if (what == "case") {
      out_.events.back().alternatives.emplace_back();
      out_.events.back().alternatives.back().bit = number();
      return true;
    }
    return alternative() != nullptr && in_alternative(what, *alternative());
  }

  bool in_alternative(std::string_view what, Alternative& to) {
    if (what == "count" || what == "at-least") {
      to.counts_arguments = true;
      to.more_arguments = what == "at-least";
      to.arguments = number();
      return true;
    }
    if (what == "bind") {
      Binding binding;
      if (!choice(kFrom, binding.from)) return false;
      binding.index = number();
      binding.value = number();
      to.bindings.push_back(binding);
      return binding.value < out_.events.back().values.size();
    }
    const bool negated = what == "not-call" || what == "not-execution";
    const bool execution = what == "execution" || what == "not-execution";
    if (!negated && !execution && what != "call") return false;
    auto signature = parse_signature(line_);
    if (!std::holds_alternative<Signature>(signature)) return false;
    to.conditions.push_back({negated, execution, std::move(std::get<Signature>(signature))});
    return true;
  }

  std::string_view text_;
  std::string_view line_;
  std::string_view whole_;
  Table out_;
};

}  // namespace

bool Alternative::is_execution() const {
  return std::any_of(conditions.begin(), conditions.end(),
                     [](const Condition& one) { return one.execution && !one.negated; });
}

std::string write(const Table& table) {
  std::string out = std::string(kTitle) + "\n";
  for (const TableEvent& event : table.events) {
    out += "event " + event.name + " " + event.symbol + " " + kWhen[int(event.when)] +
           (event.may_skip ? " skip " : " keep ") + line_of(event.place) + "\n";
    for (const Value& value : event.values)
      out += "value " + std::string(kKinds[int(value.kind)]) + " " + line_of(value.type) + "\n";
    for (const Alternative& one : event.alternatives) {
      out += "case " + std::to_string(one.bit) + "\n";
      for (const Condition& condition : one.conditions)
        out += std::string(condition.negated ? "not-" : "") +
               (condition.execution ? "execution " : "call ") + line_of(condition.signature.text) +
               "\n";
      if (one.counts_arguments)
        out += (one.more_arguments ? "at-least " : "count ") + std::to_string(one.arguments) + "\n";
      for (const Binding& binding : one.bindings)
        out += "bind " + std::string(kFrom[int(binding.from)]) + " " +
               std::to_string(binding.index) + " " + std::to_string(binding.value) + "\n";
    }
  }
  for (const TableClass& one : table.classes)
    out += "class " + one.symbol + " " + line_of(one.type) + "\n";
  return out;
}

std::variant<Table, std::string> read(std::string_view text) { return Reader(text).run(); }

}  // namespace raddle::pointcut
